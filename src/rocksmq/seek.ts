/**
 * Moving a cursor on demand.
 *
 *     passage past the consumes called before ─▶ in its turn: in range? replace ─▶ durable ─▶ whoever waits at the cursor looks again
 */
import type { Draft } from "../storage/index.js";
import { checkId, checkOptions, checkSignal, checkWaitMs, waitOptions } from "./arguments.js";
import type { Core } from "./core.js";
import { groupMadeAt, replaceCursor, requirePair } from "./cursor.js";
import type { WaitOptions } from "./door.js";
import { type Incarnation, incarnationOf, isStill } from "./incarnation.js";
import { checkChannelName, checkGroupName } from "./names.js";
import { channelNotFound, groupNotFound, positionAhead, positionTrimmed } from "./refusals.js";

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
  for (let pair: Pair | undefined; ;) {
    const mayWait = deadlineMs > core.clock.monotonicMs();
    const known = pair;
    pair = await move(core, group, channel, signal, (draft) => place(draft, group, channel, id, { mayWait, known }));
    if (pair === undefined) return;
    await reached(core, group, channel, { id, pair, deadlineMs, signal });
  }
}

/** What a seek that waits waits on: this channel and this group. Others of their names, made later, differ in it. */
interface Pair {
  readonly incarnation: Incarnation;
  readonly groupRevision: bigint;
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
  change: (draft: Draft) => Pair | undefined,
): Promise<Pair | undefined> {
  const line = core.lines.of(group, channel);
  const moved = core.order.write(change, { after: line.passage(), signal });
  line.expectSeek(moved);
  const pair = await moved;
  if (pair !== undefined) return pair;
  line.wake();
  core.keeper.cursorMoved(channel);
  return undefined;
}

/** Puts the cursor at `id`. When the channel has not got there and the caller may wait, the pair that it waits on. */
function place(
  draft: Draft,
  group: string,
  channel: string,
  id: bigint,
  { mayWait, known }: { readonly mayWait: boolean; readonly known: Pair | undefined },
): Pair | undefined {
  const found = requirePair(draft, group, channel);
  const { beginId, endId } = found;
  const incarnation = incarnationOf(draft, found);
  const groupRevision = groupMadeAt(draft, group);
  if (known !== undefined && !isStill(known.incarnation, incarnation)) throw channelNotFound(channel);
  if (groupRevision === undefined || (known !== undefined && known.groupRevision !== groupRevision)) throw groupNotFound(group);
  if (id < beginId) throw positionTrimmed(channel, id, beginId);
  if (id > endId) {
    if (mayWait) return { incarnation, groupRevision };
    throw positionAhead(channel, id, endId);
  }
  replaceCursor(draft, group, channel, id);
  return undefined;
}

/** Resolves once the channel has got to `id`, it or the group is gone, or the time is over: then it is time to try again. */
async function reached(
  core: Core,
  group: string,
  channel: string,
  { id, pair, deadlineMs, signal }: { id: bigint; pair: Pair; deadlineMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  for (;;) {
    const view = core.engine.channel(channel);
    const waitMs = deadlineMs - core.clock.monotonicMs();
    const { meta } = core.engine;
    if (view === undefined || !isStill(pair.incarnation, incarnationOf(meta, view)) || view.endId >= id || waitMs <= 0) return;
    if (groupMadeAt(meta, group) !== pair.groupRevision) return;
    core.refuseWaits();
    await core.waiters.park(channel, { clock: core.clock, waitMs, signal });
  }
}
