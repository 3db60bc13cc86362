/**
 * A pull loop at a cursor.
 *
 *          start          acked            handed over        next
 *     ───────┼──────────────┼───────────────────┼───────────────┼──▶ ids
 *                           cursor (stored)      may be acked    read when asked for
 *
 * It holds one array at a time; the next is read when it is asked for. (The engine looks ahead.) While it is open nobody else takes from the
 * cursor; only a seek replaces it, which starts a new epoch:
 *
 *     epoch 1: handed over 1–10, acked 5 │ seek 3 │ epoch 2: the next is 3; an ack of 8, handed over before, does nothing
 */
import { assert } from "../base/assert.js";
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import type { ChannelView, MetaEntry } from "../storage/index.js";
import { checkId } from "./arguments.js";
import type { Core } from "./core.js";
import type { CursorLine } from "./cursor-line.js";
import { cursorIn, encodeCursor, groupMadeAt, openCursor, requirePair } from "./cursor.js";
import type { Subscription } from "./door.js";
import { type Incarnation, incarnationOf, isStill } from "./incarnation.js";
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
  /** Which of its name the view is. */
  readonly incarnation: Incarnation;
  /** Another one belongs to another group of the same name. */
  readonly groupMadeAt: bigint | undefined;
  /** The cursor's `createRevision` when `next` was right; another one means that a seek came. */
  epoch: bigint;
  /** Where this epoch began. */
  start: bigint;
  /** Read next; what was handed over in this epoch is [start, next). */
  next: bigint;
}

/** One subscription; its cursor comes into being with it. */
export class GroupSubscription implements Subscription {
  readonly #core: Core;
  readonly #group: string;
  readonly #channel: string;
  /** The pair's, looked up anew when it is claimed: one that nobody uses may be forgotten, and there must not be two. */
  #line: CursorLine;
  readonly #plan: PullPlan;
  readonly #loop: PullLoop<ConsumerMessage[]>;
  #claimed = false;
  /** What the call of `subscribe` set going; undefined when it came to nothing, and the first next() has to try again. */
  #opened: Promise<Place> | undefined;
  #place: Place | undefined;
  /** The greatest id handed over, in any epoch. */
  #handedThrough: bigint | undefined;
  /** Handed over last, to be acknowledged when more is asked for. */
  #toAck: { readonly throughId: bigint; readonly epoch: bigint } | undefined;

  constructor(core: Core, group: string, channel: string, plan: PullPlan) {
    this.#core = core;
    this.#group = group;
    this.#channel = channel;
    this.#line = core.lines.of(group, channel);
    this.#plan = plan;
    core.loops.add(this);
    // Counted as a call: the queue closes once it has let go of the disk.
    const pull = (): Promise<ConsumerMessage[] | undefined> => core.call(() => this.#pull());
    this.#loop = new PullLoop({ what: "subscription", pull, onEnd: () => this.#onEnd(), signal: plan.signal });
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
    this.#line = this.#core.lines.of(this.#group, this.#channel);
    const obstacle = this.#line.claim();
    if (obstacle !== undefined) throw cursorTaken(this.#group, this.#channel, obstacle);
    this.#claimed = true;
    try {
      return await this.#find();
    } catch (error) {
      if (this.#claimed) this.#unclaim();
      throw error;
    }
  }

  async #find(): Promise<Place> {
    const [group, channel] = [this.#group, this.#channel];
    const after = this.#line.passage()?.then((how) => {
      if (how === "parked") throw cursorTaken(group, channel, "a consume waits");
    });
    const found = await this.#core.order.control(
      (draft) => {
        const cursor = openCursor(draft, this.#core.groups, group, channel);
        const next = cursorIn(cursor);
        const madeAt = groupMadeAt(draft, group);
        const incarnation = incarnationOf(draft, requirePair(draft, group, channel));
        return { next, start: next, epoch: cursor.createRevision, groupMadeAt: madeAt, incarnation };
      },
      { after },
    );
    const { engine } = this.#core;
    const view = engine.channel(channel);
    if (view === undefined || !isStill(found.incarnation, incarnationOf(engine.meta, view))) throw channelNotFound(channel);
    return { ...found, view };
  }

  async #pull(): Promise<ConsumerMessage[] | undefined> {
    this.#place ??= await this.#start();
    await this.#ackLast(this.#place);
    return this.#next(this.#place);
  }

