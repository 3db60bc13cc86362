/**
 * The channels of a RocksMq as a back-end. It adds nothing to the disk: a record is a message, a name of resume points is a consumer group.
 */
import { heedAbort, ignoreAbort } from "../../base/abort-ears.js";
import { checkOptions } from "../../base/arguments.js";
import type { Closable } from "../../base/closable.js";
import { closeTogether } from "../../base/close-all.js";
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import { orAborted } from "../../base/or-aborted.js";
import { int64MessageId, int64Of, type MessageId } from "../../message/index.js";
import { type RocksMq, type StreamQueue, streamQueueOf } from "../../rocksmq/index.js";
import { checkChannelName, checkName, checkResumePoints, checkStart, checkTimeMs, readBounds } from "../arguments.js";
import {
  type LogBackend,
  logBackend,
  type LogReader,
  type LogReaderOptions,
  type LogWriter,
  type ReadStart,
  type ResumePoint,
} from "../log-backend.js";
import type { BackendManifest } from "../manifest.js";
import { PulledReader } from "../pulled-reader.js";
import { checkIdOf, closedError } from "../refusals.js";
import { placeRefused } from "./place-refused.js";
import { RocksMqSource } from "./rocksmq-source.js";
import { RocksMqWriter } from "./rocksmq-writer.js";

/** It keeps every law. */
export const rocksMqManifest: BackendManifest = { name: "rocksmq", exempt: {} };

/** A back-end over an open queue, which stays open when this is closed. */
export class RocksMqBackend implements LogBackend {
  readonly [logBackend] = true;
  readonly name = "rocksmq";
  readonly manifest = rocksMqManifest;
  readonly #mq: StreamQueue;
  readonly #open = new Set<Closable>();
  #closed = false;
  readonly #ended = new AbortController();
  readonly #onQueueEnd = (): void => this.#ended.abort(this.#mq.ended.reason);

  /** @throws `invalid-argument` unless `openRocksMq` opened it */
  constructor(mq: RocksMq) {
    this.#mq = streamQueueOf(mq);
    heedAbort(this.#mq.ended, this.#onQueueEnd);
  }

  get readOnly(): boolean {
    return this.#mq.readOnly;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  async createChannel(name: string, options: { readonly ifNotExists?: boolean | undefined } = {}): Promise<void> {
    this.#refuseClosed();
    checkOptions(options, { ifNotExists: true });
    await this.#mq.createChannel(name, { ifNotExists: options.ifNotExists });
  }

  async destroyChannel(name: string): Promise<void> {
    this.#refuseClosed();
    await this.#mq.destroyChannel(name);
  }

  async openWriter(channel: string): Promise<LogWriter> {
    this.#refuseClosed();
    if (this.readOnly) throw new TidemarkError("read-only", "the queue is open with readOnly: open it without to append", {});
    // The question is asked for its refusal.
    await this.#mq.latestId(channel);
    this.#refuseClosed();
    const writer = new RocksMqWriter(this.#mq, channel, () => this.#open.delete(writer));
    this.#open.add(writer);
    return writer;
  }

  async openReader(channel: string, start: ReadStart, options: LogReaderOptions = {}): Promise<LogReader> {
    this.#refuseClosed();
    checkChannelName("channel", channel);
    checkStart(this.name, start);
    const { maxRecords, maxBytes, background } = readBounds(options);
    const messages = this.#mq.read(channel, { from: firstId(start), follow: true, batch: maxRecords, maxBytes });
    if (background) messages.holdNothing();
    const reader = new PulledReader(new RocksMqSource(this.#mq, messages, channel), () => this.#open.delete(reader));
    // Before its place is found: a close that comes meanwhile must find it, at whatever moment.
    this.#open.add(reader);
    try {
      await orAborted(messages.ready, options.signal);
      return reader;
    } catch (error) {
      await reader.close();
      this.#refuseClosed();
      throw await placeRefused(this.#mq, channel, error);
    }
  }

  async earliestId(channel: string): Promise<MessageId | undefined> {
    this.#refuseClosed();
    return idOrNone(await this.#mq.idAt(channel, Number.NEGATIVE_INFINITY));
  }

  async latestId(channel: string): Promise<MessageId | undefined> {
    this.#refuseClosed();
    return idOrNone(await this.#mq.latestId(channel));
  }

  async firstIdAt(channel: string, timeMs: number): Promise<MessageId | undefined> {
    this.#refuseClosed();
    checkTimeMs(timeMs);
    return idOrNone(await this.#mq.idAt(channel, timeMs));
  }

  async trim(channel: string, before: MessageId): Promise<void> {
    this.#refuseClosed();
    checkIdOf(this.name, before);
    try {
      await this.#mq.trim(channel, int64Of(before));
    } catch (error) {
      throw await placeRefused(this.#mq, channel, error);
    }
  }

  async saveResumePoints(name: string, points: readonly ResumePoint[]): Promise<void> {
    this.#refuseClosed();
    checkName("name", name);
    checkResumePoints(this.name, points);
    const kept = points.map(({ channel, position, keepFrom }) => {
      return { channel, position, nextId: keepFrom === undefined ? undefined : int64Of(keepFrom) };
    });
    try {
      await this.#mq.saveResumePoints(name, kept);
    } catch (error) {
      if (!isTidemarkError(error, "group-not-found")) throw error;
      await this.#mq.createConsumerGroup(name, { ifNotExists: true });
      await this.#mq.saveResumePoints(name, kept);
    }
  }

  async loadResumePoints(name: string, channels: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    this.#refuseClosed();
    checkName("name", name);
    return this.#mq.loadResumePoints(name, channels);
  }

  async dropResumePoints(name: string): Promise<void> {
    this.#refuseClosed();
    checkName("name", name);
    try {
      await this.#mq.destroyConsumerGroup(name);
    } catch (error) {
      if (!isTidemarkError(error, "group-not-found")) throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    ignoreAbort(this.#mq.ended, this.#onQueueEnd);
    this.#ended.abort(closedError("back-end"));
    await closeTogether(this.#open);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #refuseClosed(): void {
    if (this.#closed) throw closedError("back-end");
  }
}

/** The queue's ids are numbers, and the next one is the least that is greater: here, behind the port, one may count. */
function firstId(start: ReadStart): "earliest" | "latest" | bigint {
  if (start === "earliest" || start === "latest") return start;
  return "at" in start ? int64Of(start.at) : int64Of(start.after) + 1n;
}

function idOrNone(id: bigint | undefined): MessageId | undefined {
  return id === undefined ? undefined : int64MessageId("rocksmq", id);
}
