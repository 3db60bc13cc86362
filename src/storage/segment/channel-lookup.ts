/**
 * Questions about a channel that its index answers, or one look into the segment: where a time begins, how many messages are left.
 */
import type { ChannelState, Run } from "./channel-state.js";
import { firstIndex } from "./channel-state.js";
import type { ReadSource } from "./channel-reader.js";
import type { Frame } from "./frame.js";
import type { Extent } from "./segment-index.js";

/** The first retained message with timeMs >= this; undefined when all are earlier. */
export async function idAtTime(channel: ChannelState, source: ReadSource, timeMs: number): Promise<bigint | undefined> {
  const run = channel.runs[firstIndex(channel.runs, ({ lastTimeMs }) => lastTimeMs >= timeMs)];
  if (run === undefined) return undefined;
  const extents = (await source.index(run)).extentsFrom(channel.number, channel.beginId);
  const extent = extents[firstIndex(extents, ({ lastTimeMs }) => lastTimeMs >= timeMs)];
  if (extent === undefined) return undefined;
  const frame = (await framesOf(channel, source, run, extent)).find((one) => one.timeMs >= timeMs && lastIdOf(one) >= channel.beginId);
  if (frame === undefined) return undefined;
  return frame.baseId > channel.beginId ? frame.baseId : channel.beginId;
}

/** How many retained messages have an id >= `fromId`. */
export async function countFrom(channel: ChannelState, source: ReadSource, fromId: bigint): Promise<number> {
  const from = fromId > channel.beginId ? fromId : channel.beginId;
  const at = firstIndex(channel.runs, (run) => run.lastId >= from);
  const run = channel.runs[at];
  if (run === undefined) return 0;
  const later = channel.runs.slice(at + 1).reduce((sum, { count }) => sum + count, 0);
  return later + (await countInRun(channel, source, run, from));
}

async function countInRun(channel: ChannelState, source: ReadSource, run: Run, from: bigint): Promise<number> {
  if (from <= run.firstId) return run.count;
  const [first, ...others] = (await source.index(run)).extentsFrom(channel.number, from);
  if (first === undefined) return 0;
  return others.reduce((sum, { count }) => sum + count, 0) + (await countInExtent(channel, source, run, first, from));
}

/** Ids without a gap need no look into the segment. */
async function countInExtent(channel: ChannelState, source: ReadSource, run: Run, extent: Extent, from: bigint): Promise<number> {
  if (from <= extent.firstId) return extent.count;
  if (BigInt(extent.count) === extent.lastId - extent.firstId + 1n) return Number(extent.lastId - from + 1n);
  const frames = await framesOf(channel, source, run, extent);
  return frames.reduce((sum, frame) => sum + countInFrame(frame, from), 0);
}

function countInFrame(frame: Frame, from: bigint): number {
  if (from <= frame.baseId) return frame.count;
  return Math.max(0, Number(lastIdOf(frame) - from) + 1);
}

function framesOf(channel: ChannelState, source: ReadSource, run: Run, extent: Extent): Promise<Frame[]> {
  const { offset, end, count } = extent;
  return source.extents.frames(channel.number, { segment: run.segment, offset, end, count });
}

function lastIdOf(frame: Frame): bigint {
  return frame.baseId + BigInt(frame.count) - 1n;
}
