// The contract, copied: tidemark/rocksmq, the embedded, durable queue. Members that later issues bring are in it: what is not built yet must be refused, not missing.
import type { Abortable, Clock, Closable, Logger, Metrics } from "./common.js";
import type { IdAllocator } from "./meta.js";
import type { Vfs } from "./testing.js";

export function openRocksMq(options: RocksMqOptions): Promise<RocksMq>;

export interface RocksMqOptions {
  dir: string;
  /** Default "segment". "rocksdb" needs the optional peer `@nxtedition/rocksdb`. A directory of the other engine: `invalid-argument`. */
  engine?: "segment" | "rocksdb" | undefined;
  /** Takes no lock and writes nothing, beside a live writer or alone; every write, consume, seek and ack is `read-only`. Reads see all that was acked
   *  when they began, perhaps also a last group not yet acked (a power cut may take that one away again; its ids never come back); `follow` looks again at least every 200 ms. */
  readOnly?: boolean | undefined;
  /** "sync" (default): acks after fdatasync. "os": acks after write; a process kill loses nothing, a power cut may.
   *  everyMs: as "os", and synced at least that often; a power cut loses at most that much and one sync. */
  durability?: "sync" | "os" | { everyMs: number } | undefined;
  /** For channels created without their own. Default: keep everything. */
  retention?: Retention | undefined;
  /** Segments grow to this size. Default 64 MiB (the first one is 1 MiB, each next up to 4 times larger; a larger batch gets a segment of its own size). */
  segmentBytes?: number | undefined;
  /** Zero-fill the next segment ahead of need: "auto" (default; begins at 1 MB/s held for 1 s) or "off". */
  prefill?: "auto" | "off" | undefined;
  /** Payload and properties of one message. Default 16 MiB: beyond it `too-large`, nothing written. */
  maxMessageBytes?: number | undefined;
  /** Produced and not yet durable. Default 64 MiB: a produce that does not fit now rejects with `overloaded`, effect none; one that never fits is `too-large`. */
  maxPendingBytes?: number | undefined;
  /** One alloc(n) a produce. A range of the wrong size or one that goes back: `invalid-argument`, nothing written. Default: internal ids. */
  ids?: IdAllocator | undefined;
  clock?: Clock | undefined;
  vfs?: Vfs | undefined;
  metrics?: Metrics | undefined;
  logger?: Logger | undefined;
}

/** What is older or more than this is removed, oldest first, whole batches. */
export interface Retention {
  ageMs?: number | undefined;
  bytes?: number | undefined;
  /** Messages that an existing cursor has not read are kept in spite of the two above, up to this many bytes a channel (default 1 GiB);
   *  then they go too, with a `retention-forced` event. 0: cursors never hold anything back. */
  unreadBytesMax?: number | undefined;
}

/** create, destroy, alter, seek, trim and ack resolve once durable as `durability` says. Order of calls = order of effect, awaited or not. */
export interface RocksMq extends Closable {
  /** Name: 1–255 bytes of UTF-8, no NUL, no "/". Exists: `channel-exists`, or nothing with `ifNotExists`. */
  createChannel(name: string, options?: { retention?: Retention | undefined; ifNotExists?: boolean | undefined }): Promise<void>;
  alterChannel(name: string, options: { retention: Retention }): Promise<void>;
  /** Removes messages, cursors and metadata; space is given back. Waits, reads and subscriptions there end with `channel-not-found`.
   *  A later channel of that name is empty and its ids are higher. */
  destroyChannel(name: string): Promise<void>;
  /** Sorted by name (UTF-8 bytes). */
  channels(): Promise<string[]>;
  describeChannel(name: string): Promise<ChannelDescription>;

  /** A group is a name that spans channels; "/" is allowed. `group-exists`, or nothing with `ifNotExists`.
   *  `from` says where its cursor on a channel starts when that comes into being (first consume, subscribe or seek there): "earliest" (default) = the channel's
   *  beginId at that moment; "latest" = the endId the channel had when the group was created (channels made later: their beginId). */
  createConsumerGroup(
    group: string,
    options?: { from?: "earliest" | "latest" | undefined; ifNotExists?: boolean | undefined },
  ): Promise<void>;
  destroyConsumerGroup(group: string): Promise<void>;
  consumerGroups(): Promise<string[]>;

  /** Stores the messages as one batch: all or none, in order, with consecutive ids. Resolves once durable as `durability` says.
   *  Produces on one channel are stored in call order. A message is visible to readers of this process only once it would be acked.
   *  Payloads must not change until it settles. Aborted before the batch is taken: rejects, not written; after: the real outcome.
   *  Empty batch: { firstId: -1n, lastId: -1n, count: 0 } (still `channel-not-found` if unknown). */
  produce(channel: string, messages: readonly ProducerMessage[], options?: Abortable): Promise<ProduceResult>;

  /** Up to `max` (1–100,000) messages from the group's cursor on; reading is acknowledging, as in the seed. Concurrent consumes on one (group, channel) queue in
   *  call order, behind a waiting one too. With `waitMs` it waits that long for a first message; [] when there is none. An aborted consume has moved nothing.
   *  The cursor's move is written before it resolves, synced with the next group, at the latest after 1 s and at close: a killed process never gets a message
   *  again, a power cut may repeat the last reads. Cursor below beginId: `position-trimmed`. While a subscription is open there: `conflict`. */
  consume(group: string, channel: string, max: number, options?: Abortable & { waitMs?: number | undefined }): Promise<ConsumerMessage[]>;

