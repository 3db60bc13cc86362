/**
 * Makes an async iterable out of a function that fetches the next item: one loop at a time, with five ways to end.
 *
 *     break, return or throw in the body ──┐
 *     close() ─────────────────────────────┼─▶ ended: quietly, for good; a parked next() resolves as done
 *     abort ───────────────────────────────┘
 *     the function finds nothing more ───────▶ ended
 *     the function throws ───────────────────▶ ended, and next() rejects with it
 *
 * It is a class and not a generator because a generator that waits can't be ended from outside: its `return()` queues behind the `next()`.
 */
import { heedAbort, ignoreAbort } from "../base/abort-ears.js";
import { TidemarkError } from "../base/errors.js";

/** What a loop is made of. */
export interface PullLoopOptions<T> {
  /** For messages: "reader", "subscription". */
  readonly what: string;
  /** The next item; undefined when there are no more. Asked one at a time. Once the loop has ended its result does not matter. */
  readonly pull: () => Promise<T | undefined>;
  /** Called once, in the turn in which it ends. Wakes `pull` if that waits. */
  readonly onEnd: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** The loop, open from the start. */
export class PullLoop<T> {
  readonly #what: string;
  readonly #pull: () => Promise<T | undefined>;
  readonly #onEnd: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #endByAbort = (): void => this.end();
  #iterating = false;
  #ended = false;
  /** The newest `next()`; never rejects. */
  #newest: Promise<unknown> = Promise.resolve();

  constructor({ what, pull, onEnd, signal }: PullLoopOptions<T>) {
    this.#what = what;
    this.#pull = pull;
    this.#onEnd = onEnd;
    this.#signal = signal;
    heedAbort(signal, this.#endByAbort);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Ends it now; nothing more is handed over. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    ignoreAbort(this.#signal, this.#endByAbort);
    this.#onEnd();
  }

  /** Ends it; resolves once a `next()` under way has let go. */
  async close(): Promise<void> {
    this.end();
    await this.#newest;
  }

  /** The one iterator; while its loop goes on, the `next()` of any other rejects with `conflict`. */
  iterator(): AsyncIterator<T, undefined> {
    if (this.#iterating && !this.#ended) return refusing<T>(this.#what);
    this.#iterating = true;
    return {
      next: () => {
        const next = this.#newest.then(() => this.#step());
        this.#newest = next.catch(() => undefined);
        return next;
      },
      return: async () => {
        await this.close();
        return done;
      },
    };
  }

  async #step(): Promise<IteratorResult<T, undefined>> {
    if (this.#ended) return done;
    try {
      const value = await this.#pull();
      // What came in the moment it ended is not handed over.
      if (value !== undefined && !this.#ended) return { done: false, value };
    } catch (error) {
      if (!this.#ended) {
        this.end();
        throw error;
      }
    }
    this.end();
    return done;
  }
}

const done = { done: true, value: undefined } as const;

function refusing<T>(what: string): AsyncIterator<T, undefined> {
  const text = `the ${what} has a loop already, and takes one at a time: end that one first, or open another ${what}`;
  return {
    next: () => Promise.reject(new TidemarkError("conflict", text, {})),
    return: () => Promise.resolve(done),
  };
}
