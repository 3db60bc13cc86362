/**
 * The side of a stream that reads: its channels, where it is in each, and the packs on their way.
 *
 *     source ─▶ queue ─▶ consume        a seek makes both anew, at the new places; nobody who waits notices
 *
 * The place of a channel moves when a pack is handed over. So going on from all places gives exactly what was not handed over, whatever had been read.
 */
import type { Clock } from "../base/clock.js";
import { closeAfter, closeAll, closeTogether } from "../base/close-all.js";
import { TidemarkError } from "../base/errors.js";
import { KeepAlive } from "../base/keep-alive.js";
import { Mutex } from "../base/mutex.js";
import type { LogBackend } from "../backend/index.js";
import type { MsgPack, MsgPosition } from "../message/index.js";
import { zeroTick } from "./align/place.js";
import { Bell } from "./bell.js";
import type { StreamSettings } from "./options.js";
import { PackQueue, type QueuedPack } from "./pack-queue.js";
import type { PackSource } from "./pack-source.js";
import { openReaders, type PlaceInChannel, type PlacedReader } from "./place-in-channel.js";
import type { RecordReader } from "./record-reader.js";
import type { ResumePoints } from "./resume-points.js";
import type { Stall } from "./stall-watch.js";
import type { StreamKind } from "./stream-kind.js";

/** What a consumer is made of. */
export interface ConsumerParts {
  readonly backend: LogBackend;
  readonly kind: StreamKind;
  readonly settings: StreamSettings;
  readonly records: RecordReader;
  readonly points: ResumePoints;
  readonly onHandOver: (pack: QueuedPack) => void;
  readonly onStall: (stall: Stall | undefined) => void;
}

