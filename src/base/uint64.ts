/**
 * Numbers of 64 bits without a sign. A JavaScript number is never taken for one, also where it is small: it would pass in every test and be rounded in production.
 */
import { invalid } from "./arguments.js";

/** The greatest uint64. */
export const mostUint64 = 2n ** 64n - 1n;

/** @throws `invalid-argument` unless `value` is a bigint from 0 to 2^64 - 1 */
export function checkUint64(argument: string, value: unknown): asserts value is bigint {
  if (!isUint64(value)) throw invalid(argument, "a bigint from 0 to 2^64 - 1", value);
}

/** Whether it is a bigint from 0 to 2^64 - 1. */
export function isUint64(value: unknown): value is bigint {
  return typeof value === "bigint" && value >= 0n && value <= mostUint64;
}
