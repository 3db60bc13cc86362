/**
 * The log SPI: what keeps named, totally ordered, append-only channels, wherever they are.
 *
 *     writer ─ append [a b c] ─▶ │ … 7 8 9 │ a b c │ ─▶ reader, from a start on, in batches, woken at the tail
 *                                  ▲     ▲        ▲
 *                            earliest    │      latest
 *                                        resume point "billing": the bytes that a consumer wants back, and from where on it still needs the channel
 *
 * It is written so that a broker fits behind it. So nobody who uses it may assume
 * - one process: others append to the same channels, and move the same resume points;
 * - dense ids: what comes after an id is known once it was read, and never by adding one;
 * - cheap seeks: opening a reader may be a conversation with a server, so a consumer opens one and pulls;
 * - an answer for everything: an append whose outcome is unknown stays unknown. It may turn up later, and nobody can be asked.
 *
 * What a back-end does not keep of these laws is in its manifest.
 */
import type { Abortable, Closable } from "../base/closable.js";
import type { BackendName, MessageId, WireMessage } from "../message/index.js";
import type { BackendManifest } from "./manifest.js";

/** Brands a `LogBackend`, so that a plain object is not taken for one by accident. */
export const logBackend: unique symbol = Symbol("tidemark.log-backend");

/** A record as it is read. */
export interface LogRecord extends WireMessage {
  readonly id: MessageId;
  /** When it was stored, by the clock of whoever stored it: Unix milliseconds. */
  readonly timeMs: number;
}

/**
 * Where a reader begins.
 *
 * "earliest": at the first record that is retained. "latest": with what is appended after the reader was opened. `at`: with the record of that id, or
 * the next one if the id holds none. `after`: behind it.
 */
export type ReadStart = "earliest" | "latest" | { readonly at: MessageId } | { readonly after: MessageId };

/** How a reader reads. */
export interface LogReaderOptions extends Abortable {
  /** Records a batch, 1–100,000. Default 1,000. */
  readonly maxRecords?: number | undefined;
  /** Bytes a batch, payloads and about what properties take; a larger record comes alone. Default 4 MiB. */
  readonly maxBytes?: number | undefined;
  /** A `next` that waits does not hold the process: whoever else waits for what it brings does. Default false. */
  readonly background?: boolean | undefined;
}

/** What a consumer leaves behind, to go on from there. */
export interface ResumePoint {
  readonly channel: string;
  /** Whatever the consumer wants back; at most 2 KiB. */
  readonly position: Uint8Array;
  /** Retention may take what is before; where it knows consumers, it keeps the rest. Undefined: from the earliest on. */
  readonly keepFrom: MessageId | undefined;
}

/** Appends to one channel. Beside it others may append too, from this process or another. */
export interface LogWriter extends Closable {
  /**
   * Stores the records behind one another, and nobody else's between them. Resolves once they are durable, with their ids in order. Groups of one
   * writer are stored in call order, awaited or not; one that failed leaves a gap, and those behind it may be there all the same. Payloads must not change
   * until it settles. An empty group is [].
   *
   * Aborted before the group was taken: rejects with the signal's reason, nothing written. After: the real outcome.
   *
   * @throws `channel-not-found`; `invalid-argument`; `too-large` and `overloaded`, as the back-end's limits are; `read-only`; `closed`; whatever the
   * back-end fails with. Effect "none": no record of the group is there or ever will be. Effect "unknown": the group may be there, now or later.
   */
  append(records: readonly WireMessage[], options?: Abortable): Promise<readonly MessageId[]>;
  /** Refuses what comes, waits for what is in flight. Idempotent. */
  close(): Promise<void>;
}

