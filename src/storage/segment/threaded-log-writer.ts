/**
 * Writes the log from a thread of its own, with calls that block there: the event loop of this one goes on meanwhile.
 */
import { Worker } from "node:worker_threads";
import { Deferred } from "../../base/deferred.js";
import { Staging, type LogWriter } from "./log-writer.js";
import { errorOf, type LogAnswer, type LogPort, type LogRequest } from "./log-writer-protocol.js";
import { FatalFailure } from "./system-error.js";

/** A line to a log's thread, and the thread's life. */
export interface LogThread extends LogPort {
  /** While a request is on its way the process must not end. */
  ref(): void;
  unref(): void;
  on(event: "message", listener: (message: LogRequest | LogAnswer) => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "exit", listener: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

/** Starts the thread that writes the log in `dir`. */
export function startLogThread(dir: string, entry = new URL("./log-writer-thread.js", import.meta.url)): LogThread {
  // Not with the flags of this process: those of `node --input-type=module --eval` and the like fit no file.
  // And not with its streams: to have them, a thread makes a pipe of ours non-blocking. It says nothing anyway.
  return new Worker(entry, { workerData: dir, execArgv: [], stdout: true, stderr: true });
}

/** The owner's part of the protocol. */
export class ThreadedLogWriter implements LogWriter {
  readonly #thread: LogThread;
  readonly #staging = new Staging((size) => Buffer.from(new SharedArrayBuffer(size)));
  /** What the thread writes out of, as it was told last. */
  #shared: SharedArrayBuffer | undefined;
  #asked: Deferred<undefined> | undefined;
  #failure: FatalFailure | undefined;

  constructor(thread: LogThread) {
    this.#thread = thread;
    thread.on("message", (answer) => {
      if ("ok" in answer) this.#answer(answer);
    });
    thread.on("error", (error) => this.#fail(error));
    // It may end without an error, by a `process.exit` in a module that somebody preloads.
    thread.on("exit", (code) => this.#fail(new Error(`exit code ${code}`)));
    // Last: a listener holds the process.
    thread.unref();
  }

  staging(size: number): Buffer {
    return this.#staging.take(size);
  }

  open(segment: number, mode: "create" | "write"): Promise<void> {
    return this.#ask({ do: "open", segment, mode });
  }

  syncNames(): Promise<void> {
    return this.#ask({ do: "syncNames" });
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
    await this.#ask({ do: "write", memory, length: bytes.length, offset, sync });
  }

  sync(): Promise<void> {
    return this.#ask({ do: "sync" });
  }

  truncate(size: number): Promise<void> {
    return this.#ask({ do: "truncate", size });
  }

  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.#ask({ do: "close" });
    } finally {
      await this.#thread.terminate();
    }
  }

  async #ask(request: LogRequest): Promise<void> {
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

  #answer(answer: LogAnswer): void {
    if (answer.ok) this.#asked?.resolve(undefined);
    else this.#asked?.reject(errorOf(answer));
  }

  #fail(error: unknown): void {
    // An error is followed by an exit, which says less.
    this.#failure ??= new FatalFailure(`the log's thread ended: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
    this.#asked?.reject(this.#failure);
  }
}
