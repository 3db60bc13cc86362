/**
 * A channel at one moment, and the questions about its ids.
 */
import { isTidemarkError } from "../base/errors.js";
import { compareUtf8 } from "../base/utf8-order.js";
import type { ChannelView } from "../storage/index.js";
import { invalid } from "./arguments.js";
import { decodeChannelRecord, recordOf } from "./channel-record.js";
import type { Core } from "./core.js";
import { passageThrough } from "./cursor-lines.js";
import { cursorIn } from "./cursor.js";
import type { ChannelDescription } from "./door.js";
import { channelKey, cursorKey, groupsIn } from "./keys.js";
import { checkChannelName } from "./names.js";
import { channelNotFound } from "./refusals.js";

/** Counting takes time, in which the channel may move on; after this many tries the figures may be of moments close to each other. */
const triesForOneMoment = 5;

/** See `RocksMq.describeChannel`. */
export async function describeChannel(core: Core, name: string): Promise<ChannelDescription> {
  checkChannelName("name", name);
  const [view] = await Promise.all([settledChannel(core, "name", name), passageThrough(core.lines.onChannel(name))]);
  for (let tries = 1; ; tries++) {
    const { beginId, endId } = view;
    const { revision } = core.engine.meta;
    const description = await describe(core, view);
    const still = view.beginId === beginId && view.endId === endId && core.engine.meta.revision === revision;
    if (still || tries === triesForOneMoment) return description;
  }
}

/** See `RocksMq.latestId`. */
export async function latestId(core: Core, channel: string): Promise<bigint | undefined> {
  checkChannelName("channel", channel);
  return core.order.observe((state) => {
    const found = state.channel(channel);
    if (found === undefined) throw channelNotFound(channel);
    return found.beginId < found.endId ? found.endId - 1n : undefined;
  });
}

/** See `RocksMq.idAt`. */
export async function idAt(core: Core, channel: string, timeMs: number): Promise<bigint | undefined> {
  if (typeof timeMs !== "number" || Number.isNaN(timeMs)) throw invalid("timeMs", "Unix milliseconds", timeMs);
  return core.engine.idAt(await settledChannel(core, "channel", channel), timeMs);
}

/** See `StreamQueue.countFrom`. */
export async function countFromId(core: Core, channel: string, id: bigint): Promise<bigint> {
  return countFrom(core, await settledChannel(core, "channel", channel), id);
}

/** The channel with all that was called before. */
async function settledChannel(core: Core, argument: string, name: string): Promise<ChannelView> {
  checkChannelName(argument, name);
  const before = core.order.caughtUp();
  if (before !== undefined) await before;
  const view = core.engine.channel(name);
  if (view === undefined) throw channelNotFound(name);
  return view;
}

async function describe(core: Core, view: ChannelView): Promise<ChannelDescription> {
  const { engine } = core;
  const { name, endId, bytes } = view;
  const record = engine.meta.get(channelKey(name));
  if (record === undefined && view.destroyed) throw channelNotFound(name);
  const { createdAtMs, retention = core.retention } = record === undefined ? recordOf(view) : decodeChannelRecord(record.value);
  const groups = await Promise.all(
    cursorsOn(core, name).map(async (cursor) => ({ ...cursor, lag: await countFrom(core, view, cursor.currentId) })),
  );
  const messages = await countFrom(core, view, view.beginId);
  const beginId = messages === 0n ? endId : await firstRetained(core, view, messages);
  return { name, createdAtMs, retention, beginId, endId, messages, bytes: BigInt(bytes), groups };
}

function cursorsOn(core: Core, channel: string): { group: string; currentId: bigint }[] {
  return groupsIn(core.engine.meta)
    .sort(compareUtf8)
    .flatMap((group) => {
      const cursor = core.engine.meta.get(cursorKey(group, channel));
      return cursor === undefined ? [] : [{ group, currentId: cursorIn(cursor) }];
    });
}

async function countFrom({ engine }: Core, view: ChannelView, id: bigint): Promise<bigint> {
  return BigInt(await engine.countFrom(view, id > view.beginId ? id : view.beginId));
}

/** Ids may have gaps, also at the place where the channel was trimmed. */
async function firstRetained(core: Core, view: ChannelView, messages: bigint): Promise<bigint> {
  const { beginId, endId } = view;
  // Mostly there is one right there, and counting costs no look at the disk.
  if ((await countFrom(core, view, beginId + 1n)) < messages) return beginId;
  try {
    const [first] = await core.engine.reader(view).read(beginId, 1, 1);
    return first?.id ?? endId;
  } catch (error) {
    // Trimmed in between: what it says it begins at is the answer.
    if (isTidemarkError(error, "position-trimmed")) return BigInt(error.details.firstAvailable);
    throw error;
  }
}
