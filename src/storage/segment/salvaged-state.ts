/**
 * What a log with holes in it says of its channels and metadata: as `LogState`, but nothing that does not fit is a broken invariant. What is
 * not known is taken for lost, never for impossible.
 *
 *     a batch of a channel that nobody has seen made        its create record is in a hole, or older than what is left: it gets a name of its number
 *     a channel made under a name that one has              the other one's destroy record is in a hole
 */
import { MetaMap } from "../meta-map.js";
import type { StoreKind } from "../store-kind.js";
import type { Checkpoint } from "./checkpoint.js";
import { decodeControlRecords, type ControlRecord } from "./control-record.js";
import { bodyOf, type Frame } from "./frame.js";
import type { ScannedGroup } from "./group-scan.js";
import { isBefore, type Position } from "./position.js";
import { headerIn, type SegmentHeader } from "./segment-header.js";

/** A channel as far as it is known. */
export interface SalvagedChannel {
  readonly number: number;
  /** Undefined when no surviving record says it. */
  name: string | undefined;
  /** Where its ids begin; undefined when its making is not known. */
  readonly firstId: bigint | undefined;
  /** Ids below are trimmed; undefined when that is not known. */
  beginId: bigint | undefined;
  /** Last id given out, in vain too, as far as it is known. */
  lastId: bigint;
  ceiling: bigint;
  /** As the checkpoint had it. */
  readonly endId: bigint | undefined;
}

/** Channels by number, and the rest. */
export class SalvagedState {
  readonly channels = new Map<number, SalvagedChannel>();
  readonly meta: MetaMap;
  #keeps: StoreKind | undefined;
  /** Channels made later begin above it. */
  floor = 0n;
  nextChannel = 1;
  term = 0n;
  lastTimeMs = 0;
  readonly #destroyed = new Set<number>();
  /** What stands before it is in the checkpoint already. */
  readonly #from: Position | undefined;
  /** Below it, a channel that the checkpoint does not have was destroyed. */
  readonly #firstNews: number;

  constructor(checkpoint: Checkpoint | undefined) {
    const state = checkpoint?.state;
    this.#keeps = state?.keeps;
    this.meta = state?.meta ?? new MetaMap();
    this.#from = checkpoint?.position;
    this.#firstNews = state?.nextChannel ?? 0;
    if (state === undefined) return;
    this.floor = state.floor;
    this.nextChannel = state.nextChannel;
    this.term = state.term;
    this.lastTimeMs = state.lastTimeMs;
    for (const { number, name, firstId, beginId, lastId, ceiling, endId } of state.channels()) {
      this.channels.set(number, { number, name, firstId, beginId, lastId, ceiling, endId });
    }
  }

  /**
   * What the store is for: the checkpoint says it, and so does every header. Those of earlier builds do not: then a log of metadata in which
   * no channel was ever made is a metadata store's.
   */
  get keeps(): StoreKind {
    const isMeta = this.nextChannel === 1 && this.#destroyed.size === 0 && this.meta.all().length > 0;
    return this.#keeps ?? (isMeta ? "meta" : "queue");
  }

  /** Takes over a whole group; `onBatch` sees the batches of channels that are there by then. */
  take(group: ScannedGroup, segment: number, onBatch: (frame: Frame, channel: SalvagedChannel) => void): void {
    const isNews = this.#from === undefined || !isBefore({ segment, offset: group.start }, this.#from);
    for (const frame of group.frames) {
      if (frame.term > this.term) this.term = frame.term;
      if (frame.timeMs > this.lastTimeMs) this.lastTimeMs = frame.timeMs;
      if (frame.kind === "header") this.#header(headerIn(frame), isNews);
      if (frame.kind === "control" && isNews) for (const record of decodeControlRecords(bodyOf(frame), frame.count)) this.#apply(record);
      if (frame.kind !== "batch") continue;
      const channel = this.#channelOf(frame.channel, frame.baseId - 1n);
      if (channel === undefined) continue;
      const lastId = frame.baseId + BigInt(frame.count) - 1n;
      if (lastId > channel.lastId) channel.lastId = lastId;
      onBatch(frame, channel);
    }
  }

  #header({ keeps, unclean }: SegmentHeader, isNews: boolean): void {
    this.#keeps ??= keeps;
    if (unclean && isNews) this.#jumpToCeilings();
  }

  /** Undefined when it was destroyed. One that nobody has seen made is there, too. */
  #channelOf(number: number, lastId: bigint): SalvagedChannel | undefined {
    const known = this.channels.get(number);
    if (known !== undefined || this.#destroyed.has(number) || number < this.#firstNews) return known;
    return this.#add({ number, name: undefined, firstId: undefined, beginId: undefined, lastId, ceiling: 0n, endId: undefined });
  }

  #apply(record: ControlRecord): void {
    switch (record.type) {
      case "create": {
        const { channel: number, name, firstId, ceiling } = record;
        for (const other of this.channels.values()) if (other.name === name) this.#destroy(other.number);
        this.#add({ number, name, firstId, beginId: firstId, lastId: firstId - 1n, ceiling, endId: undefined });
        return;
      }
      case "destroy":
        if (record.floor > this.floor) this.floor = record.floor;
        return this.#destroy(record.channel);
      case "trim":
        return this.#trim(record.channel, record.beginId);
      case "ceiling": {
        const channel = this.channels.get(record.channel);
        if (channel !== undefined && record.ceiling > channel.ceiling) channel.ceiling = record.ceiling;
        return;
      }
      case "put":
      case "delete":
        return this.meta.apply(record);
      default:
        return record satisfies never;
    }
  }

  #trim(number: number, beginId: bigint): void {
    const channel = this.#channelOf(number, beginId - 1n);
    if (channel !== undefined && (channel.beginId === undefined || beginId > channel.beginId)) channel.beginId = beginId;
  }

  #add(channel: SalvagedChannel): SalvagedChannel {
    this.channels.set(channel.number, channel);
    this.nextChannel = Math.max(this.nextChannel, channel.number + 1);
    return channel;
  }

  #destroy(number: number): void {
    this.channels.delete(number);
    this.#destroyed.add(number);
  }

  #jumpToCeilings(): void {
    for (const channel of this.channels.values()) if (channel.ceiling > channel.lastId) channel.lastId = channel.ceiling;
  }
}
