/**
 * The checks at the edge of the queue: those of every door, and what only this one takes.
 */
import { invalid, type KnownOptions } from "../base/arguments.js";
import type { WaitOptions } from "./door.js";

export {
  checkFlag,
  checkMethods,
  checkOptions,
  checkParts,
  checkSignal,
  checkWhole,
  checkWord,
  invalid,
  type KnownOptions,
  shown,
} from "../base/arguments.js";

/** What a call that may wait takes. */
export const waitOptions: KnownOptions<keyof WaitOptions> = { waitMs: true, signal: true };

/** An id: any bigint; whether it is in range is for the channel to say. */
export function checkId(argument: string, value: unknown): asserts value is bigint {
  if (typeof value !== "bigint") throw invalid(argument, "an id, which is a bigint", value);
}

/** Milliseconds to wait: from 0 to Infinity. */
export function checkWaitMs(value: unknown): asserts value is number | undefined {
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  throw invalid("waitMs", "milliseconds, at least 0", value);
}
