/**
 * A cursor: the id that a group reads next in a channel, as a decimal text under the pair's key.
 */
import type { Draft, DraftChannel, MetaEntry } from "../storage/index.js";
import { type GroupRecords, startOn } from "./group-record.js";
import { cursorKey, groupKey } from "./keys.js";
import { channelNotFound, groupNotFound } from "./refusals.js";

/** The bytes that are stored. */
export function encodeCursor(id: bigint): Uint8Array {
  return Buffer.from(id.toString(), "latin1");
}

/** The id in a cursor's entry. */
export function cursorIn({ value }: MetaEntry): bigint {
  return BigInt(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1"));
}

/** The pair as a change finds it. @throws `channel-not-found`, `group-not-found` */
export function requirePair(draft: Draft, group: string, channel: string): DraftChannel {
  const found = draft.channel(channel);
  if (found === undefined) throw channelNotFound(channel);
  if (draft.get(groupKey(group)) === undefined) throw groupNotFound(group);
  return found;
}

/** Within a change: the pair's cursor, which comes into being if there is none. @throws `channel-not-found`, `group-not-found` */
export function openCursor(draft: Draft, records: GroupRecords, group: string, channel: string): bigint {
  const found = requirePair(draft, group, channel);
  const key = cursorKey(group, channel);
  const cursor = draft.get(key);
  if (cursor !== undefined) return cursorIn(cursor);
  const record = draft.get(groupKey(group));
  if (record === undefined) throw groupNotFound(group);
  const start = startOn(records.of(record.value), found);
  draft.put(key, encodeCursor(start));
  return start;
}
