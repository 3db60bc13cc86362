/**
 * A reader over a source that fetches batches: one caller at a time, who may stop waiting without losing anything.
 *
 *     next() ─▶ fetch ──────────────▶ records ─▶ the caller
 *        aborted │ the fetch goes on     └────▶ kept for the next call
 *
 * What all back-ends' readers have in common is here; what is theirs is the source.
 */
import { checkOptions, checkSignal } from "../base/arguments.js";
import type { Abortable } from "../base/closable.js";
import { closeAll } from "../base/close-all.js";
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import { orAborted } from "../base/or-aborted.js";
import type { LogReader, LogRecord } from "./log-backend.js";

/** Where a reader's records come from. */
export interface RecordSource {
  /** The next records, at least one; waits at the tail. Undefined once stopped. Asked one at a time, and not any more once it threw without the advice to back off. */
  fetch(): Promise<readonly LogRecord[] | undefined>;
  /** Whether a fetch under way waits because there was nothing more when it last looked. */
  readonly atTail: boolean;
  /** Calls `f` each time that this becomes true. Called once. */
  whenAtTail(f: () => void): void;
  /** Ends a fetch that waits. Resolves once nothing is held any more. Called once. */
  stop(): Promise<void>;
}

type Fetched = { readonly records: readonly LogRecord[] | undefined } | { readonly reason: unknown };

/** The reader, open from the start. `onClose` is called once, when it is closed. */
export class PulledReader implements LogReader {
  readonly #source: RecordSource;
  readonly #onClose: (reader: LogReader) => void;
  /** Under way, or settled and not yet taken. Never rejects: nobody may be there to hear it. */
  #fetching: Promise<Fetched> | undefined;
  #asked = false;
  #closing: Promise<void> | undefined;
  #onTail: () => void = () => undefined;
  /** What it ended with, for good. */
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: RecordSource, onClose: (reader: LogReader) => void) {
    this.#source = source;
    this.#onClose = onClose;
    source.whenAtTail(() => {
      if (this.#asked) this.#onTail();
    });
  }

  get atTail(): boolean {
    return this.#asked && this.#source.atTail;
  }

  whenAtTail(f: () => void): void {
    this.#onTail = f;
  }

  async next(options: Abortable = {}): Promise<readonly LogRecord[] | undefined> {
    checkOptions(options, { signal: true });
    checkSignal(options.signal);
    if (this.#closing !== undefined) return undefined;
    if (this.#failure !== undefined) throw this.#failure.reason;
    if (this.#asked) throw new TidemarkError("conflict", "the reader is being asked already: await that next() first", {});
    options.signal?.throwIfAborted();
    this.#asked = true;
    // A wait that was aborted has left its fetch there.
    if (this.#source.atTail) this.#onTail();
    try {
      return await this.#wait(options.signal);
    } finally {
      this.#asked = false;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #wait(signal: AbortSignal | undefined): Promise<readonly LogRecord[] | undefined> {
    this.#fetching ??= this.#fetch();
    const fetched = await orAborted(this.#fetching, signal);
    this.#fetching = undefined;
    if (this.#closing !== undefined) return undefined;
    if (!("reason" in fetched)) return fetched.records;
    if (!isPassing(fetched.reason)) this.#failure = fetched;
    throw fetched.reason;
  }

  async #fetch(): Promise<Fetched> {
    try {
      return { records: await this.#source.fetch() };
    } catch (reason) {
      return { reason };
    }
  }

  async #close(): Promise<void> {
    this.#onClose(this);
    await closeAll(
      () => this.#source.stop(),
      async () => this.#fetching,
    );
  }
}

/** Whether a reader that failed so may be asked again. */
function isPassing(error: unknown): boolean {
  return isTidemarkError(error) && error.retry === "backoff";
}
