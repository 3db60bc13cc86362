/**
 * Keeps channels within their retention. Nothing is looked at unasked:
 *
 *     append ──▶ more bytes than the channel keeps? ──┐
 *     timer  ──▶ the oldest batch comes of age ───────┼─▶ its turn: oldest batches ▸ plan ▸ one trim ▸ events ▸ when next?
 *     cursor ──▶ moved where it held something back ──┤
 *     trim   ──▶ took what was held back ─────────────┘
 *
 * Many small channels at once, or a few large ones, whose trims share a sync; each of them only once. A trim is decided in its turn of the engine, by the cursors as they stand there.
 */
import type { Clock } from "../base/clock.js";
import type { Logger } from "../base/logger.js";
import type { ChannelView, Draft, Engine, MetaView, RetainedBatch } from "../storage/index.js";
import { retentionOf } from "./channel-record.js";
import { cursorIn } from "./cursor.js";
import type { Retention } from "./door.js";
import { DueTimes } from "./due-times.js";
import type { Events } from "./events.js";
import { channelKey, cursorKey, groupsIn } from "./keys.js";
import { believable, type ClockReading, farAheadMs, knownAtMs, type KnownSince } from "./known-age.js";
import { type GroupPlace, planRetention, type RetentionPlan } from "./retention-plan.js";

/** A timer knows nothing of a wall clock that is set, or of a machine that slept: the clock is looked at again after a minute. */
const longestTimerMs = 60_000;
/** Channels at once: alone, each trim would wait for a sync of its own, and ten thousand channels that come of age for ten thousand. */
const mostAtOnce = 256;
/** What is read in for them at once; of a channel about a mebibyte at the most. */
const mostBytesAtOnce = 8 * 1024 * 1024;
const mostBytesOfOne = 1024 * 1024;
/** Batches that come of age one by one go together, this much late at most, or by a thousandth of their age. */
const mostLateMs = 1000;
/** What could not be done, on a full disk or a bad place, is tried again so much later at the most. */
const retryMs = 1000;

/** What the keeper works with. */
export interface KeeperParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: Events;
  /** Of channels without their own. */
  readonly usual: Retention;
}

/** A channel that does not keep everything. */
interface Kept {
  readonly view: ChannelView;
  readonly retention: Retention;
  /** The oldest, as they were looked up last: those below the channel's begin are gone. */
  batches: readonly RetainedBatch[];
  /** Whose cursors hold back what should go; undefined when none does. */
  blockedBy: string | undefined;
  /** Set while the oldest messages are dated far ahead of the clock. */
  known: KnownSince | undefined;
}

/** See above. Of a queue that is only read it does nothing. */
export class RetentionKeeper {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #events: Events;
  readonly #usual: Retention;
  readonly #kept = new Map<string, Kept>();
  /** By the wall clock: when a channel's oldest batch comes of age, or may. */
  readonly #due = new DueTimes();
  /** What could not be done: by the monotonic clock, since the wall clock may be set meanwhile. One timer for all. */
  readonly #failed = new Set<string>();
  #cancelRetry: (() => void) | undefined;
  /** Channels whose turn has come. */
  readonly #waiting = new Set<string>();
  #working: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #timerMs = Infinity;
  /** The wall clock less the monotonic one: the most that it was when something was found due, since the clock went back last. */
  #clockOffsetMs: number;
  #hasWarned = false;
  #stopped: boolean;

