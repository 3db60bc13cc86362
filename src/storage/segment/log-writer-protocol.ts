/**
 * What the log's thread and the thread of its owner say to each other: one request, one answer, in turns.
 *
 *     owner                                   log's thread
 *       │ lay a group out in shared memory         │
 *       │ ── write 0…4,136 at 98,304, sync ──────▶ │ pwrite · fdatasync, blocking
 *       │ ◀───────────────────────── answer ────── │
 *
 * Bytes do not travel: both threads see the staging memory. The thread has no clock, no timer and no state but the open file.
 */
import { systemCode } from "../../base/system-error.js";
import type { LogWriter } from "./log-writer.js";
import { FatalFailure } from "./system-error.js";

/** What the owner asks for. */
export type LogRequest =
  | { readonly do: "open"; readonly segment: number; readonly mode: "create" | "write" }
  | { readonly do: "syncNames" }
  /** Out of the memory named now, or last. */
  | {
      readonly do: "write";
      readonly memory: SharedArrayBuffer | undefined;
      readonly length: number;
      readonly offset: number;
      readonly sync: boolean;
    }
  | { readonly do: "sync" }
  | { readonly do: "truncate"; readonly size: number }
  | { readonly do: "close" };

/** What becomes of it. Errors don't keep their class or their code on the way, so they travel in parts. */
export type LogAnswer =
  { readonly ok: true } | { readonly ok: false; readonly message: string; readonly code: string | undefined; readonly isFatal: boolean };

/** One end of a line between two threads, or between two parts of one. */
export interface LogPort {
  postMessage(message: LogRequest | LogAnswer): void;
  on(event: "message", listener: (message: LogRequest | LogAnswer) => void): unknown;
}

/** The thread's part: does what it is asked with `writer`, and answers. */
export function serveLogWriter(port: LogPort, writer: LogWriter): void {
  let memory = new Uint8Array(new SharedArrayBuffer(0));
  const handle = (request: LogRequest): Promise<void> => {
    switch (request.do) {
      case "open":
        return writer.open(request.segment, request.mode);
      case "syncNames":
        return writer.syncNames();
      case "write":
        if (request.memory !== undefined) memory = new Uint8Array(request.memory);
        return writer.write(memory.subarray(0, request.length), request.offset, request.sync);
      case "sync":
        return writer.sync();
      case "truncate":
        return writer.truncate(request.size);
      case "close":
        return writer.close();
      default:
        return request satisfies never;
    }
  };
  port.on("message", (request) => {
    if ("ok" in request) return;
    handle(request).then(
      () => port.postMessage({ ok: true }),
      (error: unknown) => port.postMessage(refusal(error)),
    );
  });
}

function refusal(error: unknown): LogAnswer {
  const isFatal = error instanceof FatalFailure;
  return { ok: false, message: error instanceof Error ? error.message : String(error), code: systemCode(error), isFatal };
}

/** The error that an answer stands for. */
export function errorOf(answer: LogAnswer & { ok: false }): Error {
  const cause = Object.assign(new Error(answer.message), { code: answer.code });
  return answer.isFatal ? new FatalFailure(answer.message, { cause }) : cause;
}
