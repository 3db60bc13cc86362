/**
 * When a queue that is open for reading only looks at what its writer did. Nobody wakes it, so it looks again and again, but seldom enough to cost nothing:
 *
 *     look ·· found something ·· hand over ·· hand over ·· (100 ms) ·· look ·· nothing ·· (100 ms) ·· look
 */
import type { Clock } from "../base/clock.js";
import type { Engine } from "../storage/index.js";

/** Between the end of one look and the beginning of the next; half of what is promised. */
const pauseMs = 100;

/** Looks for all loops of a queue together. */
export class Lookout {
  readonly #engine: Engine;
  readonly #clock: Clock;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** How long a loop may go on by what was seen last: 0 when it is time to look, Infinity where somebody rings. */
  get waitMs(): number {
    if (!this.#engine.readOnly) return Infinity;
    return Math.max(0, this.#lastMs + pauseMs - this.#clock.monotonicMs());
  }

  /** Resolves once all that was acked before the call is visible. @throws `corrupt`, `io-failed` */
  async look(): Promise<void> {
    await this.#engine.settled();
    this.#lastMs = this.#clock.monotonicMs();
  }
}
