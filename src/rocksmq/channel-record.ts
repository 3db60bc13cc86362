/**
 * What the metadata says of a channel, as JSON, so that `inspect` and a person with a hex editor can read it.
 */
import { assert } from "../base/assert.js";
import type { Retention } from "./door.js";

/** The value of a key `channels/<channel>`. */
export interface ChannelRecord {
  readonly createdAtMs: number;
  /** Empty: keep everything. */
  readonly retention: Retention;
}

/** The bytes that are stored. */
export function encodeChannelRecord(record: ChannelRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

/** Reads what `encodeChannelRecord` wrote. */
export function decodeChannelRecord(bytes: Uint8Array): ChannelRecord {
  const record: unknown = JSON.parse(Buffer.from(bytes).toString());
  assert(isRecord(record), `a channel's record holds its time and retention, got ${JSON.stringify(record)}`);
  return record;
}

function isRecord(value: unknown): value is ChannelRecord {
  if (typeof value !== "object" || value === null || !("createdAtMs" in value) || !("retention" in value)) return false;
  return typeof value.createdAtMs === "number" && typeof value.retention === "object" && value.retention !== null;
}
