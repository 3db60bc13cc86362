/**
 * A pull loop at a cursor.
 *
 *          start          acked            handed over        next
 *     ───────┼──────────────┼───────────────────┼───────────────┼──▶ ids
 *                           cursor (stored)      may be acked    read when asked for
 *
 * It holds one array at a time; the next is read when it is asked for. (The engine looks ahead.) While it is open nobody else takes from the
 * cursor; only a seek moves it, which starts a new epoch:
 *
 *     epoch 1: handed over 1–10, acked 5 │ seek 3 │ epoch 2: the next is 3; an ack of 8, handed over before, does nothing
 */
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import type { ChannelView } from "../storage/index.js";
import { checkId } from "./arguments.js";
import type { Core } from "./core.js";
import type { CursorLine } from "./cursor-line.js";
import { cursorIn, encodeCursor, openCursor, requirePair } from "./cursor.js";
import type { Subscription } from "./door.js";
import type { ConsumerMessage } from "./messages.js";
import { PullLoop } from "./pull-loop.js";
import { channelNotFound, closedError, cursorTaken, groupNotFound, positionTrimmed, stoppedError } from "./refusals.js";

/** How to pull; all of it checked. */
export interface PullPlan {
  readonly ack: "auto" | "manual";
  readonly batch: number;
  readonly maxBytes: number;
  readonly onTrimmed: "error" | "earliest";
  readonly signal: AbortSignal | undefined;
}

/** Where a subscription stands. */
interface Place {
  readonly view: ChannelView;
  /** The line's when `next` was right; another one means that a seek came. */
  epoch: number;
  /** Where this epoch began. */
  start: bigint;
  /** Read next; what was handed over in this epoch is [start, next). */
  next: bigint;
}

/** One subscription; its cursor comes into being with it. */
export class GroupSubscription implements Subscription {
  readonly #core: Core;
  readonly #line: CursorLine;
  readonly #plan: PullPlan;
  readonly #loop: PullLoop<ConsumerMessage[]>;
  #claimed = false;
  /** What the call of `subscribe` set going; undefined when it came to nothing, and the first next() has to try again. */
  #opened: Promise<Place> | undefined;
  #place: Place | undefined;
  /** The greatest id handed over, in any epoch. */
  #handedThrough: bigint | undefined;
  /** Handed over last, to be acknowledged when more is asked for. */
  #toAck: { readonly throughId: bigint; readonly epoch: number } | undefined;

  constructor(core: Core, group: string, channel: string, plan: PullPlan) {
    this.#core = core;
    this.#line = core.lines.of(group, channel);
    this.#plan = plan;
    core.loops.add(this);
    this.#loop = new PullLoop({ what: "subscription", pull: () => this.#pull(), onEnd: () => this.#onEnd(), signal: plan.signal });
    if (!core.closed && !this.#loop.ended) this.#openEarly();
  }

  async ack(throughId: bigint): Promise<void> {
    checkId("throughId", throughId);
    this.#core.refuseChanges();
    if (this.#loop.ended) throw closedError("subscription");
    await this.#core.call(() => this.#ack(throughId));
  }

  end(): void {
    this.#loop.end();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<ConsumerMessage[], undefined> {
    return this.#loop.iterator();
  }

  #onEnd(): void {
    this.#core.loops.delete(this);
    if (!this.#claimed) return;
    this.#line.wake();
    this.#unclaim();
  }

  #unclaim(): void {
    this.#claimed = false;
    this.#line.unclaim();
  }

  /** At the call, so that its place among the other calls is kept. What is in its way may be gone by the first next(). */
  #openEarly(): void {
    const opened = this.#open();
    this.#opened = opened;
    opened.catch(() => {
      this.#opened = undefined;
    });
  }

  /** Takes the pair and finds the cursor. @throws `conflict`, `channel-not-found`, `group-not-found` */
  async #open(): Promise<Place> {
    this.#core.refuseChanges();
    const { group, channel } = this.#line;
    const obstacle = this.#line.claim();
    if (obstacle !== undefined) throw cursorTaken(group, channel, obstacle);
    this.#claimed = true;
    try {
      return await this.#find();
    } catch (error) {
      if (this.#claimed) this.#unclaim();
      throw error;
    }
  }

