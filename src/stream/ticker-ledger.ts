/**
 * The books of one channel's ticker: which work is in flight, and which tick may be written.
 *
 *     ticks   ───T1────────T2─────│────────────│──────────▶
 *                                 │ work at 40 │ work at 55      in flight: no tick at 40 or above
 *                                 └ T3 <= 39
 *
 * The one law: once a tick T has been given out, no work is at or below T. Pure: no clock, no log.
 *
 * Work gets its timestamp from an oracle, which takes time. While it is asked only this is known: the timestamp will be above every one that had
 * come back by then. So that one holds the ticks down until the real one is there.
 */
import { TidemarkError } from "../base/errors.js";
import { type TimeTick, timeTickFrom } from "../message/index.js";

/** Work that was begun; nothing in it is for others. */
export interface Work {
  /** The greatest tick that may be given out beside it. */
  readonly most: TimeTick;
}

/** What one channel's work allows. */
export class TickerLedger {
  readonly #inFlight = new Set<Work>();
  /** The greatest tick given out. All work in flight, and all to come, is above it. */
  #lastTick: TimeTick = timeTickFrom(0n);
  /** Whether there may be something that no tick covers. */
  #uncovered: boolean;

  /** @param uncovered whether the channel may hold something already that no tick covers */
  constructor(uncovered: boolean) {
    this.#uncovered = uncovered;
  }

  /** Whether there may be something that no tick covers. */
  get uncovered(): boolean {
    return this.#uncovered;
  }

  /** Notes that something was stored that no work here stands for. */
  stored(): void {
    this.#uncovered = true;
  }

  /** Work is about to ask for its timestamp; `seen` is the greatest that had come back before. */
  asks(seen: TimeTick): Work {
    const work = { most: seen };
    this.#inFlight.add(work);
    return work;
  }

  /**
   * The work that asked has its timestamp.
   *
   * @throws `invalid-argument` if that is at or below a tick given out: the oracle has gone back, and nothing can be written so. The work is over then.
   */
  begins(asked: Work, timestamp: TimeTick): Work {
    this.#inFlight.delete(asked);
    if (timestamp <= this.#lastTick) throw wentBack(timestamp, this.#lastTick);
    const work = { most: timeTickFrom(timestamp - 1n) };
    this.#inFlight.add(work);
    return work;
  }

  /** The work is stored, or never will be. Idempotent. */
  ends(work: Work): void {
    if (this.#inFlight.delete(work)) this.#uncovered = true;
  }

  /**
   * Gives out the next tick: the fresh timestamp, or the greatest that the work in flight allows. Undefined when that is no advance.
   *
   * @param fresh came from the oracle just now
   */
  next(fresh: TimeTick): TimeTick | undefined {
    let tick = fresh;
    for (const { most } of this.#inFlight) if (most < tick) tick = most;
    this.#uncovered = tick < fresh;
    if (tick <= this.#lastTick) return undefined;
    this.#lastTick = tick;
    return tick;
  }
}

function wentBack(timestamp: TimeTick, lastTick: TimeTick): TidemarkError<"invalid-argument"> {
  const text = `now must give rising timestamps: it gave ${timestamp} after the tick ${lastTick} was written`;
  return new TidemarkError("invalid-argument", text, { argument: "now" });
}
