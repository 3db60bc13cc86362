/**
 * Where the cursors of a group start.
 *
 *     from "earliest"   at the channel's beginId, whatever it is by then
 *     from "latest"     at the endId that the channel had when the group was created; written down, since by then it has moved.
 *                       A channel that was not there is not in the list, and starts at its beginId
 *
 * A channel destroyed and made again has the name of one in the list. Its first id tells them apart.
 */
import { assert } from "../base/assert.js";
import type { DraftChannel } from "../storage/index.js";

/** The channel as it was when the group was created. */
interface Seen {
  readonly firstId: bigint;
  readonly endId: bigint;
}

/** The value of a key `groups/<group>`. */
export interface GroupRecord {
  readonly from: "earliest" | "latest";
  readonly seen: ReadonlyMap<string, Seen>;
}

/** The record of a group created now. */
export function newGroupRecord(from: "earliest" | "latest", channels: Iterable<DraftChannel>): GroupRecord {
  const seen = new Map<string, Seen>();
  if (from === "latest") for (const { name, firstId, endId } of channels) seen.set(name, { firstId, endId });
  return { from, seen };
}

/** The id at which the group's cursor on `channel` comes into being. */
export function startOn(record: GroupRecord, channel: DraftChannel): bigint {
  const seen = record.seen.get(channel.name);
  return seen?.firstId === channel.firstId ? seen.endId : channel.beginId;
}

/** The bytes that are stored: JSON, ids as decimal texts. */
export function encodeGroupRecord({ from, seen }: GroupRecord): Uint8Array {
  const ends = [...seen].map(([name, { firstId, endId }]) => [name, String(firstId), String(endId)]);
  return Buffer.from(JSON.stringify({ from, seen: ends }));
}

/** Reads what `encodeGroupRecord` wrote. */
export function decodeGroupRecord(bytes: Uint8Array): GroupRecord {
  const record: unknown = JSON.parse(Buffer.from(bytes).toString());
  assert(isRecord(record), `a group's record says where it starts, got ${JSON.stringify(record).slice(0, 100)}`);
  const seen = record.seen.map(([name, firstId, endId]) => [name, { firstId: BigInt(firstId), endId: BigInt(endId) }] as const);
  return { from: record.from, seen: new Map(seen) };
}

/**
 * Group records by the bytes they are stored in: that of a "latest" group in a store of many channels is long, and each new cursor asks
 * for it.
 */
export class GroupRecords {
  /** The store hands out the same array for as long as the record stands. */
  readonly #decoded = new WeakMap<Uint8Array, GroupRecord>();

  of(stored: Uint8Array): GroupRecord {
    const known = this.#decoded.get(stored);
    if (known !== undefined) return known;
    const record = decodeGroupRecord(stored);
    this.#decoded.set(stored, record);
    return record;
  }
}

interface StoredRecord {
  readonly from: "earliest" | "latest";
  readonly seen: readonly (readonly [name: string, firstId: string, endId: string])[];
}

function isRecord(value: unknown): value is StoredRecord {
  if (typeof value !== "object" || value === null || !("from" in value) || !("seen" in value)) return false;
  return (value.from === "earliest" || value.from === "latest") && Array.isArray(value.seen);
}
