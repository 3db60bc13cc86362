import type { Run } from "./channel-state.js";
import type { Extent } from "./channel-extents.js";
import type { ExtentIndex } from "./segment-index.js";

/**
 * The extents of a channel's run, from the one that holds the first id >= `id` on. The segment may hold more of the channel: what was there
 * before it was copied elsewhere, and other runs.
 */
export function extentsOfRun(index: ExtentIndex, channel: number, run: Pick<Run, "firstId" | "lastId">, id: bigint): Extent[] {
  const extents = index.extentsFrom(channel, id > run.firstId ? id : run.firstId);
  const end = extents.findIndex(({ firstId }) => firstId > run.lastId);
  return end === -1 ? extents : extents.slice(0, end);
}
