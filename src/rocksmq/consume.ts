/**
 * Reading that acknowledges.
 *
 *     place among all calls ─▶ turn at the cursor ─▶ read from where it stands ─▶ move it ─▶ hand over
 *                                       ▲                   │ nothing
 *                                       └──── rung ◀── park ┘
 *
 * Its place among the calls is a change like any other, which brings the cursor into being and tells where the channel ends there: what is
 * produced later is not for this consume, unless it waits. It costs a turn of the engine, so one that can see at once that there is something
 * to read, and nothing on its way that could matter, does without.
 *
 * Seeks, resume points, trims and destroys called later wait until it is done or parked. So only a parked one may find that somebody has moved
 * its cursor.
 */
import { assert } from "../base/assert.js";
import type { ChannelView, MetaEntry } from "../storage/index.js";
import { checkOptions, checkSignal, checkWaitMs, checkWhole, waitOptions } from "./arguments.js";
import type { Core } from "./core.js";
import type { CursorLine } from "./cursor-line.js";
import { cursorIn, encodeCursor, groupMadeAt, openCursor, requirePair } from "./cursor.js";
import type { WaitOptions } from "./door.js";
import { type Incarnation, incarnationOf, isStill } from "./incarnation.js";
import type { ConsumerMessage } from "./messages.js";
import { checkChannelName, checkGroupName } from "./names.js";
import { channelNotFound, groupNotFound, positionTrimmed, stoppedError } from "./refusals.js";

/** The most messages that one call gives. */
export const mostMessages = 100_000;
/** The most bytes of payload and properties that one consume gives, unless one message alone is larger. */
const mostBytes = 128 * 1024 * 1024;

/** See `RocksMq.consume`. */
export async function consume(core: Core, group: string, channel: string, max: number, options: WaitOptions): Promise<ConsumerMessage[]> {
  checkGroupName("group", group);
  checkChannelName("channel", channel);
  checkWhole("max", max, 1, mostMessages);
  checkOptions(options, waitOptions);
  const { waitMs, signal } = options;
  checkWaitMs(waitMs);
  checkSignal(signal);
  core.refuseChanges();
  signal?.throwIfAborted();
  const deadlineMs = core.clock.monotonicMs() + (waitMs ?? 0);
  const line = core.lines.of(group, channel);
  const turn = line.enter({ clock: core.clock, waitMs, signal });
  const place = turn === undefined && seesAllThereIs(core, line) ? undefined : takePlace(core, line, signal);
  // Told where it is awaited, which may be after it came.
  place?.catch(() => undefined);
  const how = turn === undefined ? "turn" : await turn;
  if (how === "timeout") return [];
  try {
    const placed = place === undefined ? undefined : await place;
    // Behind one that waited it has waited too, and takes what has come.
    const until = how === "waited" ? undefined : placed?.endId;
    const view = core.engine.channel(channel);
    // Another channel of that name may have been made while it stood in line.
    if (view === undefined || (placed !== undefined && !isStill(placed.incarnation, incarnationOf(core.engine.meta, view))))
      throw channelNotFound(channel);
    const madeAt = placed === undefined ? groupMadeAt(core.engine.meta, group) : placed.groupMadeAt;
    return await new Consumption({ core, line, view, groupMadeAt: madeAt, max, deadlineMs, signal }).run(until);
  } finally {
    line.leave();
  }
}

/** Whether what is visible is all that a consume called now should see, or enough. */
function seesAllThereIs({ engine, order }: Core, { moving, channel, key }: CursorLine): boolean {
  if (moving || order.controlsBefore() !== undefined) return false;
  const cursor = engine.meta.get(key);
  const view = engine.channel(channel);
  if (cursor === undefined || view === undefined) return false;
  return cursorIn(cursor) < view.endId || order.caughtUp() === undefined;
}

/** A call's place among all others. */
interface Placed {
  readonly incarnation: Incarnation;
  readonly groupMadeAt: bigint | undefined;
  /** Where the channel ends there. */
  readonly endId: bigint;
}

