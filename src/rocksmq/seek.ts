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
import { channelNotFound, positionAhead, positionTrimmed } from "./refusals.js";

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
  for (let waitsOn: bigint | undefined; ;) {
    const mayWait = deadlineMs > core.clock.monotonicMs();
    const known = waitsOn;
    waitsOn = await move(core, group, channel, signal, (draft) => place(draft, group, channel, id, { mayWait, waitsOn: known }));
    if (waitsOn === undefined) return;
    await reached(core, channel, { id, firstId: waitsOn, deadlineMs, signal });
  }
}

/** See `RocksMq.seekToLatest`. */
export async function seekToLatest(core: Core, group: string, channel: string): Promise<void> {
  checkGroupName("group", group);
  checkChannelName("channel", channel);
  core.refuseChanges();
  await move(core, group, channel, undefined, (draft) => {
    replaceCursor(draft, group, channel, requirePair(draft, group, channel).endId);
    return undefined;
  });
}

/** Runs `change` in its turn, which tells what keeps it from moving the cursor; if nothing does, whoever is at the cursor goes on from there. */
async function move(
  core: Core,
  group: string,
  channel: string,
  signal: AbortSignal | undefined,
  change: (draft: Draft) => bigint | undefined,
): Promise<bigint | undefined> {
  const line = core.lines.find(group, channel);
  const moved = core.order.control(change, { after: line?.passage(), signal });
  line?.expectSeek(moved);
  const waitsOn = await moved;
  if (waitsOn !== undefined) return waitsOn;
  core.lines.find(group, channel)?.wake();
  core.keeper.cursorMoved(channel);
  return undefined;
}

/**
 * Puts the cursor at `id`. When the channel has not got there and the caller may wait, what it waits on: the first id, which another channel of
 * that name, made later, does not have.
 */
function place(
  draft: Draft,
  group: string,
  channel: string,
  id: bigint,
  { mayWait, waitsOn }: { readonly mayWait: boolean; readonly waitsOn: bigint | undefined },
): bigint | undefined {
  const { firstId, beginId, endId } = requirePair(draft, group, channel);
  if (waitsOn !== undefined && waitsOn !== firstId) throw channelNotFound(channel);
  if (id < beginId) throw positionTrimmed(channel, id, beginId);
  if (id > endId) {
    if (mayWait) return firstId;
    throw positionAhead(channel, id, endId);
  }
  replaceCursor(draft, group, channel, id);
  return undefined;
}

/** Resolves once the channel has got to `id`, is gone, or the time is over: then it is time to try again. */
async function reached(
  core: Core,
  channel: string,
  { id, firstId, deadlineMs, signal }: { id: bigint; firstId: bigint; deadlineMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  for (;;) {
    const view = core.engine.channel(channel);
    const waitMs = deadlineMs - core.clock.monotonicMs();
    if (view?.firstId !== firstId || view.endId >= id || waitMs <= 0) return;
    core.refuseWaits();
    await core.waiters.park(channel, { clock: core.clock, waitMs, signal });
  }
}