  /** A pull loop with bounded read-ahead, from the cursor on. ack "auto" (default): a batch is acknowledged when the next one is asked for. A loop left by break, return or
   *  throw, and close() or abort while the body runs, leave the last batch unacknowledged. "manual": only by `ack`. What is not acknowledged is delivered again to whoever is next.
   *  While it is open, another subscribe (at its first next()) or a consume on that pair is `conflict`, and so is a subscribe while a consume waits there.
   *  `seek` is allowed: what was not handed over is dropped, the next batch starts there, later acks of batches handed over before it do nothing.
   *  onTrimmed "error" (default): `position-trimmed`; "earliest": go on at beginId, with an event. */
  subscribe(
    group: string,
    channel: string,
    options?: Abortable & {
      ack?: "auto" | "manual" | undefined;
      batch?: number | undefined;
      maxBytes?: number | undefined;
      onTrimmed?: "error" | "earliest" | undefined;
    },
  ): Subscription;

  /** `id` is delivered next. An id in [beginId, endId] that holds no message means the next one. Below: `position-trimmed`; above:
   *  `position-ahead`, or wait for it up to `waitMs`. */
  seek(group: string, channel: string, id: bigint, options?: Abortable & { waitMs?: number | undefined }): Promise<void>;
  /** Only messages appended after this resolves are delivered. */
  seekToLatest(group: string, channel: string): Promise<void>;
  /** Undefined when nothing is retained. */
  latestId(channel: string): Promise<bigint | undefined>;
  /** First message with timeMs >= this; undefined when all are earlier. timeMs never goes down in a channel. */
  idAt(channel: string, timeMs: number): Promise<bigint | undefined>;
  /** Messages with a smaller id are gone for every reader when it resolves. Above endId: `position-ahead`; below beginId: nothing. */
  trim(channel: string, beforeId: bigint): Promise<void>;

  /** No group, no ack. "latest" = from what is appended after `ready`. Without `follow` it ends at the end seen when it opened.
   *  If what comes next was trimmed meanwhile it throws `position-trimmed`, never skips. `batch` = messages an array (default 1,000); `limit` = in all. */
  read(
    channel: string,
    options: Abortable & {
      from: "earliest" | "latest" | bigint;
      follow?: boolean | undefined;
      batch?: number | undefined;
      limit?: number | undefined;
    },
  ): Reader;

  /** Up to 1,000 are kept for a slow listener, then the oldest are dropped and counted in the next event's `missed`. */
  events(): AsyncIterable<RocksMqEvent> & Closable;
  /** Refuses new calls with `closed`, finishes the batches already taken, rejects the waiting ones with effect "none"; iterators end. */
  close(): Promise<void>;
}

/** One loop at a time: a second iterator is `conflict`. Fatal errors are thrown by the iterator; close, abort and break end it without one. */
export interface Reader extends AsyncIterable<ConsumerMessage[]>, Closable {
  readonly ready: Promise<void>;
}
export interface Subscription extends AsyncIterable<ConsumerMessage[]>, Closable {
  /** Every message up to and including this id is done. Moves forward only; beyond what was handed over: `position-ahead`. */
  ack(throughId: bigint): Promise<void>;
}
export interface ProducerMessage {
  payload: Uint8Array;
  /** 64 KiB in all; values are any Unicode text (a lone surrogate is `invalid-argument`); kept exactly, `__proto__` included. */
  properties?: Readonly<Record<string, string>> | undefined;
}
export interface ConsumerMessage {
  readonly id: bigint;
  /** A view that stays valid while it is referenced; slice() it to let go of the batch around it. Zero-length comes back zero-length. */
  readonly payload: Uint8Array;
  /** Null-prototype object. */
  readonly properties: Readonly<Record<string, string>>;
  readonly timeMs: number;
}
export interface ProduceResult {
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly count: number;
}
/** [beginId, endId): first retained id, last id + 1; equal when empty. `messages` and `lag` are counts. */
export interface ChannelDescription {
  readonly name: string;
  readonly createdAtMs: number;
  readonly retention: Retention;
  readonly beginId: bigint;
  readonly endId: bigint;
  readonly messages: bigint;
  readonly bytes: bigint;
  readonly groups: readonly { readonly group: string; readonly currentId: bigint; readonly lag: bigint }[]; // existing cursors
}
export type RocksMqEvent = { readonly missed?: number } & (
  | { readonly type: "trimmed"; readonly channel: string; readonly beginId: bigint; readonly bytes: number }
  | { readonly type: "retention-blocked"; readonly channel: string; readonly groups: readonly string[]; readonly bytes: number }
  | { readonly type: "retention-forced"; readonly channel: string; readonly groups: readonly string[]; readonly messages: bigint }
  | { readonly type: "compacted"; readonly segments: number; readonly bytesFreed: number }
  | { readonly type: "recovered"; readonly droppedBytes: number; readonly ms: number }
  | { readonly type: "failed"; readonly error: Error }
);

/** Copies channels out of a stopped Milvus standalone's RocksMQ directory (never written to) into `into`; `from` is the data directory, the metadata is `<from>_meta_kv`.
 *  Ids and payloads stay. Needs the RocksDB peer. */
export function importMilvusRocksMq(options: {
  from: string;
  into: RocksMq;
  topics?: readonly string[] | undefined;
  onProgress?: ((p: { topic: string; messages: number }) => void) | undefined;
}): Promise<{ topics: number; messages: number }>;
