import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import type { LogAnswer, LogRequest } from "./log-writer-protocol.js";
import { FatalFailure } from "./system-error.js";
import { ThreadedLogWriter } from "./threaded-log-writer.js";

/** A thread that a test answers for. */
class ScriptedThread extends EventEmitter {
  readonly asked: LogRequest["do"][] = [];
  readonly life: string[] = [];
  readonly #answer: (request: LogRequest) => LogAnswer | undefined;

  constructor(answer: (request: LogRequest) => LogAnswer | undefined = () => ({ ok: true })) {
    super();
    this.#answer = answer;
  }

  postMessage(request: LogRequest | LogAnswer): void {
    if ("ok" in request) return;
    this.asked.push(request.do);
    const answer = this.#answer(request);
    if (answer !== undefined) queueMicrotask(() => this.emit("message", answer));
  }

  ref(): void {
    this.life.push("ref");
  }

  unref(): void {
    this.life.push("unref");
  }

  async terminate(): Promise<void> {
    this.life.push("terminated");
  }
}

const broken: LogAnswer = { ok: false, message: "EIO: i/o error, close", code: "EIO", isFatal: false };

describe("the log's thread", () => {
  it("holds the process only while something is asked of it", async () => {
    const thread = new ScriptedThread();
    const writer = new ThreadedLogWriter(thread);

    await writer.open(1, "create");
    await writer.write(writer.staging(10), 0, true);

    expect(thread.asked).toEqual(["open", "write"]);
    expect(thread.life).toEqual(["unref", "ref", "unref", "ref", "unref"]);
  });

  it("tells a full disk from a sync that failed", async () => {
    const answers: LogAnswer[] = [
      { ok: false, message: "ENOSPC: no space left on device", code: "ENOSPC", isFatal: false },
      { ok: false, message: "EIO: i/o error, fdatasync", code: "EIO", isFatal: true },
    ];
    const writer = new ThreadedLogWriter(new ScriptedThread(() => answers.shift()));

    await expect(writer.write(writer.staging(10), 0, true)).rejects.toMatchObject({ code: "ENOSPC" });
    const failed = writer.sync();
    await expect(failed).rejects.toBeInstanceOf(FatalFailure);
    await expect(failed).rejects.toMatchObject({ cause: { code: "EIO" } });
  });

  it("that ends by an error fails what was asked of it, and all that is asked later", async () => {
    const thread = new ScriptedThread(() => undefined);
    const writer = new ThreadedLogWriter(thread);

    const written = writer.write(writer.staging(10), 0, true);
    thread.emit("error", new Error("out of memory"));

    await expect(written).rejects.toThrow("out of memory");
    await expect(writer.sync()).rejects.toBeInstanceOf(FatalFailure);
    await writer.close();
    expect(thread.asked).toEqual(["write"]);
    expect(thread.life.at(-1)).toBe("terminated");
  });

  it("that ends without an error fails what was asked of it, and all that is asked later", async () => {
    const thread = new ScriptedThread(() => undefined);
    const writer = new ThreadedLogWriter(thread);

    const written = writer.write(writer.staging(10), 0, true);
    thread.emit("exit", 7);

    await expect(written).rejects.toThrow("exit code 7");
    await expect(writer.sync()).rejects.toBeInstanceOf(FatalFailure);
    await writer.close();
  });

  it("that ends by an error is told of by that error, not by its end", async () => {
    const thread = new ScriptedThread(() => undefined);
    const writer = new ThreadedLogWriter(thread);

    thread.emit("error", new Error("out of memory"));
    thread.emit("exit", 1);

    await expect(writer.sync()).rejects.toThrow("out of memory");
  });

  it("is gone after a close, also one that failed", async () => {
    const thread = new ScriptedThread(() => broken);
    const writer = new ThreadedLogWriter(thread);

    await expect(writer.close()).rejects.toMatchObject({ code: "EIO" });

    expect(thread.life.at(-1)).toBe("terminated");
  });
});
