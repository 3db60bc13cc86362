/**
 * Making, removing and listing channels.
 */
import { compareUtf8 } from "../base/utf8-order.js";
import { checkFlag, checkId, checkOptions } from "./arguments.js";
import { decodeChannelRecord, encodeChannelRecord, recordOf } from "./channel-record.js";
import type { Core } from "./core.js";
import { passageThrough } from "./cursor-lines.js";
import type { CreateChannelOptions, Retention } from "./door.js";
import { channelKey, cursorKey, groupsIn, positionKey } from "./keys.js";
import { checkChannelName } from "./names.js";
import { channelExists, channelNotFound, positionAhead } from "./refusals.js";
import { checkedRetention } from "./retention-check.js";

/** See `RocksMq.createChannel`. */
export async function createChannel(core: Core, name: string, options: CreateChannelOptions): Promise<void> {
  checkChannelName("name", name);
  checkOptions(options, { retention: true, ifNotExists: true });
  const { ifNotExists } = options;
  checkFlag("ifNotExists", ifNotExists);
  const retention = options.retention === undefined ? undefined : checkedRetention(options.retention);
  core.refuseChanges();
  const isNew = await core.order.control((draft) => {
    if (draft.channel(name) !== undefined) {
      if (ifNotExists === true) return false;
      throw channelExists(name);
    }
    draft.createChannel(name);
    draft.put(channelKey(name), encodeChannelRecord({ createdAtMs: draft.nowMs, retention }));
    return true;
  });
  if (isNew) core.keeper.adopt(name);
}

/** See `RocksMq.alterChannel`. */
export async function alterChannel(core: Core, name: string, options: { retention: Retention }): Promise<void> {
  checkChannelName("name", name);
  checkOptions(options, { retention: true });
  const retention = checkedRetention(options.retention);
  core.refuseChanges();
  await core.order.control((draft) => {
    const found = draft.channel(name);
    if (found === undefined) throw channelNotFound(name, "check the name");
    const entry = draft.get(channelKey(name));
    const { createdAtMs } = entry === undefined ? recordOf(found) : decodeChannelRecord(entry.value);
    draft.put(channelKey(name), encodeChannelRecord({ createdAtMs, retention }));
  });
  core.keeper.adopt(name);
}

/** See `RocksMq.destroyChannel`. Its cursors and its record go in the same change. */
export async function destroyChannel(core: Core, name: string): Promise<void> {
  checkChannelName("name", name);
  core.refuseChanges();
  const after = passageThrough(core.lines.onChannel(name));
  await core.order.control(
    (draft) => {
      if (draft.channel(name) === undefined) throw channelNotFound(name, "check the name");
      draft.destroyChannel(name);
      draft.delete(channelKey(name));
      for (const group of groupsIn(draft)) {
        draft.delete(cursorKey(group, name));
        draft.delete(positionKey(group, name));
      }
    },
    { after },
  );
}

/** See `RocksMq.channels`. */
export async function channels(core: Core): Promise<string[]> {
  const names = await core.order.observe((state) => Array.from(state.channels(), ({ name }) => name));
  return names.sort(compareUtf8);
}

/** See `RocksMq.trim`. */
export async function trim(core: Core, channel: string, beforeId: bigint): Promise<void> {
  checkChannelName("channel", channel);
  checkId("beforeId", beforeId);
  core.refuseChanges();
  const after = passageThrough(core.lines.onChannel(channel));
  await core.order.control(
    (draft) => {
      const found = draft.channel(channel);
      if (found === undefined) throw channelNotFound(channel);
      if (beforeId > found.endId) throw positionAhead(channel, beforeId, found.endId);
      if (beforeId > found.beginId) draft.trim(channel, beforeId);
    },
    { after },
  );
}
