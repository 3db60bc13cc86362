/**
 * What users of message streams hold in their hands.
 */
import type { Abortable, Closable } from "../base/closable.js";
import type { MessageId, MsgPack, MsgPosition, TsMsg } from "../message/index.js";
import type { StreamOptions, TtOptions } from "./options.js";
import type { RepackFunc } from "./repack.js";
import type { MsgStreamEvent } from "./stream-events.js";

/** Makes streams over one set of channels. */
export interface MsgStreamFactory extends Closable {
  /**
   * Options for streams made later; what is left out stays as it was.
   *
   * @throws `invalid-argument` for an unknown key, or a value of the wrong kind
   */
  setParams(params: StreamOptions): void;
  /** A stream that hands over messages as they stand in the channels. */
  newMsgStream(): Promise<MsgStream>;
  /**
   * A stream that hands over packs that are complete up to a tick.
   *
   * @throws `invalid-argument`
   */
  newTtMsgStream(options?: TtOptions): Promise<MsgStream>;
  /** Closes the streams that it made. Idempotent. */
  close(): Promise<void>;
}

/** Where a consumer begins in its channels. */
export type ConsumerPosition = "resume" | "earliest" | "latest" | "unknown";

/** How a stream is sent elsewhere. */
export interface SeekOptions extends Abortable {
  /** Plain streams only: `msgId` itself is delivered too. Default false. */
  inclusive?: boolean | undefined;
  /** How long to wait for a position that a channel has not reached yet, in milliseconds. Default: not at all. */
  timeoutMs?: number | undefined;
}

/**
 * Many channels as one stream of packs: a consumer side, a producer side, or both.
 *
 * One iterator or waiting `consume` at a time, else `conflict`.
 *
 * @example
 * ```ts
 * const stream = await factory.newTtMsgStream();
 * await stream.asConsumer(["airport-jfk", "airport-ams"], "board");
 * for await (const pack of stream) {
 *   for (const msg of pack.msgs) show(msg);
 *   await keep(pack.endPositions.map(positionToBytes));
 * }
 * ```
 */
export interface MsgStream extends AsyncIterable<MsgPack>, Closable {
  /** Starts reading. Idempotent; `consume` and iteration imply it. */
  start(): void;
  /**
   * Makes it write to these channels, besides those that it writes to already; missing ones are created. Their order is that of the buckets.
   *
   * @throws `invalid-argument` for a name that can't be one, and then none is added
   */
  asProducer(channels: readonly string[]): Promise<void>;
  /**
   * Makes it read these channels, besides those that it reads already, of which nothing changes; missing ones are created. May be called again, also while running.
   *
   * @param subName under which the places of these channels are kept: one stream at a time should use a name, else "resume" is where the last pack of either was handled
   * @param position "resume" (default): behind the last pack that this subscription name handled, else "earliest". "latest": only what is written after this
   * resolves. "unknown": nothing, until `seek`
   * @throws `invalid-argument`; `position-trimmed` when what it would resume at is gone. None of the channels is added then
   */
  asConsumer(channels: readonly string[], subName: string, position?: ConsumerPosition): Promise<void>;
  /** Spreads messages over the channels by this from now on. It gets the messages and, per message, the bucket of each hash key: an index into `asProducer`'s channels. */
  setRepackFunc(f: RepackFunc): void;
  /**
   * Writes the messages, spread by their hash keys: by the type of the first, or as `setRepackFunc` says. Resolves once all are durable, with their ids by channel, in
   * order. Nothing is written of an empty pack. What goes to one channel is stored as one group; there is no such promise between channels.
   *
   * Of an insert, unless a function of your own spreads it, each row becomes a message with an id of its own; an insert of one row keeps the id that it has.
   *
   * @throws `not-initialized` before `asProducer`; `invalid-argument` for messages and hash keys that do not go together, nothing written; whatever a channel
   * refuses or fails with: then `details.written` has the ids that were written, by channel
   */
  produce(pack: { readonly msgs: readonly TsMsg[] }, options?: Abortable): Promise<Map<string, MessageId[]>>;
  /**
   * Writes every message to every channel. Resolves once all are durable, with their ids by channel, in order.
   *
   * @throws as `produce`; `invalid-argument` for an empty pack
   */
  broadcast(pack: { readonly msgs: readonly TsMsg[] }, options?: Abortable): Promise<Map<string, MessageId[]>>;
  /**
   * The next pack; undefined once closed. A pack counts as handled when the next one is asked for; only then does "resume" move. It waits as long as there is
   * none, also where the stream reads no channel yet: `asConsumer` may come later.
   *
   * @throws `signal.reason`, and no pack is lost; what ended the stream: `overloaded`, `corrupt`, `position-trimmed`, `channel-not-found`, `closed` when what it reads
   * from was closed under it
   */
  consume(options?: Abortable): Promise<MsgPack | undefined>;
  /**
   * Sends the stream elsewhere, at any time: a hand-over in progress ends first, packs that wait are dropped, a waiting `consume` goes on from the new place.
   * Channels that are not named go on behind the last pack that was handed over. Resolves when the readers stand.
   *
   * A plain stream goes on behind `msgId`. A time-tick stream goes on with everything whose endTs is after the timestamp, found from `msgId` on, and, behind
   * `readMsgId`, also with what is late, flagged. No `msgId`: from the earliest.
   *
   * @param position one, or several: one a channel, all or none
   * @throws `invalid-argument`, `backend-mismatch`, `position-trimmed`, `position-ahead`, `timeout`: the stream is where it was
   */
  seek(position: MsgPosition | readonly MsgPosition[], options?: SeekOptions): Promise<void>;
  /** The last message that a channel of this stream holds; undefined when it holds none. @throws `invalid-argument` for another channel */
  latestMessageId(channel: string): Promise<MessageId | undefined>;
  /**
   * For people and alarms. Up to 1,000 wait for a slow listener, then the oldest are dropped and counted in `missed`. The loop ends, without an error, once
   * the stream is closed, or what it reads from.
   */
  events(): AsyncIterable<MsgStreamEvent> & Closable;
  /** Ends iterators and waits, settles what is being written. Idempotent. The pack that was handed over last does not count as handled. */
  close(): Promise<void>;
}
