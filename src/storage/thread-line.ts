/**
 * The owner's end of the line to a thread that writes: one request, one answer, in turns.
 *
 *     ask ─▶ ref ─▶ request ─▶ (the thread's blocking calls) ─▶ answer ─▶ unref        the process lives as long as something is asked
 *                                         └─ the thread ended: whoever asks now or later gets that
 */
import { Deferred } from "../base/deferred.js";

/** A thread, as far as its owner needs it. A port between two parts of one thread will do. */
export interface LineThread<Request, Answer> {
  postMessage(request: Request): void;
  /** While a request is on its way the process must not end. */
  ref(): void;
  unref(): void;
  on(event: "message", listener: (message: Request | Answer) => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "exit", listener: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

/** What the two ends say of failures. */
export interface LineErrors<Refusal> {
  readonly refused: (answer: Refusal) => Error;
  /** The thread is gone. `why` is one sentence's end. */
  readonly ended: (why: string, cause: unknown) => Error;
}

/** Asks one thing at a time. */
export class ThreadLine<Request extends object, Refusal extends { readonly ok: false }> {
  readonly #thread: LineThread<Request, { readonly ok: true } | Refusal>;
  readonly #errors: LineErrors<Refusal>;
  #asked: Deferred<undefined> | undefined;
  #failure: Error | undefined;

  constructor(thread: LineThread<Request, { readonly ok: true } | Refusal>, errors: LineErrors<Refusal>) {
    this.#thread = thread;
    this.#errors = errors;
    thread.on("message", (message) => {
      if (!("ok" in message)) return;
      if (message.ok) this.#asked?.resolve(undefined);
      else this.#asked?.reject(errors.refused(message));
    });
    thread.on("error", (error) => this.#fail(error));
    // It may end without an error, by a `process.exit` in a module that somebody preloads.
    thread.on("exit", (code) => this.#fail(new Error(`exit code ${code}`)));
    // Last: a listener holds the process.
    thread.unref();
  }

  /** Whether the thread is gone. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves once the thread has done it. */
  async ask(request: Request): Promise<void> {
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

  /** Ends the thread. */
  async end(): Promise<void> {
    await this.#thread.terminate();
  }

  #fail(error: unknown): void {
    // An error is followed by an exit, which says less.
    this.#failure ??= this.#errors.ended(error instanceof Error ? error.message : String(error), error);
    this.#asked?.reject(this.#failure);
  }
}
