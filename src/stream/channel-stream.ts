/**
 * A message stream: a producer side, a consumer side, and what both tell.
 */
import { heedAbort, ignoreAbort } from "../base/abort-ears.js";
import { checkFlag, checkOptions, checkSignal, checkWhole, checkWord, invalid } from "../base/arguments.js";
import type { Abortable, Closable } from "../base/closable.js";
import { closeAll, closeTogether } from "../base/close-all.js";
import { EventListeners } from "../base/event-listeners.js";
import { TidemarkError } from "../base/errors.js";
import { checkChannelName, checkName, type LogBackend } from "../backend/index.js";
import type { MessageId, MsgPack, MsgPosition, TsMsg } from "../message/index.js";
import { beforeAllIds, unreadPosition, zeroTick } from "./align/place.js";
import { atEarliest, closedError, ConsumerSide } from "./consumer-side.js";
import type { ConsumerPosition, MsgStream, SeekOptions } from "./door.js";
import type { StreamSettings } from "./options.js";
import type { QueuedPack } from "./pack-queue.js";
import { PackIterator } from "./pack-iterator.js";
import { checkPositions } from "./positions.js";
import { ProducerSide } from "./producer-side.js";
import { RecordReader } from "./record-reader.js";
import { defaultRepack, type RepackFunc } from "./repack.js";
import type { ResumePoints } from "./resume-points.js";
import type { RowIds } from "./row-ids.js";
import type { Stall } from "./stall-watch.js";
import type { MsgStreamEvent } from "./stream-events.js";
import type { StreamKind } from "./stream-kind.js";
import { StreamMetrics } from "./stream-metrics.js";
import type { ChannelActivity } from "./ticker-activity.js";

/** What a stream has of its factory. */
export interface StreamParts {
  readonly backend: LogBackend;
  readonly kind: StreamKind;
  readonly settings: StreamSettings;
  readonly points: ResumePoints;
  readonly rowIds: RowIds;
  readonly activity: ChannelActivity;
  readonly onClose: (stream: MsgStream) => void;
}

/** Both kinds of stream: the kind makes the difference. */
export class ChannelStream implements MsgStream {
  readonly #parts: StreamParts;
  readonly #events: EventListeners<MsgStreamEvent>;
  readonly #metrics: StreamMetrics;
  readonly #producer: ProducerSide;
  readonly #consumer: ConsumerSide;
  /** For each channel that it reads, what to call when it does not any more. */
  readonly #stopReading: (() => void)[] = [];
  /** Who has the right to ask for packs: an iterator, or one waiting consume. */
  #consuming: PackIterator | "consume" | undefined;
  #closing: Promise<void> | undefined;
  /** Nothing happens to a stream any more that is over a back-end which has ended. */
  readonly #onEnd = (): void => void this.#events.close();

