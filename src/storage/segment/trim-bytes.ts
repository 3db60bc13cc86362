/**
 * What a trim leaves of a channel, to the byte. The accounts know what each run of a channel holds, and the index what each extent does; of the one
 * extent that the trim cuts, the frames are looked at.
 *
 *     runs       [░░░░░░][░░░░|      ][        ]       ░ goes
 *     extents            [░][░|][  ]
 *     frames                [░][░|][ ]
 */
import { indexFrom } from "../stretches.js";
import { bytesFrom } from "./batch-place.js";
import { framesOf } from "./channel-lookup.js";
import type { ReadSource } from "./channel-reader.js";
import type { ChannelState, Run } from "./channel-state.js";
import { extentsOfRun } from "./run-extents.js";

/** See above: what the channel holds from `id` on. */
export async function bytesBehind(channel: ChannelState, source: ReadSource, id: bigint): Promise<number> {
  const [cut, ...later] = channel.runs.slice(indexFrom(channel.runs, id));
  if (cut === undefined) return 0;
  const behind = later.reduce((sum, { bytes }) => sum + bytes, 0);
  return behind + (id <= cut.firstId ? cut.bytes : await bytesInRun(channel, source, cut, id));
}

async function bytesInRun(channel: ChannelState, source: ReadSource, run: Run, id: bigint): Promise<number> {
  const [first, ...others] = extentsOfRun(await source.index(run), channel.number, run, id);
  if (first === undefined) return 0;
  const behind = others.reduce((sum, { bytes }) => sum + bytes, 0);
  if (id <= first.firstId) return behind + first.bytes;
  const frames = await framesOf(channel, source, run, first);
  return behind + frames.reduce((sum, frame) => sum + bytesFrom(frame, id), 0);
}
