/**
 * The queue as its users see it.
 *
 *     produce ─▶ channel "orders"   … 41 42 43 44 45
 *                                         ▲     ▲
 *                                     billing  dashboard      groups, each with a cursor a channel: the id it reads next
 *
 * A channel is a list of messages with rising ids. A group is a name; its place in a channel is a cursor. Groups do not take messages
 * from each other, and what is read stays until it is trimmed.
 */
import type { Abortable, Closable } from "../base/closable.js";
import type { RocksMqEvent } from "./events.js";
import type { ConsumerMessage, ProduceResult, ProducerMessage } from "./messages.js";

/**
 * What of a channel is kept. What is older or more than this is removed, oldest first, whole batches: when it comes of age, when an append makes
 * it too much, or when the last cursor has passed it. Empty: everything is kept.
 */
export interface Retention {
  /**
   * Milliseconds, by the wall clock. Batches that come of age one by one may go together, a thousandth of this late, a second at most; a minute where
   * the clock was set, or the machine slept. Messages dated more than a minute ahead of the clock, which was wrong once then, go after they have been
   * known for this long since the queue was opened, or twice as long if more of them came meanwhile; that is warned of (`logger`), once an open.
   */
  ageMs?: number | undefined;
  /** Stored bytes, as `ChannelDescription.bytes` counts them. With RocksDB what is kept may be off by less than a page (4 MiB, or one larger append). */
  bytes?: number | undefined;
  /**
   * What an existing cursor has not read stays in spite of the two above, with an event `retention-blocked`, up to this many bytes a channel;
   * then the oldest of it goes too, with an event `retention-forced`. Default 1 GiB. 0: cursors hold nothing back.
   */
  unreadBytesMax?: number | undefined;
}

/** How a channel is created. */
export interface CreateChannelOptions {
  /** Its own retention, `{}` to keep everything. Default: that of the queue's options, whatever it is at each open. */
  retention?: Retention | undefined;
  /** One that exists is left as it is. Default false: `channel-exists`. */
  ifNotExists?: boolean | undefined;
}

/** How a group is created. */
export interface CreateGroupOptions {
  /** Where its cursor on a channel starts when that comes into being, at the first consume, subscribe or seek there. "earliest" (default): at the
   *  channel's `beginId` of that moment. "latest": at the `endId` that the channel had when the group was created; a later channel's `beginId`. */
  from?: "earliest" | "latest" | undefined;
  /** One that exists is left as it is. Default false: `group-exists`. */
  ifNotExists?: boolean | undefined;
}

/** How long a consume or seek waits. */
export interface WaitOptions extends Abortable {
  /** Milliseconds, counted from the call. Default 0. */
  waitMs?: number | undefined;
}

/** How a subscription pulls. */
export interface SubscribeOptions extends Abortable {
  /** "auto" (default): a batch is acknowledged when the next one is asked for. "manual": only by `ack`. */
  ack?: "auto" | "manual" | undefined;
  /** Messages an array, 1–100,000. Default 1,000. */
  batch?: number | undefined;
  /** Bytes of payload and properties an array; a larger message comes alone. Default 16 MiB. */
  maxBytes?: number | undefined;
  /** What to do when what comes next was trimmed. "error" (default): `position-trimmed`. "earliest": go on at `beginId`, with an event `trimmed`. */
  onTrimmed?: "error" | "earliest" | undefined;
}

/** What a reader reads. */
export interface ReadOptions extends Abortable {
  /** "earliest": the channel's `beginId`. "latest": what is appended after `ready`. An id: itself, or the next one if it holds no message. */
  from: "earliest" | "latest" | bigint;
  /** Wait at the end for more. Default false: end at the end seen at the call. */
  follow?: boolean | undefined;
  /** Messages an array, 1–100,000. Default 1,000. */
  batch?: number | undefined;
  /** Bytes of payload and properties an array; a larger message comes alone. Default 16 MiB. */
  maxBytes?: number | undefined;
  /** Messages in all. Default: no limit. */
  limit?: number | undefined;
}

/**
 * An open queue. Calls take effect in the order they are made, awaited or not; what changes something resolves once it is durable, as
 * `durability` says. A wrong argument is `invalid-argument` before anything happens, and a call after `close()` is `closed`.
 */
export interface RocksMq extends Closable {
  /**
   * Makes an empty channel. Names: 1–255 bytes of UTF-8, no NUL, no "/".
   *
   * @throws `channel-exists`
   */
  createChannel(name: string, options?: CreateChannelOptions): Promise<void>;
  /**
   * Gives the channel a retention of its own in the place of what it had. What should go by it goes soon after.
   *
   * @throws `channel-not-found`
   */
  alterChannel(name: string, options: { retention: Retention }): Promise<void>;
  /**
   * Removes messages, cursors and metadata. Waits, reads and subscriptions on it end with `channel-not-found`. A later channel of that name is
   * empty, and its ids are higher.
   *
   * @throws `channel-not-found`
   */
  destroyChannel(name: string): Promise<void>;
  /** All names, ascending by their UTF-8 bytes. */
  channels(): Promise<string[]>;
  /** @throws `channel-not-found` */
  describeChannel(name: string): Promise<ChannelDescription>;

  /**
   * Makes a group: a name that spans channels. Names as for channels, and "/" is fine.
   *
   * @throws `group-exists`
   */
  createConsumerGroup(group: string, options?: CreateGroupOptions): Promise<void>;
  /**
   * Removes the group with all its cursors.
   *
   * @throws `group-not-found`
   */
  destroyConsumerGroup(group: string): Promise<void>;
  /** All names, ascending by their UTF-8 bytes. */
  consumerGroups(): Promise<string[]>;

