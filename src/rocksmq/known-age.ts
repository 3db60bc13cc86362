/**
 * How old messages are whose times lie ahead of the clock. A store's times never go down, so after a clock was far ahead once, all that is
 * appended is dated so, and by that would stay for as long as the clock was wrong.
 *
 *     dated      2036 2036 2036 │ 2036 2036 …        the clock says 2026
 *     known      ├─ for an hour ┤ end then           they are an hour old at least: that counts
 *
 * By the monotonic clock, which nobody sets: of a clock that is wrong the other way, and then put right, no message gets older.
 */
import type { RetainedBatch } from "../storage/index.js";

/** Less is not worth a word: what is dated so goes so much later. */
export const farAheadMs = 60_000;

/** Messages below `endId` have been known since then. */
export interface KnownSince {
  readonly endId: bigint;
  readonly monotonicMs: number;
}

/** Both clocks at one moment. */
export interface ClockReading {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

/** When, by the wall clock as it is now, the messages became known. */
export function knownAtMs(known: KnownSince, { nowMs, monotonicMs }: ClockReading): number {
  return nowMs - (monotonicMs - known.monotonicMs);
}

/** The batch with a time that may be believed: no later than it became known. */
export function believable(batch: RetainedBatch, known: KnownSince, reading: ClockReading): RetainedBatch {
  const atMs = knownAtMs(known, reading);
  return batch.lastId >= known.endId || batch.timeMs <= atMs ? batch : { ...batch, timeMs: atMs };
}
