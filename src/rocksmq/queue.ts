/**
 * The door's class: takes the calls and hands them to the parts. What it does itself is refuse, so that a call on a closed queue or with a
 * wrong argument rejects instead of throwing. (`subscribe` and `read` return no promise, and throw on wrong arguments.)
 */
import type { Abortable, Closable } from "../base/closable.js";
import type { Engine } from "../storage/index.js";
import { checkFlag, checkOptions, checkSignal, checkWhole, checkWord, invalid, type KnownOptions } from "./arguments.js";
import { alterChannel, channels, createChannel, destroyChannel, trim } from "./channels.js";
import { consume, mostMessages } from "./consume.js";
import { Core, type QueueSettings } from "./core.js";
import { countFromId, describeChannel, idAt, latestId } from "./describe.js";
import type {
  ChannelDescription,
  CreateChannelOptions,
  CreateGroupOptions,
  ReadOptions,
  Retention,
  RocksMq,
  SubscribeOptions,
  Subscription,
  WaitOptions,
} from "./door.js";
import type { RocksMqEvent } from "./events.js";
import { consumerGroups, createConsumerGroup, destroyConsumerGroup } from "./groups.js";
import type { ConsumerMessage, ProduceResult, ProducerMessage } from "./messages.js";
import { checkChannelName, checkGroupName } from "./names.js";
import { produce } from "./produce.js";
import { batchBytes, MessageReader } from "./reader.js";
import { loadResumePoints, type ResumePoint, saveResumePoints } from "./resume-points.js";
import { seek, seekToLatest } from "./seek.js";
import { GroupSubscription } from "./subscription.js";

/** How many messages an array holds unless the caller says otherwise. */
const usualBatch = 1_000;

const produceOptions: KnownOptions<keyof Abortable> = { signal: true };
const subscribeOptions: KnownOptions<keyof SubscribeOptions> = { ack: true, batch: true, maxBytes: true, onTrimmed: true, signal: true };
const readOptions: KnownOptions<keyof ReadOptions> = {
  from: true,
  follow: true,
  batch: true,
  maxBytes: true,
  limit: true,
  signal: true,
};

/** A queue over an open engine, which it owns from then on. */
export class Queue implements RocksMq {
  readonly #core: Core;

  constructor(engine: Engine, settings: QueueSettings) {
    this.#core = new Core(engine, settings);
  }

  get readOnly(): boolean {
    return this.#core.engine.readOnly;
  }

  get ended(): AbortSignal {
    return this.#core.ended;
  }

  /** For what works on a queue from inside the room; `close` waits for it. @throws `closed` */
  within<T>(work: (core: Core) => Promise<T>): Promise<T> {
    return this.#core.call(() => work(this.#core));
  }

  createChannel(name: string, options: CreateChannelOptions = {}): Promise<void> {
    return this.#core.call(() => createChannel(this.#core, name, options));
  }

  alterChannel(name: string, options: { retention: Retention }): Promise<void> {
    return this.#core.call(() => alterChannel(this.#core, name, options));
  }

  destroyChannel(name: string): Promise<void> {
    return this.#core.call(() => destroyChannel(this.#core, name));
  }

  channels(): Promise<string[]> {
    return this.#core.call(() => channels(this.#core));
  }

  describeChannel(name: string): Promise<ChannelDescription> {
    return this.#core.call(() => describeChannel(this.#core, name));
  }

  createConsumerGroup(group: string, options: CreateGroupOptions = {}): Promise<void> {
    return this.#core.call(() => createConsumerGroup(this.#core, group, options));
  }

  destroyConsumerGroup(group: string): Promise<void> {
    return this.#core.call(() => destroyConsumerGroup(this.#core, group));
  }

  consumerGroups(): Promise<string[]> {
    return this.#core.call(() => consumerGroups(this.#core));
  }

  /** The one hot path: no promise more than it needs. */
  produce(channel: string, messages: readonly ProducerMessage[], options: Abortable = {}): Promise<ProduceResult> {
    try {
      this.#core.refuseCalls();
      checkOptions(options, produceOptions);
      return produce(this.#core, channel, messages, options.signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  consume(group: string, channel: string, max: number, options: WaitOptions = {}): Promise<ConsumerMessage[]> {
    return this.#core.call(() => consume(this.#core, group, channel, max, options));
  }

  subscribe(group: string, channel: string, options: SubscribeOptions = {}): Subscription {
    checkGroupName("group", group);
    checkChannelName("channel", channel);
    checkOptions(options, subscribeOptions);
    const { ack = "auto", batch = usualBatch, maxBytes = batchBytes, onTrimmed = "error", signal } = options;
    checkWord("ack", ack, ["auto", "manual"]);
    checkWhole("batch", batch, 1, mostMessages);
    checkWhole("maxBytes", maxBytes, 1, Number.MAX_SAFE_INTEGER);
    checkWord("onTrimmed", onTrimmed, ["error", "earliest"]);
    checkSignal(signal);
    return new GroupSubscription(this.#core, group, channel, { ack, batch, maxBytes, onTrimmed, signal });
  }

  seek(group: string, channel: string, id: bigint, options: WaitOptions = {}): Promise<void> {
    return this.#core.call(() => seek(this.#core, group, channel, id, options));
  }

  seekToLatest(group: string, channel: string): Promise<void> {
    return this.#core.call(() => seekToLatest(this.#core, group, channel));
  }

  saveResumePoints(group: string, points: readonly ResumePoint[]): Promise<void> {
    return this.#core.call(() => saveResumePoints(this.#core, group, points));
  }

  loadResumePoints(group: string, channels: readonly string[]): Promise<Map<string, Uint8Array>> {
    return this.#core.call(() => loadResumePoints(this.#core, group, channels));
  }

  latestId(channel: string): Promise<bigint | undefined> {
    return this.#core.call(() => latestId(this.#core, channel));
  }

  idAt(channel: string, timeMs: number): Promise<bigint | undefined> {
    return this.#core.call(() => idAt(this.#core, channel, timeMs));
  }

  countFrom(channel: string, id: bigint): Promise<bigint> {
    return this.#core.call(() => countFromId(this.#core, channel, id));
  }

  trim(channel: string, beforeId: bigint): Promise<void> {
    return this.#core.call(() => trim(this.#core, channel, beforeId));
  }

  read(channel: string, options: ReadOptions): MessageReader {
    checkChannelName("channel", channel);
    checkOptions(options, readOptions);
    const { from, follow = false, batch = usualBatch, maxBytes = batchBytes, limit, signal } = options;
    if (typeof from !== "bigint" && from !== "earliest" && from !== "latest") throw invalid("from", '"earliest", "latest" or an id', from);
    checkFlag("follow", follow);
    checkWhole("batch", batch, 1, mostMessages);
    checkWhole("maxBytes", maxBytes, 1, Number.MAX_SAFE_INTEGER);
    if (limit !== undefined) checkWhole("limit", limit, 0, Number.MAX_SAFE_INTEGER);
    checkSignal(signal);
    return new MessageReader(this.#core, channel, { from, follow, batch, maxBytes, limit: limit ?? Infinity, signal });
  }

  events(): AsyncIterable<RocksMqEvent> & Closable {
    this.#core.refuseCalls();
    return this.#core.events.listen();
  }

  close(): Promise<void> {
    return this.#core.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
