/**
 * A cursor: the id that a group reads next in a channel, as a decimal text under the pair's key.
 *
 * Reading and acknowledging move it on. A seek takes it away and makes a new one in its place, so that its `createRevision` tells what was
 * handed over before the seek from what came after.
 */
import { assert } from "../base/assert.js";
import type { Draft, DraftChannel, MetaEntry, MetaView } from "../storage/index.js";
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

/** Within a change: a new cursor in the place of the one there is, if there is one. */
export function replaceCursor(draft: Draft, group: string, channel: string, id: bigint): void {
  const key = cursorKey(group, channel);
  draft.delete(key);
  draft.put(key, encodeCursor(id));
}

/** By what this group differs from others of its name, made before or later; undefined when there is none. */
export function groupMadeAt(meta: Pick<MetaView, "get">, group: string): bigint | undefined {
  return meta.get(groupKey(group))?.createRevision;
}

/** The pair as a change finds it. @throws `channel-not-found`, `group-not-found` */
export function requirePair(draft: Draft, group: string, channel: string): DraftChannel {
  const found = draft.channel(channel);
  if (found === undefined) throw channelNotFound(channel);
  if (draft.get(groupKey(group)) === undefined) throw groupNotFound(group);
  return found;
}

/** Within a change: the pair's cursor, which comes into being if there is none. @throws `channel-not-found`, `group-not-found` */
export function openCursor(draft: Draft, records: GroupRecords, group: string, channel: string): MetaEntry {
  const found = requirePair(draft, group, channel);
  const key = cursorKey(group, channel);
  if (draft.get(key) === undefined) draft.put(key, encodeCursor(startOf(draft, records, group, found)));
  const cursor = draft.get(key);
  assert(cursor !== undefined, `the cursor ${key} is there once it was put`);
  return cursor;
}

function startOf(draft: Draft, records: GroupRecords, group: string, channel: DraftChannel): bigint {
  const record = draft.get(groupKey(group));
  if (record === undefined) throw groupNotFound(group);
  return startOn(records.of(record.value), channel);
}