/** Takes the call's place; resolves with the channel and the group as they are there. @throws `channel-not-found`, `group-not-found` */
function takePlace(core: Core, { group, channel }: CursorLine, signal: AbortSignal | undefined): Promise<Placed> {
  return core.order.write(
    (draft) => {
      openCursor(draft, core.groups, group, channel);
      const found = requirePair(draft, group, channel);
      return { incarnation: incarnationOf(draft, found), groupMadeAt: groupMadeAt(draft, group), endId: found.endId };
    },
    { ack: "written", signal },
  );
}

interface ConsumptionParts {
  readonly core: Core;
  readonly line: CursorLine;
  readonly view: ChannelView;
  readonly groupMadeAt: bigint | undefined;
  readonly max: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One consume in its turn. */
class Consumption {
  readonly #core: Core;
  readonly #line: CursorLine;
  readonly #max: number;
  readonly #deadlineMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #view: ChannelView;
  /** Another one belongs to another group of the same name. */
  readonly #groupMadeAt: bigint | undefined;

  constructor({ core, line, view, groupMadeAt, max, deadlineMs, signal }: ConsumptionParts) {
    this.#core = core;
    this.#line = line;
    this.#view = view;
    this.#groupMadeAt = groupMadeAt;
    this.#max = max;
    this.#deadlineMs = deadlineMs;
    this.#signal = signal;
  }

  /** @param end what is stored from there on was produced later; undefined: what is visible now was produced before */
  async run(end: bigint | undefined): Promise<ConsumerMessage[]> {
    for (let until = end; ; until = undefined) {
      this.#signal?.throwIfAborted();
      const cursor = this.#cursor();
      const from = cursorIn(cursor);
      const { name, beginId, endId } = this.#view;
      if (from < beginId) throw positionTrimmed(name, from, beginId);
      const stop = until === undefined || until > endId ? endId : until;
      if (from < stop) return this.#take(cursor, from, stop);
      if (!(await this.#wait())) return [];
    }
  }

  /** The cursor as it stands. @throws when it is there no more */
  #cursor(): MetaEntry {
    const { failure, meta } = this.#core.engine;
    if (failure !== undefined) throw stoppedError(failure);
    if (this.#view.destroyed) throw channelNotFound(this.#view.name);
    const entry = meta.get(this.#line.key);
    // With the channel there only the group can have taken it along; a consume called later may have made one in another group of its name.
    if (entry === undefined || groupMadeAt(meta, this.#line.group) !== this.#groupMadeAt) throw groupNotFound(this.#line.group);
    return entry;
  }

  /** The messages in [from, stop), at least one; the cursor is moved behind them. */
  async #take(cursor: MetaEntry, from: bigint, stop: bigint): Promise<ConsumerMessage[]> {
    const read = await this.#line.read(this.#core.engine, this.#view, from, this.#max, mostBytes);
    const messages = (read.at(-1)?.id ?? stop) < stop ? read : read.filter(({ id }) => id < stop);
    const last = messages.at(-1);
    assert(last !== undefined, `channel ${this.#view.name} holds a message in [${from}, ${stop})`);
    await this.#move(cursor, last.id + 1n);
    this.#core.metrics.consumed(messages.length);
    return messages;
  }

  async #move(cursor: MetaEntry, to: bigint): Promise<void> {
    const { key } = this.#line;
    await this.#core.engine.write(
      (draft) => {
        // Not if a seek, called while this one was parked, has moved it since: that was called later, and holds.
        if (draft.get(key)?.modRevision === cursor.modRevision) draft.put(key, encodeCursor(to));
      },
      { ack: "written", signal: this.#signal },
    );
    this.#core.keeper.cursorMoved(this.#view.name);
  }

  /** Waits for something to happen; false when the time is over. Called in the turn of the look that found nothing. */
  async #wait(): Promise<boolean> {
    const { clock, waiters } = this.#core;
    const waitMs = this.#deadlineMs - clock.monotonicMs();
    if (!(waitMs > 0)) return false;
    this.#core.refuseWaits();
    return (await this.#line.park(waiters, { clock, waitMs, signal: this.#signal })) === "rung";
  }
}