  constructor({ engine, clock, logger, events, usual }: KeeperParts) {
    this.#engine = engine;
    this.#clock = clock;
    this.#logger = logger;
    this.#events = events;
    this.#usual = usual;
    this.#clockOffsetMs = clock.nowMs() - clock.monotonicMs();
    this.#stopped = engine.readOnly;
    if (!this.#stopped) for (const { name } of engine.channels()) this.adopt(name);
  }

  /** A channel is there, or has got another retention. */
  adopt(name: string): void {
    if (this.#stopped) return;
    this.#forget(name);
    const view = this.#engine.channel(name);
    const retention = retentionOf(this.#engine.meta.get(channelKey(name)), this.#usual);
    if (view === undefined || (retention.ageMs === undefined && retention.bytes === undefined)) return;
    this.#kept.set(name, { view, retention, batches: [], blockedBy: undefined, known: undefined });
    this.appended(view);
  }

  /** The channel holds more than before. Called for every group of every channel. */
  appended(view: ChannelView): void {
    const kept = this.#kept.get(view.name);
    if (kept?.view !== view) return;
    const { ageMs, bytes, unreadBytesMax } = kept.retention;
    const { sinceMs } = view;
    if (kept.blockedBy !== undefined) {
      if (unreadBytesMax === undefined || view.bytes > unreadBytesMax) this.#enqueue(view.name);
      return;
    }
    if (bytes !== undefined && view.bytes > bytes) this.#enqueue(view.name);
    if (ageMs !== undefined && sinceMs !== undefined && !this.#due.has(view.name) && !this.#failed.has(view.name)) {
      this.#dueByAge(kept, sinceMs + ageMs);
    }
  }

  /** A cursor on the channel has moved on, or is gone. */
  cursorMoved(name: string): void {
    if (this.#kept.get(name)?.blockedBy !== undefined) this.#enqueue(name);
  }

  /** What a cursor held back may be gone. */
  trimmed(view: ChannelView): void {
    this.cursorMoved(view.name);
  }

  destroyed(view: ChannelView): void {
    if (this.#kept.get(view.name)?.view === view) this.#forget(view.name);
  }

  /** Resolves once it does nothing any more. */
  async close(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    this.#cancelRetry?.();
    await this.#working;
  }

  #forget(name: string): void {
    this.#kept.delete(name);
    this.#due.delete(name);
    this.#failed.delete(name);
    this.#events.letGo(`retention/${name}`);
  }

  #enqueue(name: string): void {
    if (this.#stopped) return;
    this.#waiting.add(name);
    this.#start();
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // One may have come while the last was ending.
      if (this.#waiting.size > 0 && !this.#stopped) this.#start();
    });
  }

  async #work(): Promise<void> {
    // What set it off may be in the middle of telling others.
    await Promise.resolve();
    while (this.#waiting.size > 0 && !this.#stopped) {
      await Promise.all(this.#takeWaiting().map((name) => this.#keepSafely(name)));
    }
  }

  /** As many as may be read in at once; at least one, if any waits. */
  #takeWaiting(): string[] {
    const names: string[] = [];
    let bytes = 0;
    for (const name of this.#waiting) {
      if (names.length >= mostAtOnce || bytes >= mostBytesAtOnce) break;
      bytes += Math.min(this.#kept.get(name)?.view.bytes ?? 0, mostBytesOfOne);
      names.push(name);
    }
    for (const name of names) this.#waiting.delete(name);
    return names;
  }

  async #keepSafely(name: string): Promise<void> {
    const kept = this.#kept.get(name);
    if (kept === undefined || this.#stopped || this.#engine.failure !== undefined) return;
    try {
      await this.#keep(kept);
    } catch (error) {
      if (kept.view.destroyed || this.#stopped) return;
      this.#logger.error({ err: error, channel: name }, "retention could not be kept; it is tried again");
      this.#tryAgain(name);
    }
  }

  #tryAgain(name: string): void {
    if (!this.#kept.has(name)) return;
    this.#failed.add(name);
    this.#cancelRetry ??= this.#clock.setTimer(retryMs, () => {
      this.#cancelRetry = undefined;
      for (const failed of this.#failed) this.#enqueue(failed);
      this.#failed.clear();
    });
  }

  /** Removes what should go of one channel. */
  async #keep(kept: Kept): Promise<void> {
    const { view } = kept;
    this.#due.delete(view.name);
    this.#failed.delete(view.name);
    for (;;) {
      const oldest = await this.#oldest(kept);
      // Times never go down: behind one of a right date there may be others, and of these the last.
      this.#know(kept, oldest.batches.at(-1)?.timeMs);
      const now = this.#plan(kept, oldest, this.#engine.meta);
      // Most often nothing goes, and that needs no turn of the engine.
      const plan = now.beforeId === undefined ? now : await this.#engine.write((draft) => this.#trim(kept, oldest, draft));
      if (plan === undefined) continue;
      this.#tell(kept, plan);
      if (plan.nextMs !== undefined) this.#dueByAge(kept, plan.beforeId === undefined ? plan.nextMs : this.#notAtOnce(kept, plan.nextMs));
      if (!plan.isCutOff) return;
    }
  }

  /** The channel's oldest batches and its size, both of this moment. */
  async #oldest(kept: Kept): Promise<Oldest> {
    const { view } = kept;
    for (;;) {
      const { beginId, bytes, endId } = view;
      const batches = kept.batches.filter(({ lastId }) => lastId >= beginId);
      // Of one that somebody's trim has cut meanwhile less is there than was told.
      const isCut = (batches[0]?.firstId ?? beginId) < beginId;
      if ((batches.length > 0 && !isCut) || beginId === endId || bytes === 0) return { beginId, bytes, batches };
      kept.batches = await this.#engine.oldestBatches(view);
      if (kept.batches.length === 0) return { beginId, bytes, batches };
    }
  }

  /** In its turn. Undefined when the channel has been trimmed by somebody else meanwhile. */
  #trim(kept: Kept, oldest: Oldest, draft: Draft): RetentionPlan | undefined {
    const { name, firstId } = kept.view;
    const channel = draft.channel(name);
    if (channel?.firstId !== firstId || this.#kept.get(name) !== kept) return nothing;
    if (channel.beginId !== oldest.beginId) return undefined;
    const plan = this.#plan(kept, oldest, draft);
    if (plan.beforeId !== undefined) draft.trim(name, plan.beforeId, plan.bytes);
    return plan;
  }

  #plan({ view, retention, known }: Kept, { batches, bytes }: Oldest, meta: MetaView): RetentionPlan {
    const reading = this.#read();
    const believed = known === undefined ? batches : batches.map((batch) => believable(batch, known, reading));
    return planRetention({ batches: believed, bytes, retention, nowMs: reading.nowMs, cursors: cursorsOn(meta, view.name) });
  }

