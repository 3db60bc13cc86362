/**
 * One at a time, first come, first served.
 *
 *     holder: A        line: B, C (aborted: leaves), D        A done ─▶ B
 */
import { heedAbort, ignoreAbort } from "./abort-ears.js";
import type { Abortable } from "./closable.js";
import { Deferred } from "./deferred.js";

/** A lock for callers of one process. */
export class Mutex {
  /** Those who wait, in the order they came. Empty while nobody holds the lock. */
  readonly #line = new Set<Deferred<void>>();
  #held = false;

  /** Whether somebody holds it now. */
  get held(): boolean {
    return this.#held;
  }

  /** Callers in line, the holder not counted. */
  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Runs `body` when everybody who came earlier is done; settles as it does.
   *
   * @throws `signal.reason` if aborted while in line: `body` has not run and will not. Once it runs, the signal is its own business.
   */
  async run<T>(body: () => T | Promise<T>, options: Abortable = {}): Promise<T> {
    const release = await this.acquire(options);
    try {
      return await body();
    } finally {
      release();
    }
  }

  /**
   * Resolves when everybody who came earlier is done, with the function that lets the next one in; calling it again does nothing.
   *
   * @throws `signal.reason` if aborted while in line, owing nothing.
   */
  async acquire(options: Abortable = {}): Promise<() => void> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#held) await this.#wait(signal);
    this.#held = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#admitNext();
    };
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const turn = new Deferred<void>();
    const giveUp = (): void => {
      this.#line.delete(turn);
      turn.reject(signal?.reason);
    };
    heedAbort(signal, giveUp);
    this.#line.add(turn);
    try {
      await turn.promise;
    } finally {
      ignoreAbort(signal, giveUp);
    }
  }

  /** The lock passes from hand to hand: it stays held, so that nobody slips in between. */
  #admitNext(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#held = false;
      return;
    }
    this.#line.delete(next);
    next.resolve();
  }
}
