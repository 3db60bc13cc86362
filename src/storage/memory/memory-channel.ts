/**
 * What readers may see of one channel: its retained batches, ascending by id.
 *
 *     firstId        beginId                    endId
 *        |··trimmed····|■■■■|  gap  |■■■■■■■■■■■■|
 *
 * A batch goes when all its messages are trimmed; a trim inside a batch hides the rest of it.
 */
import type { ChannelView, RetainedBatch, StoredMessage } from "../engine.js";
import { lastBelow } from "../stretches.js";
import { bytesFrom, type MemoryBatch } from "./stored-batch.js";

/** The visible state of a channel; the engine moves it when a group is stored. */
export class MemoryChannel implements ChannelView {
  readonly name: string;
  readonly firstId: bigint;
  /** Each holds at least one retained message. */
  #batches: MemoryBatch[] = [];
  #beginId: bigint;
  #endId: bigint;
  #bytes = 0;
  #destroyed = false;

  constructor(name: string, firstId: bigint) {
    this.name = name;
    this.firstId = firstId;
    this.#beginId = firstId;
    this.#endId = firstId;
  }

  get beginId(): bigint {
    return this.#beginId;
  }

  get endId(): bigint {
    return this.#endId;
  }

  get lastId(): bigint {
    return this.#endId - 1n;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get sinceMs(): number | undefined {
    return this.#batches[0]?.timeMs;
  }

  get destroyed(): boolean {
    return this.#destroyed;
  }

  append(batch: MemoryBatch): void {
    this.#batches.push(batch);
    this.#endId = batch.lastId + 1n;
    this.#bytes += batch.bytes;
  }

  /** Hides what is below `beforeId`; returns the bytes that went. */
  trim(beforeId: bigint): number {
    const touched = this.#batches.slice(0, this.#placeOf(beforeId) + 1);
    const held = touched.reduce((sum, batch) => sum + bytesFrom(batch, this.#beginId), 0);
    const left = touched.reduce((sum, batch) => sum + bytesFrom(batch, beforeId), 0);
    this.#beginId = beforeId;
    this.#batches.splice(0, this.#placeOf(beforeId));
    this.#bytes -= held - left;
    return held - left;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#batches = [];
    this.#bytes = 0;
  }

  /** Retained messages with an id >= `fromId`, in order. */
  *messagesFrom(fromId: bigint): Iterable<StoredMessage> {
    const from = this.#retainedFrom(fromId);
    for (let at = this.#placeOf(from); at < this.#batches.length; at++) {
      for (const message of this.#batches[at]?.messages ?? []) if (message.id >= from) yield message;
    }
  }

  countFrom(fromId: bigint): number {
    const from = this.#retainedFrom(fromId);
    return this.#batches
      .slice(this.#placeOf(from))
      .reduce((sum, batch) => sum + Number(batch.lastId - (batch.firstId > from ? batch.firstId : from) + 1n), 0);
  }

  /** The oldest `most` batches. */
  oldest(most: number): RetainedBatch[] {
    return this.#batches
      .slice(0, most)
      .map((batch) => ({ batch, firstId: this.#retainedFrom(batch.firstId) }))
      .map(({ batch, firstId }) => ({ firstId, lastId: batch.lastId, timeMs: batch.timeMs, bytes: bytesFrom(batch, firstId) }));
  }

  /** The last retained message below `id`. */
  lastBelow(id: bigint): bigint | undefined {
    return lastBelow(this.#batches, id);
  }

  idAt(timeMs: number): bigint | undefined {
    const batch = this.#batches.find((candidate) => candidate.timeMs >= timeMs);
    return batch === undefined ? undefined : this.#retainedFrom(batch.firstId);
  }

  #retainedFrom(id: bigint): bigint {
    return id > this.#beginId ? id : this.#beginId;
  }

  /** Index of the first batch that ends at or after `id`. */
  #placeOf(id: bigint): number {
    let low = 0;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const batch = this.#batches[middle];
      if (batch !== undefined && batch.lastId < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
