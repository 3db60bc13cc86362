/**
 * What keeps channels of messages and a map of metadata on a disk: the port between the queue and its bytes.
 *
 * Every change is a function that runs in its turn, alone, against a draft of the state as it will be after all changes before it:
 *
 *     write(change A) ─┐
 *     write(change B) ─┼─▶ turn: A(draft) B(draft) C(draft) ─▶ one write, one sync ─▶ visible to readers ─▶ promises of A, B, C
 *     write(change C) ─┘
 *
 * So the order of calls is the order of effect, awaited or not; a change sees what earlier ones drafted; and what one change drafts
 * (a channel with its registry key, a channel's end with all its cursors) is there whole or not at all, after any crash.
 * Readers see only what is stored: nothing of a change is visible before it would be acked.
 */
import type { Closable } from "../base/closable.js";

/** A channel as readers may see it now. The object lives as long as the channel; its fields move. */
export interface ChannelView {
  readonly name: string;
  /** No id below this was or will ever be given out in this incarnation of the channel. */
  readonly firstId: bigint;
  /** Behind the last message that was trimmed; `firstId` when none was. Never goes down. */
  readonly beginId: bigint;
  /** Last visible message's id + 1, trimmed or not; `firstId` when there never was one. Never goes down. */
  readonly endId: bigint;
  /** What the retained messages take where they are stored, with all that belongs to them. */
  readonly bytes: number;
  /** No message that is retained has an earlier `timeMs`; undefined when none is retained. */
  readonly sinceMs: number | undefined;
  /** Destroyed, visibly. A channel of the same name made later is another object. */
  readonly destroyed: boolean;
}

/** A message to be stored. Whoever hands it in has checked sizes and text. */
export interface NewMessage {
  readonly payload: Uint8Array;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** A stored message. `payload` is a view into what was read; it stays valid. */
export interface StoredMessage {
  readonly id: bigint;
  readonly payload: Uint8Array;
  /** Null-prototype; one shared empty object when there are none. */
  readonly properties: Readonly<Record<string, string>>;
  readonly timeMs: number;
}

/** A batch as policy sees it: what may go together, or as a part of what goes. */
export interface RetainedBatch {
  /** Of its first retained message. */
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly timeMs: number;
  /** Its share of the channel's `bytes`. */
  readonly bytes: number;
}

/**
 * One key of the metadata. Revisions rise by one with each change that touches metadata, by a delete too: etcd's model.
 * `value` is the store's own, not to be changed.
 */
export interface MetaEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
}

/** The metadata as it stands: committed in `Engine.meta`, drafted in `Draft`. */
export interface MetaView {
  readonly revision: bigint;
  get(key: string): MetaEntry | undefined;
  /** Keys that begin with `prefix`, ascending by UTF-8 bytes. */
  range(prefix: string): MetaEntry[];
}

/** A channel as drafted: what the next change will find. Its fields may stand still: ask the draft again after drafting something. */
export interface DraftChannel {
  readonly name: string;
  readonly firstId: bigint;
  readonly beginId: bigint;
  /** Last message's id + 1, those drafted before included; `firstId` when there never was one. */
  readonly endId: bigint;
  /** Last id given out (also in vain). The next append's ids are above it. */
  readonly lastId: bigint;
}

/**
 * The state that one change sees and adds to, valid only while the change runs. A change is a function of its draft and nothing else, since
 * it may be run again against another draft before its promise settles: what an earlier run drafted is forgotten then. It checks first and drafts then:
 * one that throws before it drafted anything is refused with what it threw. One that throws later has broken an invariant: it is refused
 * so too, nothing of its group is stored, and the engine stops (`failure`). The methods below check before they draft, so that what they
 * throw themselves has drafted nothing.
 */
export interface Draft extends MetaView {
  /** This turn's time; the `timeMs` of what is appended. Never goes down in a directory. */
  readonly nowMs: number;
  channel(name: string): DraftChannel | undefined;
  channels(): Iterable<DraftChannel>;
  /**
   * Its first id is above all that was ever given out in the directory's destroyed channels, and with internal ids above `nowMs << 18` too.
   *
   * @param copied for a channel that another log's messages come into: its first id is theirs, and `copy` may bring ids up to the last
   * @throws `channel-exists`; `invalid-argument` for copied ids that may have been given out in a channel destroyed here, and where ids end
   */
  createChannel(name: string, copied?: CopiedIds): DraftChannel;
  /**
   * Metadata is the caller's to delete.
   *
   * @throws `channel-not-found`
   */
  destroyChannel(name: string): void;
  /**
   * Stores at least one message. Ids are consecutive: from `firstId` with outside ids (it must be given then, and be above `lastId`), else
   * the channel's next ones (it must not be given then). The channel must have been made by a change before this one. Bytes are the caller's again, and may change, once the write is settled.
   *
   * @throws `channel-not-found`, `invalid-argument`, `too-large` (no place could hold it)
   */
  append(name: string, messages: readonly NewMessage[], firstId?: bigint): { readonly firstId: bigint; readonly lastId: bigint };
  /**
   * As `append`, with the ids that another log gave the messages, also where the engine gives out the ids: above `lastId`.
   *
   * @throws as `append`
   */
  copy(name: string, messages: readonly NewMessage[], firstId: bigint): { readonly firstId: bigint; readonly lastId: bigint };
  /**
   * Messages below `beforeId` go; it is within (beginId, endId], and need not be a message's. The channel begins behind the last one that
   * goes, so that whoever stands in a gap of the ids there has lost nothing, and where it was if none does. Where that is not known at once
   * it may begin at `beforeId` until the change is stored; no change behind it sees that.
   *
   * @param bytes what goes with it, if the caller has it from `Engine.oldestBatches`, and `beforeId` is behind the last of them: it spares
   * the engine finding out
   * @throws `channel-not-found`, `invalid-argument`
   */
  trim(name: string, beforeId: bigint, bytes?: number): void;
  put(key: string, value: Uint8Array): void;
  /** Whether it was there; nothing is drafted if not. */
  delete(key: string): boolean;
}

