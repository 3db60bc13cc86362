/**
 * Writes the log from a thread of its own, with calls that block there: the event loop of this one goes on meanwhile.
 */
import { Worker } from "node:worker_threads";
import { closeAll } from "../../base/close-all.js";
import { type LineThread, ThreadLine } from "../thread-line.js";
import { Staging, type LogWriter } from "./log-writer.js";
import { errorOf, type LogAnswer, type LogPort, type LogRequest } from "./log-writer-protocol.js";
import { FatalFailure } from "./system-error.js";

/** A line to a log's thread, and the thread's life. */
export type LogThread = LogPort & LineThread<LogRequest, LogAnswer>;

/** Starts the thread that writes the log in `dir`. */
export function startLogThread(dir: string, entry = new URL("./log-writer-thread.js", import.meta.url)): LogThread {
  // Not with the flags of this process: those of `node --input-type=module --eval` and the like fit no file.
  // And not with its streams: to have them, a thread makes a pipe of ours non-blocking. It says nothing anyway.
  return new Worker(entry, { workerData: dir, execArgv: [], stdout: true, stderr: true });
}

/** The owner's part of the protocol. */
export class ThreadedLogWriter implements LogWriter {
  readonly #line: ThreadLine<LogRequest, LogAnswer & { readonly ok: false }>;
  readonly #staging = new Staging((size) => Buffer.from(new SharedArrayBuffer(size)));
  /** What the thread writes out of, as it was told last. */
  #shared: SharedArrayBuffer | undefined;

  constructor(thread: LogThread) {
    this.#line = new ThreadLine(thread, {
      refused: errorOf,
      ended: (why, cause) => new FatalFailure(`the log's thread ended: ${why}`, { cause }),
    });
  }

  staging(size: number): Buffer {
    return this.#staging.take(size);
  }

  open(segment: number, mode: "create" | "write"): Promise<void> {
    return this.#line.ask({ do: "open", segment, mode });
  }

  syncNames(): Promise<void> {
    return this.#line.ask({ do: "syncNames" });
  }

  async write(bytes: Uint8Array, offset: number, sync: boolean): Promise<void> {
    const { buffer } = bytes;
    if (!(buffer instanceof SharedArrayBuffer)) {
      const staged = this.staging(bytes.length);
      staged.set(bytes);
      return this.write(staged, offset, sync);
    }
    const memory = buffer === this.#shared ? undefined : buffer;
    this.#shared = buffer;
    await this.#line.ask({ do: "write", memory, length: bytes.length, offset, sync });
  }

  sync(): Promise<void> {
    return this.#line.ask({ do: "sync" });
  }

  truncate(size: number): Promise<void> {
    return this.#line.ask({ do: "truncate", size });
  }

  close(): Promise<void> {
    return closeAll(
      async () => {
        if (!this.#line.failed) await this.#line.ask({ do: "close" });
      },
      () => this.#line.end(),
    );
  }
}
