/**
 * The last message of a run below an id that cuts it, where ids have gaps: its index knows it, or the frames of one extent.
 *
 *     ids    1 2 · · · · 7 8
 *              ▲     └────── before 6: this one
 */
import { cutOff, firstIndex } from "../stretches.js";
import { framesOf } from "./channel-lookup.js";
import type { ReadSource } from "./channel-reader.js";
import type { ChannelState, Run } from "./channel-state.js";
import { lastIdOf } from "./frame.js";
import { extentsOfRun } from "./run-extents.js";

/** See above; be it trimmed. */
export async function lastInRun(channel: ChannelState, source: ReadSource, run: Run, id: bigint): Promise<bigint | undefined> {
  const extents = extentsOfRun(await source.index(run), channel.number, run, run.firstId);
  const extent = extents[firstIndex(extents, ({ firstId }) => firstId >= id) - 1];
  // A run that compaction is halfway through begins right behind what it has copied, be that a gap: the last below is that of the copy then.
  if (extent === undefined) return channel.runs[channel.runs.indexOf(run) - 1]?.lastId;
  if (extent.lastId < id) return extent.lastId;
  const frame = (await framesOf(channel, source, run, extent)).findLast(({ baseId }) => baseId < id);
  return frame === undefined ? undefined : cutOff(lastIdOf(frame), id);
}
