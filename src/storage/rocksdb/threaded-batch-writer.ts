/**
 * Writes the database from a thread of its own, with calls that block there: the event loop of this one goes on meanwhile.
 */
import { Worker } from "node:worker_threads";
import { Deferred } from "../../base/deferred.js";
import { Staging } from "../segment/log-writer.js";
import type { MessageRange, WriteAnswer, WriteRequest } from "./batch-writer-protocol.js";
import { layOut, type Operation, sizeOf } from "./group-layout.js";

/** Starts the thread that writes the database behind `handle`. */
export function startBatchThread(handle: bigint, entry = new URL("./batch-writer-thread.js", import.meta.url)): Worker {
  // Not with the flags and the streams of this process: see the log's thread.
  return new Worker(entry, { workerData: handle, execArgv: [], stdout: true, stderr: true });
}

/** The owner's part of the protocol. One call at a time. */
export class ThreadedBatchWriter {
  readonly #thread: Worker;
  readonly #staging = new Staging((size) => Buffer.from(new SharedArrayBuffer(size)));
  /** What the thread reads out of, as it was told last. */
  #shared: SharedArrayBuffer | undefined;
  #asked: Deferred<undefined> | undefined;
  #failure: Error | undefined;

  constructor(thread: Worker) {
    this.#thread = thread;
    thread.on("message", (answer: WriteAnswer) => {
      if (answer.ok) this.#asked?.resolve(undefined);
      else this.#asked?.reject(new Error(answer.message));
    });
    thread.on("error", (error) => {
      this.#failure = new Error("the database's thread ended", { cause: error });
      this.#asked?.reject(this.#failure);
    });
    // Last: a listener holds the process.
    thread.unref();
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
    await this.#ask({ do: "write", memory, length, sync });
    return length;
  }

  /** Resolves once the rows are deleted; they may come back in a crash, until something after it is synced. */
  sweep(ranges: readonly MessageRange[]): Promise<void> {
    return this.#ask({ do: "sweep", ranges });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  async #ask(request: WriteRequest): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const asked = new Deferred<undefined>();
    this.#asked = asked;
    this.#thread.ref();
    this.#thread.postMessage(request);
    try {
      await asked.promise;
    } finally {
      this.#asked = undefined;
      this.#thread.unref();
    }
  }
}