  constructor(parts: StreamParts) {
    const { backend, kind, settings, points, rowIds, activity } = parts;
    this.#parts = parts;
    this.#events = new EventListeners(settings.clock);
    heedAbort(backend.ended, this.#onEnd);
    this.#metrics = new StreamMetrics(settings.metrics);
    const repack = defaultRepack(() => rowIds.next());
    this.#producer = new ProducerSide(backend, repack, (channel) => activity.wrote(channel));
    const records = new RecordReader(settings, (channel, id, error) => this.#onPoison(channel, id, error));
    const onHandOver = (pack: QueuedPack): void => this.#onHandOver(pack);
    const onStall = (stall: Stall | undefined): void => this.#onStall(stall);
    this.#consumer = new ConsumerSide({ backend, kind, settings, records, points, onHandOver, onStall });
  }

  start(): void {
    this.#consumer.start();
  }

  async asProducer(channels: readonly string[]): Promise<void> {
    this.#refuseClosed();
    checkNames("channels", channels);
    await this.#producer.add(channels);
  }

  async asConsumer(channels: readonly string[], subName: string, position: ConsumerPosition = "resume"): Promise<void> {
    this.#refuseClosed();
    checkNames("channels", channels);
    checkName("subName", subName);
    checkWord("position", position, ["resume", "earliest", "latest", "unknown"]);
    const added = await this.#consumer.add(channels, subName, (missing) => this.#beginAt(missing, subName, position));
    for (const channel of added) this.#stopReading.push(this.#parts.activity.reading(channel));
  }

  setRepackFunc(f: RepackFunc): void {
    this.#producer.setRepackFunc(f);
  }

  async produce(pack: { readonly msgs: readonly TsMsg[] }, options: Abortable = {}): Promise<Map<string, MessageId[]>> {
    this.#refuseClosed();
    checkPack(pack);
    return this.#producer.produce(pack.msgs, options);
  }

  async broadcast(pack: { readonly msgs: readonly TsMsg[] }, options: Abortable = {}): Promise<Map<string, MessageId[]>> {
    this.#refuseClosed();
    checkPack(pack);
    return this.#producer.broadcast(pack.msgs, options);
  }

  async consume(options: Abortable = {}): Promise<MsgPack | undefined> {
    checkOptions(options, { signal: true });
    checkSignal(options.signal);
    this.#claim("consume");
    try {
      return await this.#consumer.next(options.signal);
    } finally {
      this.#consuming = undefined;
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<MsgPack, void, void> {
    const iterator = new PackIterator(
      (signal) => this.#consumer.next(signal),
      () => {
        this.#consuming = undefined;
      },
    );
    this.#claim(iterator);
    return iterator;
  }

  async seek(position: MsgPosition | readonly MsgPosition[], options: SeekOptions = {}): Promise<void> {
    this.#refuseClosed();
    checkOptions(options, { signal: true, inclusive: true, timeoutMs: true });
    const { inclusive, timeoutMs, signal } = options;
    checkSignal(signal);
    checkFlag("inclusive", inclusive);
    if (timeoutMs !== undefined) checkWhole("timeoutMs", timeoutMs, 0, Number.MAX_SAFE_INTEGER);
    if (inclusive !== undefined && !this.#parts.kind.takesInclusive)
      throw invalid("inclusive", "left out: a time-tick stream goes on with what is after the position's timestamp", inclusive);
    const positions = checkPositions(position, this.#consumer.channels, this.#parts.backend.name);
    await this.#consumer.move(positions, { inclusive: inclusive ?? false, timeoutMs, signal });
  }

  async latestMessageId(channel: string): Promise<MessageId | undefined> {
    this.#refuseClosed();
    if (!this.#consumer.has(channel) && !this.#producer.has(channel)) throw invalid("channel", "a channel of this stream", channel);
    return this.#parts.backend.latestId(channel);
  }

  events(): AsyncIterable<MsgStreamEvent> & Closable {
    return this.#events.listen();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    ignoreAbort(this.#parts.backend.ended, this.#onEnd);
    for (const stop of this.#stopReading.splice(0)) stop();
    await closeAll(
      () => closeTogether([this.#consumer, this.#producer]),
      () => this.#events.close(),
      async () => this.#parts.onClose(this),
    );
  }

  /** Where channels begin that are new to the stream; undefined: nowhere. */
  async #beginAt(channels: readonly string[], group: string, position: ConsumerPosition): Promise<readonly MsgPosition[] | undefined> {
    const { backend, points } = this.#parts;
    switch (position) {
      case "unknown":
        return undefined;
      case "earliest":
        return channels.map((channel) => atEarliest(channel, group));
      case "latest": {
        const none = beforeAllIds(backend.name);
        const latest = await Promise.all(channels.map(async (channel) => [channel, await backend.latestId(channel)] as const));
        return latest.map(([channel, id]) => unreadPosition(channel, group, id, zeroTick, none));
      }
      case "resume": {
        const kept = await points.load(group, channels);
        return channels.map((channel) => kept.get(channel) ?? atEarliest(channel, group));
      }
    }
  }

  #onHandOver({ pack, late }: QueuedPack): void {
    this.#metrics.handedOver(pack.msgs.length);
    for (const [channel, messages] of late) {
      this.#metrics.late(channel, messages);
      this.#events.emit({ type: "late", channel, messages });
    }
  }

  #onPoison(channel: string, id: MessageId, error: Error): void {
    this.#metrics.poison(channel);
    this.#parts.settings.logger.warn({ channel, id: id.toString(), error }, "a message did not decode");
    this.#events.emit({ type: "poison", channel, id, error });
  }

  #onStall(stall: Stall | undefined): void {
    this.#metrics.stalled(stall !== undefined);
    if (stall !== undefined) this.#parts.settings.logger.warn(stall, "no pack comes: these channels give no tick");
    this.#events.emit(stall === undefined ? { type: "resumed" } : { type: "stalled", ...stall });
  }

  #claim(who: PackIterator | "consume"): void {
    if (this.#consuming !== undefined)
      throw new TidemarkError("conflict", "the stream is being consumed already: one iterator or waiting consume at a time", {});
    this.#consuming = who;
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw closedError();
  }
}

function checkNames(argument: string, channels: readonly string[]): void {
  if (!Array.isArray(channels)) throw invalid(argument, "an array of channel names", channels);
  for (const [at, channel] of channels.entries()) checkChannelName(`${argument}[${at}]`, channel);
}

function checkPack(pack: { readonly msgs: readonly TsMsg[] }): void {
  if (typeof pack !== "object" || pack === null) throw invalid("pack", "an object with msgs", pack);
}