  /**
   * Stores messages as one batch: all or none, in order, with consecutive ids. Resolves once the batch is durable; no reader of this process sees
   * it before. Produces on one channel are stored in call order. An abort before the batch was taken rejects with the signal's reason and
   * nothing is written; after that the real outcome comes.
   *
   * @throws `channel-not-found`; `too-large` (a message beyond `maxMessageBytes`, properties beyond 64 KiB, a batch beyond `maxPendingBytes`);
   * `overloaded` when it does not fit beside what is not durable yet; `disk-full`; `io-failed`. All but the last have written nothing.
   *
   * @example
   * ```ts
   * const { firstId } = await mq.produce("orders", [{ payload: new TextEncoder().encode("4 apples"), properties: { shop: "north" } }]);
   * ```
   */
  produce(channel: string, messages: readonly ProducerMessage[], options?: Abortable): Promise<ProduceResult>;

  /**
   * Up to `max` (1–100,000) messages from the group's cursor on, at most 128 MiB unless one alone is larger. Reading is acknowledging: the
   * cursor's move is written before it resolves, and synced within a second. So a killed process never gets a message twice; a power cut may
   * repeat the last reads. With `waitMs` it waits that long for a first message; [] when there is none. Concurrent consumes on one group and
   * channel queue in call order, behind a waiting one too. An aborted consume has moved nothing.
   *
   * @throws `channel-not-found`; `group-not-found`; `position-trimmed` when the cursor is below `beginId`; `conflict` while a subscription is
   * open on the pair; `corrupt`
   */
  consume(group: string, channel: string, max: number, options?: WaitOptions): Promise<ConsumerMessage[]>;

  /**
   * A pull loop from the group's cursor on. Open from this call until its loop ends or it is closed; meanwhile a consume or another
   * subscription on the pair is `conflict`. A `seek` is fine: the next batch starts there.
   *
   * @example
   * ```ts
   * for await (const batch of mq.subscribe("billing", "orders")) {
   *   await bill(batch);
   * }
   * ```
   */
  subscribe(group: string, channel: string, options?: SubscribeOptions): Subscription;

  /**
   * Moves the group's cursor: `id` is delivered next, or the next one if `id` holds no message. A waiting consume and an open subscription
   * go on from there.
   *
   * @throws `channel-not-found`; `group-not-found`; `position-trimmed` below `beginId`; `position-ahead` above `endId`, after `waitMs`
   */
  seek(group: string, channel: string, id: bigint, options?: WaitOptions): Promise<void>;
  /** Moves the group's cursor to the end: only messages appended after this resolves are delivered. */
  seekToLatest(group: string, channel: string): Promise<void>;
  /** Id of the last message; undefined when nothing is retained. */
  latestId(channel: string): Promise<bigint | undefined>;
  /** First message with `timeMs` at or after this; undefined when all are earlier. */
  idAt(channel: string, timeMs: number): Promise<bigint | undefined>;
  /**
   * Messages with a smaller id are gone for every reader when it resolves. Below `beginId` it does nothing. Only a message that goes counts: whoever
   * stands in a gap of the ids, all before it read, reads on.
   *
   * @throws `channel-not-found`; `position-ahead` above `endId`
   */
  trim(channel: string, beforeId: bigint): Promise<void>;

  /** Reads without group and acknowledgement. If what comes next was trimmed meanwhile it throws `position-trimmed`; it never skips. */
  read(channel: string, options: ReadOptions): Reader;

  /** What happens from now on; first what still holds: that this open had to recover, that the store has failed. Of a listener that is slow the last
   *  1,000 are kept; what was dropped is counted in the next one's `missed`. */
  events(): AsyncIterable<RocksMqEvent> & Closable;
  /** Refuses new calls with `closed`, finishes what was taken, rejects what waits with `closed` and effect "none"; iterators end. */
  close(): Promise<void>;
}

/** One loop at a time: a second iterator is `conflict`. What goes wrong is thrown by the iterator; close, abort and break end it quietly and for good. */
export interface Reader extends AsyncIterable<ConsumerMessage[]>, Closable {
  /** Resolves once its place is found; rejects with what the iterator throws. */
  readonly ready: Promise<void>;
}

/** One loop, as a `Reader`. What it handed over and nobody acknowledged is delivered again to whoever is next. */
export interface Subscription extends AsyncIterable<ConsumerMessage[]>, Closable {
  /**
   * Every message up to and including this id is done. Moves forward only. For messages handed over before a seek it does nothing.
   *
   * @throws `position-ahead` beyond what was handed over; `closed` once it has ended
   */
  ack(throughId: bigint): Promise<void>;
}

/** A channel at one moment. */
export interface ChannelDescription {
  readonly name: string;
  readonly createdAtMs: number;
  readonly retention: Retention;
  /** First retained id; `endId` when nothing is retained. */
  readonly beginId: bigint;
  /** Last id + 1. */
  readonly endId: bigint;
  readonly messages: bigint;
  /** What the retained messages take in the store, with all that belongs to them; exact but with `engine: "rocksdb"`, which tells it by the share of ids. */
  readonly bytes: bigint;
  /** The existing cursors, by the UTF-8 bytes of their groups. `lag`: messages still to read. */
  readonly groups: readonly { readonly group: string; readonly currentId: bigint; readonly lag: bigint }[];
}
