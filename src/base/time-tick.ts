/**
 * Logical time: what orders messages, and what a stream's packs are cut by.
 *
 *     63                            18 17           0
 *     +-------------------------------+--------------+
 *     | Unix milliseconds             | counter      |
 *     +-------------------------------+--------------+
 *
 * A tick is a bigint, so `<`, `===` and sorting work on it as they are. Two ticks compare inside one pchannel or one stream only.
 */
import { checkWhole, invalid } from "./arguments.js";
import type { Brand } from "./brand.js";
import { checkUint64 } from "./uint64.js";

/** Logical time, uint64: Unix milliseconds << 18 | an 18-bit counter. Comparable inside one pchannel or one stream. */
export type TimeTick = Brand<bigint, "TimeTick">;

const logicalBits = 18n;
const logicalMask = (1n << logicalBits) - 1n;
const mostMs = Number((1n << (64n - logicalBits)) - 1n);

/**
 * The tick of a millisecond and a counter inside it. A counter of 2^18 or more carries into the milliseconds.
 *
 * @param physicalMs Unix milliseconds, at least 0
 * @throws `invalid-argument` for what is no whole number, is negative, or does not fit into 64 bits
 *
 * @example
 * ```ts
 * timeTick(1_740_509_744_109, 13); // 456264186359709709n
 * ```
 */
export function timeTick(physicalMs: number, logical = 0): TimeTick {
  checkWhole("physicalMs", physicalMs, 0, mostMs);
  checkWhole("logical", logical, 0, Number.MAX_SAFE_INTEGER);
  return inRange("physicalMs", (BigInt(physicalMs) << logicalBits) + BigInt(logical));
}

/**
 * Brands a raw number that is a tick already, from a wire or a file.
 *
 * @throws `invalid-argument` outside of uint64
 */
export function timeTickFrom(raw: bigint): TimeTick {
  return inRange("raw", raw);
}

/** The Unix milliseconds of a tick. @throws `invalid-argument` for what is none */
export function physicalMs(tick: TimeTick): number {
  checkUint64("tick", tick);
  return Number(tick >> logicalBits);
}

/** The counter inside the millisecond, 0 to 2^18 - 1. @throws `invalid-argument` for what is no tick */
export function logicalOf(tick: TimeTick): number {
  checkUint64("tick", tick);
  return Number(tick & logicalMask);
}

/**
 * The tick that many milliseconds later, or earlier if negative; the counter stays.
 *
 * @throws `invalid-argument` for what is no tick or no whole number, and where time would end
 */
export function addMs(tick: TimeTick, ms: number): TimeTick {
  checkUint64("tick", tick);
  if (!Number.isSafeInteger(ms)) throw invalid("ms", "a whole number of milliseconds", ms);
  return inRange("ms", tick + (BigInt(ms) << logicalBits));
}

/** The latest of them; 0, which is before all, when there are none. @throws `invalid-argument` for what is no tick */
export function maxTick(...ticks: TimeTick[]): TimeTick {
  let latest = zeroTick;
  for (const tick of ticks) {
    if (typeof tick !== "bigint") throw invalid(`ticks[${ticks.indexOf(tick)}]`, "a tick", tick);
    if (tick > latest) latest = tick;
  }
  return latest;
}

function inRange(argument: string, raw: bigint): TimeTick {
  checkUint64(argument, raw);
  return raw as TimeTick;
}

/** Before every other tick. */
export const zeroTick: TimeTick = inRange("raw", 0n);
