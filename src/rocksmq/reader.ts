/**
 * Reading a channel without a group.
 *
 *     find the place ─▶ ready ─▶ read ─▶ hand over ─▶ read …      follow: park at the end
 *
 * It holds one array at a time: the next is read when it is asked for. (The engine looks ahead.)
 */
import type { ChannelReader, ChannelView, Draft } from "../storage/index.js";
import type { Core } from "./core.js";
import type { ReadOptions, Reader } from "./door.js";
import { type Incarnation, incarnationOf, isStill } from "./incarnation.js";
import type { ConsumerMessage } from "./messages.js";
import type { Parked } from "./parked.js";
import { PullLoop } from "./pull-loop.js";
import { channelNotFound, closedError, positionAhead, positionTrimmed } from "./refusals.js";

/** What one array may hold in bytes, unless one message alone is larger. */
export const batchBytes = 16 * 1024 * 1024;

/** How to read; all of it checked. */
export interface ReadPlan {
  readonly from: ReadOptions["from"];
  readonly follow: boolean;
  readonly batch: number;
  readonly maxBytes: number;
  /** Infinity: no limit. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** Where a reader stands. */
interface Place {
  readonly view: ChannelView;
  readonly reader: ChannelReader;
  /** Read next. */
  next: bigint;
  /** Not read: it came later than the call. Undefined: follow. */
  readonly until: bigint | undefined;
}

/** One read; opens itself. */
export class MessageReader implements Reader {
  readonly ready: Promise<void>;
  readonly #core: Core;
  readonly #channel: string;
  readonly #plan: ReadPlan;
  readonly #place: Promise<Place>;
  readonly #loop: PullLoop<ConsumerMessage[]>;
  #left: number;
  /** Set while it waits at the end. */
  #parked: Parked | undefined;
  #onAtEnd: () => void = () => undefined;
  #keepAlive = true;
  #endReady: (reason: unknown) => void = () => undefined;

  constructor(core: Core, channel: string, plan: ReadPlan) {
    this.#core = core;
    this.#channel = channel;
    this.#plan = plan;
    this.#left = plan.limit;
    this.#place = this.#find();
    const ended = new Promise<never>((_, reject) => {
      this.#endReady = reject;
    });
    this.ready = Promise.race([this.#place.then(() => undefined), ended]);
    // Whoever does not wait for it gets the same error out of the loop.
    this.ready.catch(() => undefined);
    core.loops.add(this);
    // Counted as a call: the queue closes once it has let go of the disk.
    const pull = (): Promise<ConsumerMessage[] | undefined> => core.call(() => this.#pull());
    this.#loop = new PullLoop({ what: "reader", pull, onEnd: () => this.#onEnd(), signal: plan.signal });
  }

  /** See `FollowingReader`. */
  get atEnd(): boolean {
    return this.#parked !== undefined;
  }

  /** See `FollowingReader`. */
  whenAtEnd(f: () => void): void {
    this.#onAtEnd = f;
  }

  /** See `FollowingReader`. */
  holdNothing(): void {
    this.#keepAlive = false;
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
    const { signal } = this.#plan;
    this.#core.loops.delete(this);
    this.#parked?.ring();
    this.#endReady(signal?.aborted === true ? signal.reason : closedError("reader"));
  }

  /** @throws `channel-not-found`, `position-trimmed`, `position-ahead` */
  async #find(): Promise<Place> {
    const { engine } = this.#core;
    const { from, follow } = this.#plan;
    this.#core.refuseCalls();
    const drafted = await this.#endInTurn();
    const view = engine.channel(this.#channel);
    // One of that name made since the call is another channel.
    if (view === undefined || (drafted !== undefined && !isStill(drafted.incarnation, incarnationOf(engine.meta, view))))
      throw channelNotFound(this.#channel);
    const { beginId, endId } = view;
    const latest = drafted?.endId ?? endId;
    const next = from === "earliest" ? beginId : from === "latest" ? latest : from;
    if (next < beginId) throw positionTrimmed(this.#channel, next, beginId);
    if (next > endId) throw positionAhead(this.#channel, next, endId);
    return { view, reader: engine.reader(view), next, until: follow ? undefined : latest };
  }

  /** The end that the channel has after all calls before this one; undefined when that is the visible one. */
  async #endInTurn(): Promise<Found | undefined> {
    const { engine, order, lookout } = this.#core;
    if (engine.readOnly) {
      await lookout.look();
      return undefined;
    }
    if (order.caughtUp() === undefined || engine.failure !== undefined) return undefined;
    // A produce called right after this read is later than it, also when both are stored in one go.
    return order.write((draft) => found(draft, this.#channel));
  }

  async #pull(): Promise<ConsumerMessage[] | undefined> {
    const place = await this.#place;
    const { clock, lookout, waiters } = this.#core;
    while (!this.#loop.ended && this.#left > 0) {
      if (lookout.waitMs === 0) await lookout.look();
      // Whoever ended it meanwhile found nobody parked to wake.
      if (this.#loop.ended) return undefined;
      const { view, next, until } = place;
      if (view.destroyed) throw channelNotFound(view.name);
      if (until !== undefined && next >= until) return undefined;
      if (next < view.beginId) throw positionTrimmed(view.name, next, view.beginId);
      if (next < view.endId) return this.#take(place);
      // A power cut under the writer may have taken away what was seen at the call, and was not acked.
      if (until !== undefined && this.#core.engine.readOnly) return undefined;
      this.#core.refuseWaits();
      await waiters.park(view.name, { clock, waitMs: lookout.waitMs, keepAlive: this.#keepAlive }, (parked) => this.#atEnd(parked));
      this.#parked = undefined;
    }
    return undefined;
  }

  #atEnd(parked: Parked): void {
    this.#parked = parked;
    this.#onAtEnd();
  }

  async #take(place: Place): Promise<ConsumerMessage[] | undefined> {
    const read = await place.reader.read(place.next, Math.min(this.#plan.batch, this.#left), this.#plan.maxBytes);
    const messages = upTo(place.until, read);
    const last = messages.at(-1);
    if (last === undefined) return undefined;
    place.next = last.id + 1n;
    this.#left -= messages.length;
    return messages;
  }
}

/** The channel as it is in one turn. Its fields are copied: they may move with what is drafted later. */
interface Found {
  readonly incarnation: Incarnation;
  readonly endId: bigint;
}

function found(draft: Draft, channel: string): Found {
  const drafted = draft.channel(channel);
  if (drafted === undefined) throw channelNotFound(channel);
  return { incarnation: incarnationOf(draft, drafted), endId: drafted.endId };
}

function upTo(until: bigint | undefined, messages: ConsumerMessage[]): ConsumerMessage[] {
  const last = messages.at(-1);
  return until === undefined || last === undefined || last.id < until ? messages : messages.filter(({ id }) => id < until);
}
