/**
 * What the metadata says of a channel, as JSON, so that `inspect` and a person with a hex editor can read it.
 */
import { assert } from "../base/assert.js";
import type { MetaEntry } from "../storage/index.js";
import type { Retention } from "./door.js";

/** The value of a key `channels/<channel>`. */
export interface ChannelRecord {
  readonly createdAtMs: number;
  /** Its own; without one it goes by that of whoever has the queue open. An empty one keeps everything. */
  readonly retention?: Retention | undefined;
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

/** The retention that a channel goes by: its own, or the usual one. The record is lost after a salvage of a store without its checkpoint. */
export function retentionOf(entry: MetaEntry | undefined, usual: Retention): Retention {
  return (entry === undefined ? undefined : decodeChannelRecord(entry.value).retention) ?? usual;
}

/** Of a channel whose record is lost: its first id tells the time when it was made. */
export function recordOf({ firstId }: { readonly firstId: bigint }): ChannelRecord {
  return { createdAtMs: Number(firstId >> 18n) };
}

function isRecord(value: unknown): value is ChannelRecord {
  if (typeof value !== "object" || value === null || !("createdAtMs" in value)) return false;
  const { retention } = { retention: undefined, ...value };
  return typeof value.createdAtMs === "number" && (retention === undefined || (typeof retention === "object" && retention !== null));
}