  async #find(): Promise<Place> {
    const { group, channel } = this.#line;
    const after = this.#line.passage()?.then((how) => {
      if (how === "parked") throw cursorTaken(group, channel, "a consume waits");
    });
    const found = await this.#core.order.control(
      (draft) => {
        const next = openCursor(draft, this.#core.groups, group, channel);
        return { next, start: next, epoch: this.#line.epoch, firstId: draft.channel(channel)?.firstId };
      },
      { after },
    );
    const view = this.#core.engine.channel(channel);
    if (view === undefined || view.firstId !== found.firstId) throw channelNotFound(channel);
    return { ...found, view };
  }

  async #pull(): Promise<ConsumerMessage[] | undefined> {
    this.#place ??= await this.#start();
    await this.#ackLast();
    return this.#next(this.#place);
  }

  async #ackLast(): Promise<void> {
    const last = this.#toAck;
    if (last === undefined) return;
    this.#toAck = undefined;
    await this.#core.call(() => this.#moveCursor(last.epoch, last.throughId, "written"));
  }

  async #start(): Promise<Place> {
    this.#core.refuseCalls();
    const early = await this.#opened?.catch(() => undefined);
    return early ?? this.#open();
  }

  async #next(place: Place): Promise<ConsumerMessage[] | undefined> {
    const line = this.#line;
    while (!this.#loop.ended) {
      if (line.seeks !== undefined) {
        await line.seeks;
        continue;
      }
      this.#followSeek(place);
      if (place.next < place.view.beginId) this.#onTrimmed(place);
      if (place.next < place.view.endId) {
        const batch = await this.#take(place);
        if (batch !== undefined) return batch;
      } else {
        this.#core.refuseWaits();
        await line.park(this.#core.waiters, { clock: this.#core.clock });
      }
    }
    return undefined;
  }

  /** Goes where the cursor was sought to. @throws when it has nowhere to go on */
  #followSeek(place: Place): void {
    const { engine } = this.#core;
    const { key, group, channel, epoch } = this.#line;
    if (engine.failure !== undefined) throw stoppedError(engine.failure);
    if (place.view.destroyed) throw channelNotFound(channel);
    const cursor = engine.meta.get(key);
    if (cursor === undefined) throw groupNotFound(group);
    if (place.epoch === epoch) return;
    place.epoch = epoch;
    place.start = cursorIn(cursor);
    place.next = place.start;
  }

  #onTrimmed(place: Place): void {
    const { name, beginId } = place.view;
    if (this.#plan.onTrimmed === "error") throw positionTrimmed(name, place.next, beginId);
    this.#core.logger.warn(
      { channel: name, group: this.#line.group, from: place.next, to: beginId },
      "what came next was trimmed: going on behind it",
    );
    this.#core.events.emit({ type: "trimmed", channel: name, beginId, bytes: 0 });
    place.start = beginId;
    place.next = beginId;
  }

  /** The next messages, handed over; undefined when something has happened meanwhile and it must look again. */
  async #take(place: Place): Promise<ConsumerMessage[] | undefined> {
    const line = this.#line;
    const batch = await this.#read(place);
    const last = batch?.at(-1);
    if (batch === undefined || last === undefined || this.#loop.ended || line.seeks !== undefined || place.epoch !== line.epoch)
      return undefined;
    place.next = last.id + 1n;
    if (this.#handedThrough === undefined || last.id > this.#handedThrough) this.#handedThrough = last.id;
    if (this.#plan.ack === "auto") this.#toAck = { throughId: last.id, epoch: place.epoch };
    this.#core.metrics.consumed(batch.length);
    return batch;
  }

  async #read({ view, next }: Place): Promise<ConsumerMessage[] | undefined> {
    try {
      return await this.#line.read(this.#core.engine, view, next, this.#plan.batch, this.#plan.maxBytes);
    } catch (error) {
      // Trimmed or destroyed since the look at the view: the next look finds it.
      if (view.destroyed || (isTidemarkError(error, "position-trimmed") && next < view.beginId)) return undefined;
      throw error;
    }
  }

  async #ack(throughId: bigint): Promise<void> {
    const place = this.#place;
    if (place !== undefined && throughId < place.start) return;
    const handed = this.#handedThrough;
    if (place === undefined || handed === undefined || throughId > handed) throw this.#notHandedOver(throughId, handed);
    // Handed over before a seek that went back.
    if (throughId >= place.next) return;
    await this.#moveCursor(place.epoch, throughId, "durable");
  }

  /** Forward only; nothing if a seek comes first. @throws `channel-not-found`, `group-not-found` */
  async #moveCursor(epoch: number, throughId: bigint, ack: "durable" | "written"): Promise<void> {
    const { key, group, channel } = this.#line;
    await this.#core.engine.write(
      (draft) => {
        requirePair(draft, group, channel);
        const cursor = draft.get(key);
        if (cursor === undefined) throw groupNotFound(group);
        if (this.#line.epoch === epoch && cursorIn(cursor) <= throughId) draft.put(key, encodeCursor(throughId + 1n));
      },
      { ack },
    );
  }

  #notHandedOver(throughId: bigint, handed: bigint | undefined): TidemarkError<"position-ahead"> {
    const known = handed === undefined ? "nothing was handed over yet" : `messages up to ${handed} were handed over`;
    const text = `${known} on channel ${JSON.stringify(this.#line.channel)}, so ${throughId} can't be acknowledged`;
    return new TidemarkError("position-ahead", text, { end: String(handed === undefined ? (this.#place?.start ?? 0n) : handed + 1n) });
  }
}
