/**
 * Writes the database from a thread of its own, with calls that block there: the event loop of this one goes on meanwhile.
 */
import { Worker } from "node:worker_threads";
import { Staging } from "../segment/log-writer.js";
import { type LineThread, ThreadLine } from "../thread-line.js";
import type { MessageRange, ThreadData, WriteAnswer, WriteRequest } from "./batch-writer-protocol.js";
import { layOut, type Operation, sizeOf } from "./group-layout.js";

/** Starts the thread that writes the database. */
export function startBatchThread(data: ThreadData, entry = new URL("./batch-writer-thread.js", import.meta.url)): Worker {
  // Not with the flags and the streams of this process: see the log's thread.
  return new Worker(entry, { workerData: data, execArgv: [], stdout: true, stderr: true });
}

/** The owner's part of the protocol. One call at a time. */
export class ThreadedBatchWriter {
  readonly #line: ThreadLine<WriteRequest, WriteAnswer & { readonly ok: false }>;
  readonly #staging = new Staging((size) => Buffer.from(new SharedArrayBuffer(size)));
  /** What the thread reads out of, as it was told last. */
  #shared: SharedArrayBuffer | undefined;

  constructor(thread: LineThread<WriteRequest, WriteAnswer>) {
    this.#line = new ThreadLine(thread, {
      refused: ({ message }) => new Error(message),
      ended: (why, cause) => new Error(`the database's thread ended: ${why}`, { cause }),
    });
  }

  /** Resolves with the bytes laid out, once all of it is written, and synced if asked for with all that was written before. */
  async write(operations: readonly Operation[], sync: boolean): Promise<number> {
    const length = operations.reduce((sum, operation) => sum + sizeOf(operation), 0);
    const staging = this.#staging.take(length);
    layOut(operations, staging);
    const { buffer } = staging;
    if (!(buffer instanceof SharedArrayBuffer)) throw new Error("the staging memory is shared");
    const memory = buffer === this.#shared ? undefined : buffer;
    this.#shared = buffer;
    await this.#line.ask({ do: "write", memory, length, sync });
    return length;
  }

  /** Resolves once the rows are deleted; they may come back in a crash, until something after it is synced. */
  sweep(ranges: readonly MessageRange[]): Promise<void> {
    return this.#line.ask({ do: "sweep", ranges });
  }

  async close(): Promise<void> {
    await this.#line.end();
  }
}
