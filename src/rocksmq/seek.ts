/**
 * Moving a cursor on demand.
 *
 *     passage past the consumes called before ─▶ in its turn: in range? replace ─▶ durable ─▶ whoever waits at the cursor looks again
 */
import type { Draft } from "../storage/index.js";
import { checkId, checkOptions, checkSignal, checkWaitMs, waitOptions } from "./arguments.js";
import type { Core } from "./core.js";
import { replaceCursor, requirePair } from "./cursor.js";
import type { WaitOptions } from "./door.js";
import { checkChannelName, checkGroupName } from "./names.js";
import { positionAhead, positionTrimmed } from "./refusals.js";

/** See `RocksMq.seek`. */
export async function seek(core: Core, group: string, channel: string, id: bigint, options: WaitOptions): Promise<void> {
  checkGroupName("group", group);
  checkChannelName("channel", channel);
  checkId("id", id);
  checkOptions(options, waitOptions);
  const { waitMs = 0, signal } = options;
  checkWaitMs(waitMs);
  checkSignal(signal);
  core.refuseChanges();
  signal?.throwIfAborted();
  const deadlineMs = core.clock.monotonicMs() + waitMs;
  for (;;) {
    const leftMs = deadlineMs - core.clock.monotonicMs();
    if (await move(core, group, channel, signal, (draft) => place(draft, group, channel, id, leftMs > 0))) return;
    await reached(core, channel, id, deadlineMs, signal);
  }
}

/** See `RocksMq.seekToLatest`. */
export async function seekToLatest(core: Core, group: string, channel: string): Promise<void> {
  checkGroupName("group", group);
  checkChannelName("channel", channel);
  core.refuseChanges();
  await move(core, group, channel, undefined, (draft) => {
    replaceCursor(draft, group, channel, requirePair(draft, group, channel).endId);
    return true;
  });
}

/** Runs `change` in its turn, which tells whether it has moved the cursor; whoever is at the cursor goes on from there. */
async function move(
  core: Core,
  group: string,
  channel: string,
  signal: AbortSignal | undefined,
  change: (draft: Draft) => boolean,
): Promise<boolean> {
  const line = core.lines.find(group, channel);
  const moved = core.order.control(change, { after: line?.passage(), signal });
  line?.expectSeek(moved);
  const hasMoved = await moved;
  if (hasMoved) core.lines.find(group, channel)?.wake();
  return hasMoved;
}

/** Puts the cursor at `id`. False when the channel has not got there and the caller wants to wait. */
function place(draft: Draft, group: string, channel: string, id: bigint, mayWait: boolean): boolean {
  const { beginId, endId } = requirePair(draft, group, channel);
  if (id < beginId) throw positionTrimmed(channel, id, beginId);
  if (id > endId) {
    if (mayWait) return false;
    throw positionAhead(channel, id, endId);
  }
  replaceCursor(draft, group, channel, id);
  return true;
}

/** Resolves once the channel has got to `id`, is gone, or the time is over: then it is time to try again. */
async function reached(core: Core, channel: string, id: bigint, deadlineMs: number, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const view = core.engine.channel(channel);
    const waitMs = deadlineMs - core.clock.monotonicMs();
    if (view === undefined || view.endId >= id || waitMs <= 0) return;
    core.refuseWaits();
    await core.waiters.park(channel, { clock: core.clock, waitMs, signal });
  }
}