  async #ackLast({ incarnation }: Place): Promise<void> {
    const last = this.#toAck;
    if (last === undefined) return;
    this.#toAck = undefined;
    await this.#moveCursor(incarnation, last.epoch, last.throughId, "written");
  }

  async #start(): Promise<Place> {
    const early = await this.#opened?.catch(() => undefined);
    if (early !== undefined) return early;
    // Nobody hears it any more, but the pair must not be taken for a loop that has ended.
    if (this.#loop.ended) throw closedError("subscription");
    return this.#open();
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
    if (engine.failure !== undefined) throw stoppedError(engine.failure);
    if (place.view.destroyed) throw channelNotFound(this.#channel);
    const cursor = this.#cursor();
    if (cursor === undefined || groupMadeAt(engine.meta, this.#group) !== place.groupMadeAt) throw groupNotFound(this.#group);
    if (place.epoch === cursor.createRevision) return;
    place.epoch = cursor.createRevision;
    place.start = cursorIn(cursor);
    place.next = place.start;
  }

  #cursor(): MetaEntry | undefined {
    return this.#core.engine.meta.get(this.#line.key);
  }

  #onTrimmed(place: Place): void {
    const { name, beginId } = place.view;
    if (this.#plan.onTrimmed === "error") throw positionTrimmed(name, place.next, beginId);
    this.#core.logger.warn(
      { channel: name, group: this.#group, from: place.next, to: beginId },
      "what came next was trimmed: going on behind it",
    );
    this.#core.events.emit({ type: "trimmed", channel: name, beginId, bytes: 0 });
    place.start = beginId;
    place.next = beginId;
  }

  /** The next messages, handed over; undefined when something has happened meanwhile and it must look again. */
  async #take(place: Place): Promise<ConsumerMessage[] | undefined> {
    const batch = await this.#read(place);
    const isSought = this.#line.seeks !== undefined || place.epoch !== this.#cursor()?.createRevision;
    if (batch === undefined || this.#loop.ended || isSought) return undefined;
    const last = batch.at(-1);
    assert(last !== undefined, `channel ${place.view.name} ends at ${place.view.endId}, so a read from ${place.next} finds a message`);
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
    await this.#moveCursor(place.incarnation, place.epoch, throughId, "durable");
  }

  /** Forward only; nothing if a seek comes first. @throws `channel-not-found`, `group-not-found` */
  async #moveCursor(incarnation: Incarnation, epoch: bigint, throughId: bigint, ack: "durable" | "written"): Promise<void> {
    const [group, channel, line] = [this.#group, this.#channel, this.#line];
    const moved = this.#core.engine.write(
      (draft) => {
        const found = requirePair(draft, group, channel);
        // Another channel of that name, made since.
        if (!isStill(incarnation, incarnationOf(draft, found))) throw channelNotFound(channel);
        const cursor = draft.get(line.key);
        if (cursor === undefined) throw groupNotFound(group);
        if (cursor.createRevision === epoch && cursorIn(cursor) <= throughId) draft.put(line.key, encodeCursor(throughId + 1n));
      },
      { ack },
    );
    line.expectMove(moved);
    await moved;
    this.#core.keeper.cursorMoved(channel);
  }

  #notHandedOver(throughId: bigint, handed: bigint | undefined): TidemarkError<"position-ahead"> {
    const known = handed === undefined ? "nothing was handed over yet" : `messages up to ${handed} were handed over`;
    const text = `${known} on channel ${JSON.stringify(this.#channel)}, so ${throughId} can't be acknowledged`;
    return new TidemarkError("position-ahead", text, { end: String(handed === undefined ? (this.#place?.start ?? 0n) : handed + 1n) });
  }
}