  #read(): ClockReading {
    return { nowMs: this.#clock.nowMs(), monotonicMs: this.#clock.monotonicMs() };
  }

  /**
   * Begins to count how long messages are known, if one of them is dated far ahead; those that come later have to wait until these are gone.
   * A view's `sinceMs` tells nothing here: after a trim it may still be the time of what is gone.
   */
  #know(kept: Kept, latestMs: number | undefined): void {
    const { view, known, retention } = kept;
    if (retention.ageMs === undefined || (known !== undefined && view.beginId < known.endId)) return;
    const { nowMs, monotonicMs } = this.#read();
    const aheadMs = (latestMs ?? nowMs) - nowMs;
    kept.known = aheadMs > farAheadMs ? { endId: view.endId, monotonicMs } : undefined;
    if (kept.known === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    const text =
      "messages are dated ahead of the clock, which must have been wrong once, or is wrong now: in all channels such messages go by age " +
      "once they have been known for that long since the queue was opened; set the clock right, and use trim or retention by bytes for what must go before";
    this.#logger.warn({ channel: view.name, aheadMs }, text);
  }

  /** Due when what stays comes of age by its date, or earlier if that is not to be believed. */
  #dueByAge(kept: Kept, dueMs: number): void {
    const { ageMs = 0 } = kept.retention;
    this.#know(kept, dueMs - ageMs);
    const knownMs = kept.known === undefined ? Infinity : knownAtMs(kept.known, this.#read()) + ageMs;
    this.#dueAt(kept, Math.min(dueMs, knownMs));
  }

  /** What was due by a clock that has gone back since may be due much earlier. */
  #heedClock(): void {
    if (this.#offset() >= this.#clockOffsetMs - farAheadMs) return;
    this.#clockOffsetMs = this.#offset();
    for (const kept of this.#kept.values()) {
      const dueMs = this.#due.get(kept.view.name);
      if (dueMs !== undefined) this.#dueByAge(kept, dueMs);
    }
  }

  #offset(): number {
    const { nowMs, monotonicMs } = this.#read();
    return nowMs - monotonicMs;
  }

  #tell(kept: Kept, { forced, blocked }: RetentionPlan): void {
    const { name: channel } = kept.view;
    if (forced.messages > 0n) {
      this.#events.emit({ type: "retention-forced", channel, ...forced });
      this.#logger.warn({ channel, ...forced }, "unread messages have gone: there were more than the channel keeps");
    }
    const blockedBy = blocked?.groups.join("\0");
    if (blockedBy === kept.blockedBy) return;
    kept.blockedBy = blockedBy;
    this.#events.letGo(`retention/${channel}`);
    if (blocked === undefined) return;
    this.#events.hold(`retention/${channel}`, { type: "retention-blocked", channel, ...blocked });
    this.#logger.warn({ channel, ...blocked }, "unread messages are kept beyond the channel's retention");
  }

  #notAtOnce({ retention }: Kept, nextMs: number): number {
    return Math.max(nextMs, this.#clock.nowMs() + Math.min(mostLateMs, (retention.ageMs ?? 0) / 1000));
  }

  #dueAt({ view }: Kept, dueMs: number): void {
    if (!this.#kept.has(view.name)) return;
    this.#due.set(view.name, dueMs);
    this.#clockOffsetMs = Math.max(this.#clockOffsetMs, this.#offset());
    this.#setTimer();
  }

  /** What is due now gets its turn; the one timer is for whatever is due first of the rest. */
  #setTimer(): void {
    for (let name = this.#takeDue(); name !== undefined; name = this.#takeDue()) this.#enqueue(name);
    const { nextMs } = this.#due;
    if (this.#stopped || nextMs >= this.#timerMs) return;
    this.#cancelTimer?.();
    this.#timerMs = nextMs;
    const waitMs = Math.min(longestTimerMs, Math.max(0, nextMs - this.#clock.nowMs()));
    this.#cancelTimer = this.#clock.setTimer(waitMs, () => {
      this.#timerMs = Infinity;
      this.#heedClock();
      this.#setTimer();
    });
  }

  #takeDue(): string | undefined {
    return this.#due.take(this.#clock.nowMs());
  }
}

interface Oldest {
  readonly beginId: bigint;
  readonly bytes: number;
  readonly batches: readonly RetainedBatch[];
}

/** Of a channel that is gone, or whose retention is another one now. */
const nothing: RetentionPlan = planRetention({ batches: [], bytes: 0, nowMs: 0, retention: {}, cursors: [] });

function cursorsOn(meta: MetaView, channel: string): GroupPlace[] {
  return groupsIn(meta).flatMap((group) => {
    const cursor = meta.get(cursorKey(group, channel));
    return cursor === undefined ? [] : [{ group, currentId: cursorIn(cursor) }];
  });
}
