/**
 * Questions about a channel that its index answers, or one look into the segment: where a time begins, how many messages are left.
 */
import { channelNotFound } from "../refusals.js";
import { firstIndex, indexFrom, isDense } from "../stretches.js";
import type { ChannelState, Run } from "./channel-state.js";
import type { ReadSource } from "./channel-reader.js";
import { lastIdOf, type Frame } from "./frame.js";
import { extentsOfRun } from "./run-extents.js";
import type { Extent } from "./channel-extents.js";

/** The first retained message with timeMs >= this; undefined when all are earlier. */
export function idAtTime(channel: ChannelState, source: ReadSource, timeMs: number): Promise<bigint | undefined> {
  return undisturbed(channel, source, () => findTime(channel, source, timeMs));
}

/** How many retained messages have an id >= `fromId`. */
export function countFrom(channel: ChannelState, source: ReadSource, fromId: bigint): Promise<number> {
  return undisturbed(channel, source, () => countRuns(channel, source, fromId));
}

/** What `look` finds. A trim or a copy may have taken a file away under it: then it looks at what is there now. @throws also `channel-not-found`, `closed` */
export async function undisturbed<T>(channel: ChannelState, source: ReadSource, look: () => Promise<T>): Promise<T> {
  for (;;) {
    const { beginId, moves } = channel;
    try {
      return await look();
    } catch (error) {
      source.check();
      if (channel.destroyed) throw channelNotFound(channel.name);
      if (channel.beginId === beginId && channel.moves === moves) throw error;
    }
  }
}

async function findTime(channel: ChannelState, source: ReadSource, timeMs: number): Promise<bigint | undefined> {
  // Of this moment, all the way: a trim on the way must not make it miss what the index has promised.
  const { beginId } = channel;
  const found = channel.runs[firstIndex(channel.runs, ({ lastTimeMs }) => lastTimeMs >= timeMs)];
  if (found === undefined) return undefined;
  // As it is now: the run itself may lose batches, which are copied elsewhere.
  const run = { ...found };
  const extents = extentsOfRun(await source.index(run), channel.number, run, beginId);
  const extent = extents[firstIndex(extents, ({ lastTimeMs }) => lastTimeMs >= timeMs)];
  if (extent === undefined) return undefined;
  const frame = (await framesOf(channel, source, run, extent)).find((one) => one.timeMs >= timeMs && lastIdOf(one) >= beginId);
  if (frame === undefined) return undefined;
  return frame.baseId > beginId ? frame.baseId : beginId;
}

async function countRuns(channel: ChannelState, source: ReadSource, fromId: bigint): Promise<number> {
  const from = fromId > channel.beginId ? fromId : channel.beginId;
  const at = indexFrom(channel.runs, from);
  const run = channel.runs[at];
  if (run === undefined) return 0;
  const later = channel.runs.slice(at + 1).reduce((sum, { count }) => sum + count, 0);
  return later + (await countInRun(channel, source, { ...run }, from));
}

async function countInRun(channel: ChannelState, source: ReadSource, run: Run, from: bigint): Promise<number> {
  if (from <= run.firstId) return run.count;
  const [first, ...others] = extentsOfRun(await source.index(run), channel.number, run, from);
  if (first === undefined) return 0;
  return others.reduce((sum, { count }) => sum + count, 0) + (await countInExtent(channel, source, run, first, from));
}

/** Ids without a gap need no look into the segment. */
async function countInExtent(channel: ChannelState, source: ReadSource, run: Run, extent: Extent, from: bigint): Promise<number> {
  if (from <= extent.firstId) return extent.count;
  if (isDense(extent)) return Number(extent.lastId - from + 1n);
  const frames = await framesOf(channel, source, run, extent);
  return frames.reduce((sum, frame) => sum + countInFrame(frame, from), 0);
}

function countInFrame(frame: Frame, from: bigint): number {
  if (from <= frame.baseId) return frame.count;
  return Math.max(0, Number(lastIdOf(frame) - from) + 1);
}

/** All frames of an extent of the channel, checked. */
export function framesOf(channel: ChannelState, source: ReadSource, run: Run, extent: Extent): Promise<Frame[]> {
  return source.extents.frames(channel.number, { ...extent, segment: run.segment });
}