/** Pulls one channel from a start on. */
export interface LogReader extends Closable {
  /**
   * The next records in order: at least one. Nothing is left out and nothing comes twice. At the tail it waits until there is more. Undefined once the
   * reader is closed. One call at a time, else `conflict`.
   *
   * An aborted wait rejects with the signal's reason and has taken nothing: the next call gets the records.
   *
   * @throws `position-trimmed` when what comes next was trimmed; `channel-not-found` once the channel is destroyed; `corrupt`; whatever the back-end fails
   * with. With retry advice "backoff" the reader stands where it stood, and may be asked again; after any other failure it repeats that one.
   */
  next(options?: Abortable): Promise<readonly LogRecord[] | undefined>;
  /** Whether a `next` under way waits because there was nothing more when it last looked. False while it reads, and when nobody asks. */
  readonly atTail: boolean;
  /** Calls `f` each time that a `next` comes to wait there. One listener; it must not throw. */
  whenAtTail(f: () => void): void;
  /** Ends a waiting `next`. Resolves once nothing is held any more. Idempotent. */
  close(): Promise<void>;
}

/** A set of channels. What it opens is closed with it; a store that it was made over is not. */
export interface LogBackend extends Closable {
  readonly [logBackend]: true;
  /** Whose ids the channels have. */
  readonly name: BackendName;
  readonly manifest: BackendManifest;
  /** Open for reading only: whatever writes is `read-only`. */
  readonly readOnly: boolean;
  /** Aborted, with `closed`, once nothing can be had of it any more: it was closed, or the store that it was made over. */
  readonly ended: AbortSignal;

  /**
   * Makes an empty channel. Which names are good is the back-end's: up to 200 of a–z, A–Z, 0–9, ".", "_" and "-" are good everywhere.
   *
   * @throws `channel-exists` unless `ifNotExists`; `invalid-argument` for a name
   */
  createChannel(name: string, options?: { readonly ifNotExists?: boolean | undefined }): Promise<void>;
  /**
   * Removes the channel with its records and resume points. Its readers end with `channel-not-found`. A later channel of that name is empty.
   *
   * @throws `channel-not-found`
   */
  destroyChannel(name: string): Promise<void>;

  /** For appending beside others: nobody is fenced. @throws `channel-not-found`; `read-only` */
  openWriter(channel: string): Promise<LogWriter>;
  /**
   * Resolves once the start stands: what is appended from then on is read.
   *
   * @throws `channel-not-found`; `position-trimmed` when what comes next was trimmed, and not where only ids were left out; `position-ahead` for one that the channel has not reached;
   * `backend-mismatch` for an id of another back-end; `signal.reason` if aborted, and nothing is open then
   */
  openReader(channel: string, start: ReadStart, options?: LogReaderOptions): Promise<LogReader>;

  /** The first record that is retained; undefined when there is none. @throws `channel-not-found` */
  earliestId(channel: string): Promise<MessageId | undefined>;
  /** The last record that is retained; undefined when there is none. @throws `channel-not-found` */
  latestId(channel: string): Promise<MessageId | undefined>;
  /** The first record that was stored at this time or later; undefined when all are older. @throws `channel-not-found` */
  firstIdAt(channel: string, timeMs: number): Promise<MessageId | undefined>;
  /**
   * Once it resolves, records before this one are gone for every reader. An id at or before the earliest does nothing.
   *
   * @throws `channel-not-found`; `position-ahead` for an id behind the latest; `backend-mismatch`
   */
  trim(channel: string, before: MessageId): Promise<void>;

  /**
   * Keeps these under the name, in place of those that the channels had; the others stay. All or none. Resolves once the end of this process can't take them
   * away; a power cut may bring back the ones before. Who saves last, counts.
   *
   * @throws `channel-not-found`; `too-large`; `invalid-argument`; `read-only`
   */
  saveResumePoints(name: string, points: readonly ResumePoint[]): Promise<void>;
  /** The positions by channel; a channel that has none under the name is not in it. */
  loadResumePoints(name: string, channels: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Forgets all that is kept under the name; nothing if there is nothing. */
  dropResumePoints(name: string): Promise<void>;
}
