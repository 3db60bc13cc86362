/**
 * What a log says: its channels, its metadata, its counters. The same steps make it from a replay and keep it while the log is written.
 */
import { assert } from "../../base/assert.js";
import { MetaMap } from "../meta-map.js";
import type { StoreKind } from "../store-kind.js";
import { indexFrom } from "../stretches.js";
import type { BatchPlace } from "./batch-place.js";
import { ChannelState, type ChannelSeed, type Run } from "./channel-state.js";
import type { ControlRecord } from "./control-record.js";
import { SegmentTable } from "./segment-table.js";

type TrimRecord = Extract<ControlRecord, { type: "trim" }>;

/** Channels, metadata and counters, as of one position. Pure: no clock, no disk. */
export class LogState {
  /** Said when the store is made, and never changed. */
  keeps: StoreKind = "queue";
  readonly meta = new MetaMap();
  readonly segments = new SegmentTable();
  readonly #byNumber = new Map<number, ChannelState>();
  readonly #byName = new Map<string, ChannelState>();
  /** Channels made from now on begin above it. */
  floor = 0n;
  /** Never reused. */
  nextChannel = 1;
  /** The highest seen in the log. */
  term = 0n;
  /** The time of the last frame; the next one's is no earlier. */
  lastTimeMs = 0;
  /** Channels whose ceiling was raised and not yet synced. */
  readonly raised = new Set<ChannelState>();

  channel(name: string): ChannelState | undefined {
    return this.#byName.get(name);
  }

  get byName(): ReadonlyMap<string, ChannelState> {
    return this.#byName;
  }

  channelByNumber(number: number): ChannelState | undefined {
    return this.#byNumber.get(number);
  }

  channels(): IterableIterator<ChannelState> {
    return this.#byName.values();
  }

  /** A channel as a checkpoint has it. */
  restoreChannel(seed: ChannelSeed): ChannelState {
    const channel = new ChannelState(seed);
    this.#byNumber.set(channel.number, channel);
    this.#byName.set(channel.name, channel);
    this.nextChannel = Math.max(this.nextChannel, channel.number + 1);
    return channel;
  }

  /** Takes over one control record. What it touches is live: a record of a channel that is gone is a broken log. */
  apply(record: ControlRecord): void {
    switch (record.type) {
      case "create": {
        const { channel: number, name, firstId, ceiling } = record;
        assert(!this.#byName.has(name), `channel ${name} is made twice`);
        const channel = this.restoreChannel({ number, name, firstId, beginId: firstId, endId: firstId, lastId: firstId - 1n, ceiling });
        channel.durableCeiling = channel.lastId;
        this.raised.add(channel);
        return;
      }
      case "destroy":
        return this.#destroy(this.#live(record.channel), record.floor);
      case "trim":
        return this.#trim(this.#live(record.channel), record);
      case "ceiling": {
        const channel = this.#live(record.channel);
        channel.ceiling = record.ceiling;
        this.raised.add(channel);
        return;
      }
      case "put":
      case "delete":
        return this.meta.apply(record);
      default:
        return record satisfies never;
    }
  }

  /** Takes over a batch that is news: its ids are above all before, unless it is a copy. Undefined when its channel is gone. */
  append(batch: BatchPlace): ChannelState | undefined {
    if (batch.rest !== undefined) return this.#move(batch, batch.rest);
    const channel = this.count(batch);
    if (channel === undefined) return undefined;
    const lastId = batch.baseId + BigInt(batch.count) - 1n;
    assert(batch.baseId >= channel.endId, `batch at ${batch.segment}:${batch.offset} goes back to id ${batch.baseId} in ${channel.name}`);
    channel.endId = lastId + 1n;
    if (lastId > channel.lastId) channel.lastId = lastId;
    // Outside ids know no ceiling; here it only follows.
    if (lastId > channel.ceiling) channel.ceiling = lastId;
    return channel;
  }

  /** Enters a batch into the accounts, unless its channel is gone or it is trimmed. Returns the channel if it is there. */
  count(batch: BatchPlace): ChannelState | undefined {
    const channel = this.#byNumber.get(batch.channel);
    if (channel === undefined) return undefined;
    const lastId = batch.baseId + BigInt(batch.count) - 1n;
    if (lastId < channel.beginId) return channel;
    const run = this.#runFor(channel, batch, lastId);
    run.count += batch.count;
    if (batch.baseId < run.firstId) [run.firstId, run.firstTimeMs] = [batch.baseId, batch.timeMs];
    if (lastId > run.lastId) [run.lastId, run.lastTimeMs] = [lastId, batch.timeMs];
    this.#grow(channel, run, liveBytes(batch, channel.beginId));
    return channel;
  }

  /** A new run behind the channel's others, or before the one at `at`. */
  openRun(channel: ChannelState, from: Pick<Run, "segment" | "firstId" | "firstTimeMs"> & Partial<Run>, at = channel.runs.length): Run {
    const run: Run = { lastId: from.firstId, count: 0, lastTimeMs: from.firstTimeMs, ...from, bytes: 0 };
    channel.runs.splice(at, 0, run);
    this.segments.retain(run.segment);
    this.#grow(channel, run, from.bytes ?? 0);
    return run;
  }

  /**
   * Goes on under the views that readers of an older state of the same log hold: those of channels that are still there move with this one,
   * the others are destroyed.
   */
  takeOverViews(older: LogState): void {
    for (const view of older.#byNumber.values()) {
      const channel = this.#byNumber.get(view.number);
      if (channel === undefined) {
        view.destroyed = true;
        continue;
      }
      view.follow(channel);
      this.#byNumber.set(view.number, view);
      this.#byName.set(view.name, view);
    }
  }

  /** After an unclean stop ids go on above every ceiling: some below may have been seen and lost. */
  jumpToCeilings(): void {
    for (const channel of this.#byNumber.values()) channel.lastId = channel.ceiling;
  }

  /** All that was logged is synced now. */
  synced(): void {
    for (const channel of this.raised) channel.durableCeiling = channel.ceiling;
    this.raised.clear();
  }

  #live(number: number): ChannelState {
    const channel = this.#byNumber.get(number);
    assert(channel !== undefined, `a record of channel number ${number}, which is not there`);
    return channel;
  }

  #destroy(channel: ChannelState, floor: bigint): void {
    channel.destroyed = true;
    this.#byNumber.delete(channel.number);
    this.#byName.delete(channel.name);
    this.raised.delete(channel);
    if (floor > this.floor) this.floor = floor;
    for (const run of channel.runs.splice(0)) this.#drop(channel, run);
  }