/** How a seek goes. */
export interface MoveOptions {
  readonly inclusive: boolean;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A channel that is consumed. */
interface Consumed {
  readonly group: string;
  /** Undefined: nowhere, until a seek. */
  place: PlaceInChannel | undefined;
}

/** One reading, from one seek to the next. */
interface Reading {
  readonly queue: PackQueue;
  readonly source: PackSource;
}

/** Consumes the channels of one stream. */
export class ConsumerSide {
  readonly #parts: ConsumerParts;
  readonly #clock: Clock;
  readonly #keepAlive: KeepAlive;
  readonly #channels = new Map<string, Consumed>();
  /** What adds channels and what seeks, one after the other. */
  readonly #moves = new Mutex();
  readonly #changed = new Bell();
  #reading: Reading;
  #begun = false;
  /** While places are being left for others nothing is handed over. */
  #moving = false;
  /** Aborted once it is closed: for those who wait for a place that may never come. */
  readonly #closing = new AbortController();
  /** Where what was handed over ends, as long as it is not known to be handled. */
  #inHand: readonly MsgPosition[] | undefined;
  #saving: Promise<void> = Promise.resolve();
  #saveFailure: { readonly reason: unknown } | undefined;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    this.#clock = parts.settings.clock;
    this.#keepAlive = new KeepAlive(this.#clock);
    this.#reading = this.#newReading();
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  get channels(): ReadonlySet<string> {
    return new Set(this.#channels.keys());
  }

  start(): void {
    if (this.#begun || this.#closed) return;
    this.#begun = true;
    this.#reading.source.begin();
  }

  /** Takes on those of the channels that it has not. `begin` says where each begins; undefined is nowhere. Which ones were new. */
  async add(
    channels: readonly string[],
    group: string,
    begin: (channels: readonly string[]) => Promise<readonly MsgPosition[] | undefined>,
  ): Promise<readonly string[]> {
    return this.#moves.run(async () => {
      const missing = [...new Set(channels)].filter((channel) => !this.#channels.has(channel));
      if (!this.#parts.backend.readOnly) await this.#create(missing);
      const positions = await begin(missing);
      const places = positions?.map((position) => this.#placeAt(position, false)) ?? [];
      const opened = await this.#open(places, missing.length);
      if (this.#closed) {
        await closeAfter(closedError(), () => closeTogether(opened.map(({ reader }) => reader)));
      }
      for (const channel of missing)
        this.#channels.set(channel, { group, place: places.find(({ position }) => position.channelName === channel) });
      for (const placed of opened) this.#reading.source.add(placed);
      return missing;
    });
  }

  /** The next pack; undefined once closed. */
  async next(signal: AbortSignal | undefined): Promise<MsgPack | undefined> {
    signal?.throwIfAborted();
    this.#handled();
    this.#throwSaveFailure();
    this.start();
    const letGo = this.#keepAlive.hold();
    try {
      while (!this.#closed) {
        const next = this.#moving ? undefined : this.#reading.queue.take();
        if (next !== undefined) return this.#handOver(next);
        await this.#changed.rung(signal);
      }
      return undefined;
    } finally {
      letGo();
    }
  }

  /** Resolves when the readers stand at the new places. */
  async move(positions: readonly MsgPosition[], options: MoveOptions): Promise<void> {
    await this.#moves.run(() => this.#move(positions, options), { signal: options.signal });
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError());
    this.#changed.ring();
    await closeAll(
      () => this.#reading.source.close(),
      () => this.#moves.run(() => this.#reading.source.close()),
      () => this.#saving,
    );
  }

  /** Whoever waited in line while the stream was closed makes none any more. */
  async #create(channels: readonly string[]): Promise<void> {
    for (const channel of channels) {
      if (this.#closed) throw closedError();
      await this.#parts.backend.createChannel(channel, { ifNotExists: true });
    }
  }

  async #move(positions: readonly MsgPosition[], { inclusive, timeoutMs, signal }: MoveOptions): Promise<void> {
    if (this.#closed) throw closedError();
    this.#moving = true;
    try {
      const places = this.#placesAfter(positions, inclusive);
      const opened = await this.#open([...places.values()], places.size, timeoutMs, signal);
      const before = this.#reading;
      this.#reading = this.#newReading();
      for (const [channel, place] of places) this.#consumed(channel).place = place;
      for (const placed of opened) this.#reading.source.add(placed);
      // What was in the consumer's hand belongs to the way that was left.
      this.#inHand = undefined;
      await closeAll(
        () => before.source.close(),
        async () => {
          if (this.#closed) await this.#reading.source.close();
          else if (this.#begun) this.#reading.source.begin();
        },
      );
    } finally {
      this.#moving = false;
      this.#changed.ring();
    }
  }

  /** Of all channels that are somewhere then, the others where they were. */
  #placesAfter(positions: readonly MsgPosition[], inclusive: boolean): ReadonlyMap<string, PlaceInChannel> {
    const places = new Map<string, PlaceInChannel>();
    for (const [channel, { place }] of this.#channels) if (place !== undefined) places.set(channel, place);
    for (const position of positions) {
      const msgGroup = this.#consumed(position.channelName).group;
      places.set(position.channelName, this.#placeAt({ ...position, msgGroup }, inclusive));
    }
    return places;
  }

  #handOver(next: QueuedPack): MsgPack {
    const { pack } = next;
    const { startPositions, endPositions } = pack;
    // The consumer has them too, and what it did to them would be kept.
    for (const part of [startPositions, endPositions, ...startPositions, ...endPositions]) Object.freeze(part);
    for (const position of endPositions) this.#consumed(position.channelName).place = this.#placeAt(position, false);
    this.#inHand = endPositions;
    this.#parts.onHandOver(next);
    return pack;
  }

  /** The next pack is asked for: the one before was handled. */
  #handled(): void {
    const handled = this.#inHand;
    this.#inHand = undefined;
    if (handled === undefined) return;
    this.#saving = this.#parts.points.save(handled).catch((reason: unknown) => {
      this.#saveFailure = { reason };
    });
  }

  #throwSaveFailure(): void {
    const failure = this.#saveFailure;
    this.#saveFailure = undefined;
    if (failure !== undefined) throw failure.reason;
  }

  #placeAt(position: MsgPosition, inclusive: boolean): PlaceInChannel {
    return { start: this.#parts.kind.startOf(position, inclusive), position };
  }

  #open(places: readonly PlaceInChannel[], more: number, timeoutMs?: number, signal?: AbortSignal): Promise<PlacedReader[]> {
    const { backend, kind } = this.#parts;
    const bounds = kind.batches(Math.max(1, this.#channels.size + more));
    const until = timeoutMs === undefined ? signal : AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    // Who holds the process is a consumer that waits, not a stream that reads ahead.
    return openReaders(backend, places, { ...bounds, background: true, clock: this.#clock, timeoutMs, signal: until });
  }

  #newReading(): Reading {
    const { kind, settings, records, onStall } = this.#parts;
    const queue = new PackQueue(settings, () => this.#changed.ring());
    return { queue, source: kind.newSource({ queue, records, clock: this.#clock, onStall }) };
  }

  #consumed(channel: string): Consumed {
    const consumed = this.#channels.get(channel);
    if (consumed === undefined) throw new TidemarkError("unrecoverable", `the stream does not consume ${channel}`, {});
    return consumed;
  }
}

/** Where a channel begins that nothing is known of. */
export function atEarliest(channelName: string, msgGroup: string): MsgPosition {
  return { channelName, msgId: undefined, msgGroup, timestamp: zeroTick };
}

/** A call on a stream that is closed. */
export function closedError(): TidemarkError<"closed"> {
  return new TidemarkError("closed", "the stream is closed: make another one", {});
}
