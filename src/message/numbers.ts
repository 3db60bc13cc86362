/**
 * 64-bit numbers: the ranges that a wire has, and the text forms of Milvus.
 */
import { invalid } from "../base/arguments.js";
import { mostUint64 } from "../base/uint64.js";

/** The least int64. */
export const leastInt64 = -(2n ** 63n);
/** The greatest int64. */
export const mostInt64 = 2n ** 63n - 1n;
/** @throws `invalid-argument` unless `value` is a bigint from -2^63 to 2^63 - 1 */
export function checkInt64(argument: string, value: unknown): asserts value is bigint {
  if (!isInt64(value)) throw invalid(argument, "a bigint from -2^63 to 2^63 - 1", value);
}

/** Whether it is a bigint from -2^63 to 2^63 - 1. */
export function isInt64(value: unknown): value is bigint {
  return typeof value === "bigint" && value >= leastInt64 && value <= mostInt64;
}

/**
 * The int64 that a base-36 text stands for, as Milvus reads one: either case, leading zeros, one sign.
 * Undefined for anything else, also for what is out of range.
 */
export function int64FromBase36(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  const value = digits(negative || text.startsWith("+") ? text.slice(1) : text);
  if (value === undefined) return undefined;
  const signed = negative ? -value : value;
  return signed >= leastInt64 && signed <= mostInt64 ? signed : undefined;
}

/** The uint64 that a base-36 text without a sign stands for, or undefined. */
export function uint64FromBase36(text: string): bigint | undefined {
  const value = digits(text);
  return value !== undefined && value <= mostUint64 ? value : undefined;
}

/** Thirteen digits hold 2^64 - 1; whatever stands before them must be zeros. A longer text never becomes a longer number. */
function digits(text: string): bigint | undefined {
  const [, significant] = /^0*([0-9a-z]{0,13})$/i.exec(text) ?? [];
  if (significant === undefined || text === "") return undefined;
  let value = 0n;
  for (const digit of significant) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value;
}

/** The decimal int64 that a text stands for, or undefined. */
export function int64FromDecimal(text: string): bigint | undefined {
  if (!/^-?\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= leastInt64 && value <= mostInt64 ? value : undefined;
}

/** The decimal uint64 that a text stands for, or undefined. */
export function uint64FromDecimal(text: string): bigint | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value <= mostUint64 ? value : undefined;
}
