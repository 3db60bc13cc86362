/**
 * What the metadata says of a line of ticks, as JSON, so that a person can read it; 64-bit numbers are decimal texts.
 *
 *     {"opening":"3","bound":"445644800262144000","highestMs":"1700000000000","of":"id allocator"}
 */
import { corruptRecord } from "../corrupt-record.js";
import { greatestTick, type Reach } from "./tick-window.js";

/** The value of an oracle's or allocator's key. */
export interface WindowRecord extends Reach {
  /** Rises by one with each open, so that whoever wrote the record last is known from it. */
  readonly opening: bigint;
  /** Who keeps its place there; undefined in a record of an earlier build. */
  readonly of: string | undefined;
}

/** The bytes that are stored. */
export function encodeWindowRecord({ opening, bound, highestMs, of }: WindowRecord): Uint8Array {
  return Buffer.from(JSON.stringify({ opening: String(opening), bound: String(bound), highestMs: String(highestMs), of }));
}

/**
 * Reads what `encodeWindowRecord` wrote under `key`.
 *
 * @throws `corrupt` for anything else: taken for nothing it would let ids come again
 */
export function decodeWindowRecord(key: string, bytes: Uint8Array): WindowRecord {
  const record = parse(key, bytes);
  return {
    opening: numberIn(key, record, "opening"),
    bound: numberIn(key, record, "bound"),
    highestMs: numberIn(key, record, "highestMs"),
    of: ownerIn(key, record),
  };
}

function parse(key: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    throw corruptRecord(key, "a window of ids", error);
  }
}

function ownerIn(key: string, record: unknown): string | undefined {
  const of = fieldIn(record, "of");
  if (of !== undefined && typeof of !== "string") throw corruptRecord(key, "a window of ids (whose it is, is no text)");
  return of;
}

function numberIn(key: string, record: unknown, name: string): bigint {
  const text = fieldIn(record, name);
  const number = typeof text === "string" && /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (number === undefined || number > greatestTick) throw corruptRecord(key, `a window of ids (its ${name} is missing or no number)`);
  return number;
}

function fieldIn(record: unknown, name: string): unknown {
  return typeof record === "object" && record !== null ? Reflect.get(record, name) : undefined;
}
