/**
 * Where the queue's metadata stands among the keys of its store.
 *
 *     channels/<channel>                    that the channel exists, since when
 *     groups/<group>                        that the group exists, where its cursors start
 *     <group>/<channel>/current_id          a cursor: the id that is read next
 *     <group>/<channel>/position            beside a cursor: what its consumer keeps there
 *
 * Names are percent-encoded, so that none has a "/" in a key and a key's parts say what it is: a cursor of a group named "channels"
 * has three parts, a registered channel two. Whoever lists by a prefix therefore counts the parts; whoever deletes names whole keys.
 */
import type { MetaEntry, MetaView } from "../storage/index.js";

/** What says that a channel exists. */
export function channelKey(channel: string): string {
  return `channels/${encodeURIComponent(channel)}`;
}

/** What says that a group exists. */
export function groupKey(group: string): string {
  return `groups/${encodeURIComponent(group)}`;
}

/** Where a group stands in a channel. */
export function cursorKey(group: string, channel: string): string {
  return `${encodeURIComponent(group)}/${encodeURIComponent(channel)}/current_id`;
}

/** What a consumer keeps beside its cursor. */
export function positionKey(group: string, channel: string): string {
  return `${encodeURIComponent(group)}/${encodeURIComponent(channel)}/position`;
}

/** The names of all groups, in the order of their keys. */
export function groupsIn(meta: MetaView): string[] {
  return meta.range("groups/").flatMap(({ key }) => {
    const parts = key.split("/");
    return parts.length === 2 ? [decodeURIComponent(parts[1] ?? "")] : [];
  });
}

/** The cursors of one group, with their channels. */
export function cursorsOf(meta: MetaView, group: string): { readonly channel: string; readonly entry: MetaEntry }[] {
  return meta.range(`${encodeURIComponent(group)}/`).flatMap((entry) => {
    const parts = entry.key.split("/");
    return parts.length === 3 && parts[2] === "current_id" ? [{ channel: decodeURIComponent(parts[1] ?? ""), entry }] : [];
  });
}
