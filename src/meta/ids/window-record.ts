/**
 * What the metadata says of a line of ticks, as JSON, so that a person can read it; 64-bit numbers are decimal texts.
 *
 *     {"opening":"3","bound":"445644800262144000","highestMs":"1700000000000"}
 */
import { corruptRecord } from "../corrupt-record.js";
import { greatestTick, type Reach } from "./tick-window.js";

/** The value of an oracle's or allocator's key. */
export interface WindowRecord extends Reach {
  /** Rises by one with each open, so that whoever wrote the record last is known from it. */
  readonly opening: bigint;
}

/** The bytes that are stored. */
export function encodeWindowRecord({ opening, bound, highestMs }: WindowRecord): Uint8Array {
  return Buffer.from(JSON.stringify({ opening: String(opening), bound: String(bound), highestMs: String(highestMs) }));
}

/**
 * Reads what `encodeWindowRecord` wrote under `key`.
 *
 * @throws `corrupt` for anything else: taken for nothing it would let ids come again
 */
export function decodeWindowRecord(key: string, bytes: Uint8Array): WindowRecord {
  const record = parse(key, bytes);
  return { opening: field(key, record, "opening"), bound: field(key, record, "bound"), highestMs: field(key, record, "highestMs") };
}

function parse(key: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    throw corruptRecord(key, "a window of ids", error);
  }
}

function field(key: string, record: unknown, name: string): bigint {
  const text: unknown = typeof record === "object" && record !== null ? Reflect.get(record, name) : undefined;
  const number = typeof text === "string" && /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (number === undefined || number > greatestTick) throw corruptRecord(key, `a window of ids (its ${name} is missing or no number)`);
  return number;
}