/** The ids of messages that another log gave out, from the first to the last. */
export interface CopiedIds {
  readonly firstId: bigint;
  readonly lastId: bigint;
}

/** How a change wants to be taken. */
export interface WriteOptions {
  /** "durable" (default): resolves once it would survive what the engine's durability promises. "written": once a process kill can't
   *  undo it; it is synced with the next group, at the latest after a second and at close. Only metadata: else `invalid-argument`. */
  readonly ack?: "durable" | "written" | undefined;
  /** Aborted before the change's turn: rejects with the reason, nothing done. Later: no effect. */
  readonly signal?: AbortSignal | undefined;
}

/** What the engine tells its one listener, after the state has moved and before the promises of that group resolve. It must not throw. */
export type EngineEvent =
  | { readonly type: "appended"; readonly channel: ChannelView }
  | { readonly type: "trimmed"; readonly channel: ChannelView; readonly beginId: bigint; readonly bytes: number }
  | { readonly type: "destroyed"; readonly channel: ChannelView }
  /** Space that the dead held is back; nothing that is visible has changed. */
  | { readonly type: "compacted"; readonly segments: number; readonly bytesFreed: number }
  | { readonly type: "failed"; readonly error: Error };

/** Reads one channel; keeps its place, so that going on where it stopped costs no look-up. One call at a time. */
export interface ChannelReader {
  /**
   * Visible messages from the first id >= `fromId` on, in order: none at the end (and beyond), else at least one and at most `max`.
   * Another is added only while payloads and properties (in UTF-8) stay within `maxBytes` together; fewer than fit is legal, a gap never.
   *
   * @throws `position-trimmed` when `fromId` < beginId; `channel-not-found` once the channel is destroyed; `corrupt`; `closed`.
   */
  read(fromId: bigint, max: number, maxBytes: number): Promise<StoredMessage[]>;
}

/** An open store of channels and metadata. One conformance suite: `src/storage/conformance/`. */
export interface Engine extends Closable {
  readonly kind: "segment" | "rocksdb" | "memory";
  /** Open for reading only, perhaps beside a process that writes: `write` is `read-only`, and `settled()` looks at what the writer did. */
  readonly readOnly: boolean;
  /** Of this open; higher than that of any earlier one that wrote. */
  readonly term: bigint;
  /** What recovery had to do at this open; undefined after a clean close. */
  readonly recovered: { readonly droppedBytes: number; readonly ms: number } | undefined;
  /** The error that stopped it (rule 11), for good until reopened. */
  readonly failure: Error | undefined;
  readonly meta: MetaView;
  channel(name: string): ChannelView | undefined;
  channels(): Iterable<ChannelView>;
  /**
   * Runs `change` in its turn and stores what it drafted, all or nothing. Resolves with what `change` returned.
   *
   * @throws what `change` threw; `disk-full` (effect none), `io-failed` (effect unknown for what was in flight), `closed`.
   */
  write<T>(change: (draft: Draft) => T, options?: WriteOptions): Promise<T>;
  /**
   * Undefined when no change is waiting or under way; else resolves (never rejects) once all handed in so far are settled.
   * Read-only: resolves once all that the writer acked before the call is visible; rejects with `corrupt`.
   */
  settled(): Promise<void> | undefined;
  reader(channel: ChannelView): ChannelReader;
  /** First retained message with timeMs >= this. */
  idAt(channel: ChannelView, timeMs: number): Promise<bigint | undefined>;
  /** Visible messages with an id >= max(fromId, beginId). */
  countFrom(channel: ChannelView, fromId: bigint): Promise<number>;
  /** The oldest retained batches, as they were appended, in order and without a gap; none when nothing is retained, else some of them. */
  oldestBatches(channel: ChannelView): Promise<readonly RetainedBatch[]>;
  /** At most one; undefined to take it away. */
  listen(listener: ((event: EngineEvent) => void) | undefined): void;
}