  #trim(channel: ChannelState, { beginId, bytes }: TrimRecord): void {
    const before = { beginId: channel.beginId, bytes: channel.bytes };
    if (beginId > channel.beginId) channel.beginId = beginId;
    const gone = channel.runs.splice(0, indexFrom(channel.runs, channel.beginId));
    for (const run of gone) this.#drop(channel, run);
    const [cut] = channel.runs;
    if (cut === undefined || beginId <= cut.firstId) return;
    const wholeRuns = before.bytes - channel.bytes;
    // Not known: the place where it cuts could not be read.
    const cutBytes = bytes === undefined ? cut.bytes * shareBelow(cut, before.beginId, beginId) : bytes - wholeRuns;
    this.#grow(channel, cut, -Math.round(Math.min(Math.max(cutBytes, 0), cut.bytes - 1)));
  }

  /** Where a batch goes by its ids: into the run of its segment there, be it before or around it, or one of its own. */
  #runFor(channel: ChannelState, { segment, baseId, timeMs }: BatchPlace, lastId: bigint): Run {
    const { runs } = channel;
    const at = indexFrom(runs, baseId);
    const [before, around] = [runs[at - 1], runs[at]];
    if (around?.segment === segment && around.firstId <= lastId) return around;
    if (before?.segment === segment) return before;
    return this.openRun(channel, { segment, firstId: baseId, lastId, firstTimeMs: timeMs }, at);
  }

  /** A copy comes in the place of its original. Nothing else moves: not the channel's end, nor any id given out. */
  #move(batch: BatchPlace, rest: number): ChannelState | undefined {
    const channel = this.#byNumber.get(batch.channel);
    const lastId = batch.baseId + BigInt(batch.count) - 1n;
    if (channel === undefined || lastId < channel.beginId) return channel;
    const source = channel.runAt(batch.baseId);
    if (source !== undefined && source.firstId <= lastId && source.segment !== batch.segment) {
      this.#takeFrom(channel, source, { lastId, rest, bytes: liveBytes(batch, channel.beginId) });
    }
    channel.moves++;
    return this.count(batch);
  }

  /** The first batch of a run that is still live is taken out of it. */
  #takeFrom(channel: ChannelState, source: Run, taken: { readonly lastId: bigint; readonly rest: number; readonly bytes: number }): void {
    if (taken.lastId >= source.lastId) {
      channel.runs.splice(channel.runs.indexOf(source), 1);
      return this.#drop(channel, source);
    }
    source.firstId = taken.lastId + 1n;
    source.count = taken.rest;
    this.#grow(channel, source, -Math.min(taken.bytes, source.bytes - 1));
  }

  #grow(channel: ChannelState, run: Run, bytes: number): void {
    run.bytes += bytes;
    channel.bytes += bytes;
    this.segments.grow(run.segment, bytes);
  }

  #drop(channel: ChannelState, run: Run): void {
    this.#grow(channel, run, -run.bytes);
    this.segments.release(run.segment);
  }
}

/** What a batch that ends at or above `beginId` takes without what is below. */
function liveBytes(batch: BatchPlace, beginId: bigint): number {
  return beginId <= batch.baseId ? batch.length : batch.bytesFrom(beginId);
}

/** How much of what a run still holds is below `beginId`, by its ids. */
function shareBelow(run: Run, beganAt: bigint, beginId: bigint): number {
  const from = beganAt > run.firstId ? beganAt : run.firstId;
  return Number(beginId - from) / Number(run.lastId - from + 1n);
}
