/**
 * One who waits for something to happen on a channel.
 *
 *     parked ──ring──▶ "rung": look again
 *        ├────time────▶ "timeout"
 *        └────abort───▶ rejected with the signal's reason
 *
 * Whoever parks has looked right before, in the same turn, and found nothing; so nothing can happen unseen in between.
 */
import { heedAbort, ignoreAbort } from "../base/abort-ears.js";
import type { Clock } from "../base/clock.js";
import { Deferred } from "../base/deferred.js";
import { setLongTimer } from "./long-timer.js";

/** How long one is willing to wait. */
export interface Patience {
  readonly clock: Clock;
  /** Default: for ever. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether it holds the process. Default true. */
  readonly keepAlive?: boolean | undefined;
}

/** Settles once; then its timer and its ear at the signal are gone. */
export class Parked {
  readonly #end = new Deferred<"rung" | "timeout">();
  readonly #signal: AbortSignal | undefined;
  readonly #cancelTimer: () => void;
  readonly #onAbort = (): void => {
    this.#tidy();
    this.#end.reject(this.#signal?.reason);
  };

  constructor({ clock, waitMs = Infinity, signal, keepAlive = true }: Patience) {
    // A wait without end has a timer too: it is what keeps the process alive.
    this.#cancelTimer = setLongTimer(clock, waitMs, () => this.#settle("timeout"), keepAlive);
    this.#signal = signal;
    heedAbort(signal, this.#onAbort);
  }

  /** Whoever parks awaits it. */
  get ended(): Promise<"rung" | "timeout"> {
    return this.#end.promise;
  }

  ring(): void {
    this.#settle("rung");
  }

  #settle(how: "rung" | "timeout"): void {
    this.#tidy();
    this.#end.resolve(how);
  }

  #tidy(): void {
    this.#cancelTimer();
    ignoreAbort(this.#signal, this.#onAbort);
  }
}
