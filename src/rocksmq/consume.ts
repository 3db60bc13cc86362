/**
 * Reading that acknowledges.
 *
 *     turn at the cursor ─▶ read from where it stands ─▶ move it, if it still stands there ─▶ hand over
 *              ▲                   │ nothing
 *              └──── rung ◀── park ┘
 *
 * Whatever control change was called before is settled by the time it reads. So whatever has touched the cursor by the time of its move was
 * called after it, and holds: then the messages are handed over all the same, and the cursor is left where that later call put it.
 */
import { assert } from "../base/assert.js";
import type { ChannelView, MetaEntry } from "../storage/index.js";
import { checkSignal, checkWaitMs, checkWhole } from "./arguments.js";
import type { Core } from "./core.js";
import type { CursorLine } from "./cursor-line.js";
import { cursorIn, encodeCursor, openCursor } from "./cursor.js";
import type { WaitOptions } from "./door.js";
import type { ConsumerMessage } from "./messages.js";
import { checkChannelName, checkGroupName } from "./names.js";
import { channelNotFound, groupNotFound, positionTrimmed, stoppedError } from "./refusals.js";

/** The most messages that one call gives. */
export const mostMessages = 100_000;
/** The most bytes of payload and properties that one consume gives, unless one message alone is larger. */
const mostBytes = 128 * 1024 * 1024;

/** See `RocksMq.consume`. */
export async function consume(core: Core, group: string, channel: string, max: number, options: WaitOptions): Promise<ConsumerMessage[]> {
  const { waitMs, signal } = options;
  checkGroupName("group", group);
  checkChannelName("channel", channel);
  checkWhole("max", max, 1, mostMessages);
  checkWaitMs(waitMs);
  checkSignal(signal);
  signal?.throwIfAborted();
  const deadlineMs = core.clock.monotonicMs() + (waitMs ?? 0);
  const line = core.lines.of(group, channel);
  const before = core.order.controlsBefore();
  const turn = line.enter({ clock: core.clock, waitMs, signal });
  if (turn !== undefined && (await turn) === "timeout") return [];
  try {
    if (before !== undefined) await before;
    return await new Consumption(core, line, max, deadlineMs, signal).run();
  } finally {
    line.leave();
  }
}

/** One consume in its turn. */
class Consumption {
  readonly #core: Core;
  readonly #line: CursorLine;
  readonly #max: number;
  readonly #deadlineMs: number;
  readonly #signal: AbortSignal | undefined;
  /** The channel that it began on; another of the same name is not the one it was called for. */
  #view: ChannelView | undefined;

  constructor(core: Core, line: CursorLine, max: number, deadlineMs: number, signal: AbortSignal | undefined) {
    this.#core = core;
    this.#line = line;
    this.#max = max;
    this.#deadlineMs = deadlineMs;
    this.#signal = signal;
  }

  async run(): Promise<ConsumerMessage[]> {
    const { engine } = this.#core;
    let caughtUp = false;
    for (;;) {
      this.#signal?.throwIfAborted();
      if (engine.failure !== undefined) throw stoppedError(engine.failure);
      const cursor = this.#cursor();
      if (cursor === undefined || this.#view === undefined) {
        await this.#open();
        continue;
      }
      const from = cursorIn(cursor);
      if (from < this.#view.beginId) throw positionTrimmed(this.#view.name, from, this.#view.beginId);
      if (from < this.#view.endId) return await this.#take(this.#view, cursor, from);
      // Nothing there. But a produce called before may be on its way to the engine's end. (What waits in line was awaited already, if it was
      // called before; if after, it may wait for this one.)
      const arriving = caughtUp ? undefined : engine.settled();
      caughtUp = true;
      if (arriving !== undefined) await arriving;
      else if (!(await this.#wait())) return [];
    }
  }

  /** The cursor as it stands; undefined when it has not come into being. */
  #cursor(): MetaEntry | undefined {
    const { engine } = this.#core;
    const { group, channel, key } = this.#line;
    if (this.#view?.destroyed === true) throw channelNotFound(channel);
    const entry = engine.meta.get(key);
    // It was there and went, and with the channel there only the group can have taken it along.
    if (entry === undefined && this.#view !== undefined) throw groupNotFound(group);
    if (entry !== undefined) this.#view ??= engine.channel(channel);
    return entry;
  }

  /** Brings the cursor into being. @throws `channel-not-found`, `group-not-found` */
  async #open(): Promise<void> {
    const { group, channel } = this.#line;
    await this.#core.engine.write((draft) => openCursor(draft, this.#core.groups, group, channel), {
      ack: "written",
      signal: this.#signal,
    });
  }

  /** The messages from the cursor on, at least one; the cursor is moved behind them. */
  async #take(view: ChannelView, cursor: MetaEntry, from: bigint): Promise<ConsumerMessage[]> {
    const messages = await this.#line.read(this.#core.engine, view, from, this.#max, mostBytes);
    const last = messages.at(-1);
    assert(last !== undefined, `channel ${view.name} ends at ${view.endId}, so a read from ${from} finds a message`);
    await this.#move(cursor, last.id + 1n);
    this.#core.metrics.consumed(messages.length);
    return messages;
  }

  async #move(cursor: MetaEntry, to: bigint): Promise<void> {
    const { key } = this.#line;
    await this.#core.engine.write(
      (draft) => {
        if (draft.get(key)?.modRevision === cursor.modRevision) draft.put(key, encodeCursor(to));
      },
      { ack: "written", signal: this.#signal },
    );
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
