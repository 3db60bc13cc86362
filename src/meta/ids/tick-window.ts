/**
 * Which ticks may be given out now, and how far the next window may reach.
 *
 *       given out  |   may be given out   |  after a renewal  |  not before the clock has come closer
 *     ─────────────┼──────────────────────┼───────────────────┼──────────────────────────────────────▶
 *                last                   bound               limit = highest clock seen + `mostAheadMs`
 *
 * A tick is Unix milliseconds << 18 | a counter. Ticks follow the clock while it goes forward and count on while it does not, so a clock that
 * jumps back costs nothing. The bound is stored before any tick up to it is given out: whoever opens after a crash goes on above it.
 *
 * It has no clock and no I/O: its owner says what time it is, and stores what `plan` says before it says `renewed`.
 */
import { TidemarkError } from "../../base/errors.js";

/** What is stored of a window. */
export interface Reach {
  /** The last tick that may be given out. */
  readonly bound: bigint;
  /** The highest clock seen: after a crash the clock may have gone back, and the limit must not follow it. */
  readonly highestMs: bigint;
}

/** What nobody has drawn from. */
export const untouched: Reach = { bound: 0n, highestMs: 0n };

/** The greatest tick: ids are signed 64-bit numbers everywhere else. */
export const greatestTick = 2n ** 63n - 1n;

const counterBits = 18n;
/** How far a window reaches beyond the clock: a renewal a second, and a third of the way to the limit, so that many crashes find room. */
const windowMs = 1_000n;
/** How far ticks may be ahead of the highest clock seen. */
const mostAheadMs = 3_000n;
/** What a renewal takes at least while the clock is behind. Small, since a crash wastes what is left of it: 8,000 crashes fit below the limit. */
const leastRenewal = 2n ** 16n;
/** Clocks beyond the year 3084 are no clocks. */
const latestMs = 2 ** 45 - 1;

/** Gives out ticks, each once, always upwards. */
export class TickWindow {
  readonly #mayPassLimit: boolean;
  /** The last tick given out, or that an earlier life may have given out. Never goes down. */
  #last: bigint;
  /** Never below `#last`; nothing above it is given out. */
  #bound: bigint;
  /** Never goes down. */
  #highestMs: bigint;

  /** @param mayPassLimit for ids, where a large range must not wait for the clock: it spills over the limit */
  constructor(stored: Reach, options: { readonly mayPassLimit: boolean }) {
    this.#mayPassLimit = options.mayPassLimit;
    this.#last = stored.bound;
    this.#bound = stored.bound;
    this.#highestMs = stored.highestMs;
  }

  get last(): bigint {
    return this.#last;
  }

  /** The last of the next `count` ticks, which are given out with that; undefined when they need a renewal. */
  take(count: number, nowMs: number): bigint | undefined {
    const last = this.#from(nowMs) + BigInt(count);
    if (last > this.#bound) return undefined;
    this.#last = last;
    return last;
  }

  /** Whether half of a window is ahead of the clock. */
  isFresh(nowMs: number): boolean {
    return this.#bound >= tickAt(timeOf(nowMs) + windowMs / 2n);
  }

  /**
   * What to store so that `count` ticks can be given out, and whatever the next second asks for.
   *
   * @throws `overloaded` when they would be too far ahead of every clock seen
   */
  plan(count: number, nowMs: number): Reach {
    const time = timeOf(nowMs);
    const highestMs = greatest(this.#highestMs, time);
    const limit = tickAt(highestMs + mostAheadMs);
    const from = this.#from(nowMs);
    const least = from + BigInt(count);
    if (least > (this.#mayPassLimit ? greatestTick : limit)) throw tooFarAhead(from, limit, time);
    const wanted = greatest(tickAt(time + windowMs), from + greatest(BigInt(count), leastRenewal));
    return { bound: greatest(this.#bound, least, wanted < limit ? wanted : limit), highestMs };
  }

  /** What `plan` said is stored. */
  renewed({ bound, highestMs }: Reach): void {
    this.#bound = greatest(this.#bound, bound);
    this.#highestMs = greatest(this.#highestMs, highestMs);
  }

  /** The tick before the next: the clock's, once that is ahead. */
  #from(nowMs: number): bigint {
    return greatest(this.#last, tickAt(timeOf(nowMs)));
  }
}

function tickAt(ms: bigint): bigint {
  return ms << counterBits;
}

/** A reading that is no time of ours counts as no reading. */
function timeOf(nowMs: number): bigint {
  return nowMs >= 0 && nowMs <= latestMs ? BigInt(Math.floor(nowMs)) : 0n;
}

function greatest(...numbers: [bigint, ...bigint[]]): bigint {
  let found = numbers[0];
  for (const number of numbers) if (number > found) found = number;
  return found;
}

function tooFarAhead(from: bigint, limit: bigint, time: bigint): TidemarkError<"overloaded"> {
  const aheadMs = (from >> counterBits) - time;
  const text = `${aheadMs} ms ahead of the clock (${time}) there are no ticks left: they end ${mostAheadMs} ms after the highest clock seen, at ${limit}; set the clock right, or wait for it`;
  return new TidemarkError("overloaded", text, { aheadMs: Number(aheadMs) });
}
