/**
 * Channels in the memory of this process: for tests, and for streams that need not outlive it.
 *
 * Ids come from one counter for all channels, so that none is ever used twice and nobody gets used to dense ones.
 */
import { checkOptions, checkSignal } from "../../base/arguments.js";
import { type Clock, systemClock } from "../../base/clock.js";
import type { Abortable, Closable } from "../../base/closable.js";
import { closeTogether } from "../../base/close-all.js";
import { KeepAlive } from "../../base/keep-alive.js";
import { int64MessageId, type MessageId, type WireMessage } from "../../message/index.js";
import { checkChannelName, checkName, checkResumePoints, checkStart, checkTimeMs, readBounds } from "../arguments.js";
import {
  type LogBackend,
  logBackend,
  type LogReader,
  type LogReaderOptions,
  type LogRecord,
  type LogWriter,
  type ReadStart,
  type ResumePoint,
} from "../log-backend.js";
import type { BackendManifest } from "../manifest.js";
import { PulledReader } from "../pulled-reader.js";
import { channelExists, channelNotFound, checkIdOf, closedError } from "../refusals.js";
import { MemoryChannel } from "./memory-channel.js";
import { MemorySource } from "./memory-reader.js";
import { copyRecords } from "./memory-records.js";

/** What memory can't keep. */
export const memoryManifest: BackendManifest = {
  name: "memory",
  exempt: {
    "keeps-over-reopen": "what is in memory ends with it",
    "many-clients": "the channels are those of one object",
  },
};

/** A back-end in memory. */
export class MemoryBackend implements LogBackend {
  readonly [logBackend] = true;
  readonly name = "memory";
  readonly manifest = memoryManifest;
  readonly readOnly = false;
  readonly #clock: Clock;
  readonly #keepAlive: KeepAlive;
  readonly #channels = new Map<string, MemoryChannel>();
  /** By name, then by channel. */
  readonly #resumePoints = new Map<string, Map<string, Uint8Array>>();
  readonly #open = new Set<Closable>();
  #lastId = 0n;
  /** Stored times never go down, whatever the clock does. */
  #lastMs = 0;
  readonly #ended = new AbortController();

  constructor(options: { readonly clock?: Clock | undefined } = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#keepAlive = new KeepAlive(this.#clock);
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  async createChannel(name: string, options: { readonly ifNotExists?: boolean | undefined } = {}): Promise<void> {
    this.#refuseClosed();
    checkChannelName("name", name);
    checkOptions(options, { ifNotExists: true });
    if (!this.#channels.has(name)) this.#channels.set(name, new MemoryChannel(name));
    else if (options.ifNotExists !== true) throw channelExists(name);
  }

  async destroyChannel(name: string): Promise<void> {
    this.#channel(name).destroy();
    this.#channels.delete(name);
    for (const points of this.#resumePoints.values()) points.delete(name);
  }

  async openWriter(name: string): Promise<LogWriter> {
    const channel = this.#channel(name);
    const writer = new MemoryWriter(
      (records) => this.#append(channel, records),
      () => this.#open.delete(writer),
    );
    this.#open.add(writer);
    return writer;
  }

  async openReader(name: string, start: ReadStart, options: LogReaderOptions = {}): Promise<LogReader> {
    const channel = this.#channel(name);
    checkStart(this.name, start);
    const bounds = readBounds(options);
    const source = new MemorySource(channel, channel.placeOf(start), bounds, bounds.background ? undefined : this.#keepAlive);
    const reader = new PulledReader(source, () => this.#open.delete(reader));
    this.#open.add(reader);
    return reader;
  }

  async earliestId(name: string): Promise<MessageId | undefined> {
    return this.#channel(name).earliest?.id;
  }

  async latestId(name: string): Promise<MessageId | undefined> {
    return this.#channel(name).latest?.id;
  }

  async firstIdAt(name: string, timeMs: number): Promise<MessageId | undefined> {
    checkTimeMs(timeMs);
    return this.#channel(name).firstAt(timeMs)?.id;
  }

  async trim(name: string, before: MessageId): Promise<void> {
    checkIdOf(this.name, before);
    this.#channel(name).trim(before);
  }

  async saveResumePoints(name: string, points: readonly ResumePoint[]): Promise<void> {
    checkName("name", name);
    checkResumePoints(this.name, points);
    for (const { channel } of points) this.#channel(channel);
    const kept = this.#resumePoints.get(name) ?? new Map<string, Uint8Array>();
    for (const { channel, position } of points) kept.set(channel, new Uint8Array(position));
    this.#resumePoints.set(name, kept);
  }

  async loadResumePoints(name: string, channels: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    this.#refuseClosed();
    checkName("name", name);
    const kept = this.#resumePoints.get(name);
    return new Map(
      channels.flatMap((channel) => {
        const position = kept?.get(channel);
        return position === undefined ? [] : [[channel, new Uint8Array(position)] as const];
      }),
    );
  }

  async dropResumePoints(name: string): Promise<void> {
    this.#refuseClosed();
    checkName("name", name);
    this.#resumePoints.delete(name);
  }

  async close(): Promise<void> {
    this.#ended.abort(closedError("back-end"));
    await closeTogether(this.#open);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #append(channel: MemoryChannel, records: readonly WireMessage[]): readonly MessageId[] {
    if (channel.destroyed) throw channelNotFound(channel.name);
    const copies = copyRecords(records);
    this.#lastMs = Math.max(this.#lastMs, this.#clock.nowMs());
    const timeMs = this.#lastMs;
    const stored = copies.map(({ payload, properties }): LogRecord => {
      this.#lastId += 1n;
      return { id: int64MessageId("memory", this.#lastId), timeMs, properties, payload };
    });
    channel.append(stored);
    return stored.map(({ id }) => id);
  }

  /** @throws `closed`; `channel-not-found` */
  #channel(name: string): MemoryChannel {
    this.#refuseClosed();
    const channel = this.#channels.get(name);
    if (channel === undefined) throw channelNotFound(name);
    return channel;
  }

  #refuseClosed(): void {
    if (this.#ended.signal.aborted) throw closedError("back-end");
  }
}

/** Appends at once: there is nothing to wait for. */
class MemoryWriter implements LogWriter {
  readonly #append: (records: readonly WireMessage[]) => readonly MessageId[];
  readonly #onClose: () => void;
  #closed = false;

  constructor(append: (records: readonly WireMessage[]) => readonly MessageId[], onClose: () => void) {
    this.#append = append;
    this.#onClose = onClose;
  }

  async append(records: readonly WireMessage[], options: Abortable = {}): Promise<readonly MessageId[]> {
    if (this.#closed) throw closedError("writer");
    checkOptions(options, { signal: true });
    checkSignal(options.signal);
    options.signal?.throwIfAborted();
    return this.#append(records);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#onClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
