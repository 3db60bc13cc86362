/**
 * Where a segment's messages are: extents, each a stretch of the segment that holds neighbouring frames of one channel.
 *
 *     segment   │ a │ b │ a │ c │ a │   c   │ c │ ……………… │ a │
 *     extents     a ═════════════         c ═════           a ═
 *
 * Frames of a channel less than `gapBytes` apart share an extent, up to `extentBytes`: a busy channel costs an entry per quarter of a
 * mebibyte, not per frame, and a reader takes an extent in one read and steps over what is not its own.
 *
 * A channel's extents are in the order of their ids, which is that of their offsets but for copies: those have extents of their own, in which
 * no id is missing, since what comes between may stand in another segment.
 */
import { crc32 } from "../../base/crc32.js";
import { ByteReader } from "../../base/byte-reader.js";
import { ByteWriter } from "../../base/byte-writer.js";
import { firstIndex, type BatchPlace } from "./channel-state.js";

const gapBytes = 32 * 1024;
const extentBytes = 256 * 1024;

/** A stretch that holds `count` messages of one channel, with ids from `firstId` to `lastId`. */
export interface Extent {
  readonly firstId: bigint;
  lastId: bigint;
  count: number;
  readonly offset: number;
  /** Where its last frame ends, padding included. */
  end: number;
  lastTimeMs: number;
  /** Of copies. Not in index files: nothing is added to what is read from one. */
  readonly isCopy?: boolean | undefined;
}

/** Which segment an index file speaks of: one for another end, or with the checksum of another seed, says nothing of it. */
export interface IndexedSegment {
  readonly end: number;
  /** The segment's own: see `segmentSeed`. */
  readonly seed: number;
}

/** The extents of one segment, by channel number. */
export class SegmentIndex {
  readonly #extents = new Map<number, Extent[]>();
  #size = 0;

  /** How many extents it has: what it costs to keep. */
  get size(): number {
    return this.#size;
  }

  /** Enters a frame that stands behind all others. `end` is where its padding ends. */
  add(batch: BatchPlace, end: number): void {
    const extents = this.#of(batch.channel);
    const lastId = batch.baseId + BigInt(batch.count) - 1n;
    const isCopy = batch.rest !== undefined;
    const at = isCopy ? firstIndex(extents, ({ firstId }) => firstId > batch.baseId) : extents.length;
    const before = extents[at - 1];
    if (before !== undefined && isNear(before, batch, end) && (isCopy ? isNextCopy(before, batch) : before.isCopy !== true)) {
      before.lastId = lastId;
      before.count += batch.count;
      before.end = end;
      before.lastTimeMs = batch.timeMs;
    } else {
      const { baseId: firstId, count, offset, timeMs: lastTimeMs } = batch;
      extents.splice(at, 0, { firstId, lastId, count, offset, end, lastTimeMs, ...(isCopy ? { isCopy } : {}) });
      this.#size++;
    }
  }

  /** The numbers of the channels that it has extents of. */
  channels(): IterableIterator<number> {
    return this.#extents.keys();
  }

  /** The channel's extents from the one that holds the first id >= `id` on. */
  extentsFrom(channel: number, id: bigint): Extent[] {
    const extents = this.#extents.get(channel) ?? [];
    return extents.slice(firstIndex(extents, (extent) => extent.lastId >= id));
  }

  /** Its bytes in an index file, valid for no other segment. */
  encode({ end, seed }: IndexedSegment): Uint8Array {
    const writer = new ByteWriter();
    writer.u32(end).u32(this.#extents.size);
    for (const [channel, extents] of this.#extents) {
      writer.u32(channel).u32(extents.length);
      for (const extent of extents) {
        writer.u64(extent.firstId).u64(extent.lastId).u32(extent.count).u32(extent.offset).u32(extent.end).f64(extent.lastTimeMs);
      }
    }
    const body = writer.toBytes();
    return Buffer.concat([new ByteWriter().u32(crc32(body, seed)).toBytes(), body]);
  }

  /** The index that these bytes of an index file hold; undefined if they are damaged, or of another segment. */
  static decode(bytes: Buffer, { end, seed }: IndexedSegment): SegmentIndex | undefined {
    if (bytes.length < 12 || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4), seed) || bytes.readUInt32LE(4) !== end) return undefined;
    const reader = new ByteReader(bytes.subarray(8));
    const index = new SegmentIndex();
    for (let channels = reader.u32(); channels > 0; channels--) {
      const extents = index.#of(reader.u32());
      for (let left = reader.u32(); left > 0; left--) {
        const [firstId, lastId] = [reader.u64(), reader.u64()];
        extents.push({ firstId, lastId, count: reader.u32(), offset: reader.u32(), end: reader.u32(), lastTimeMs: reader.f64() });
        index.#size++;
      }
    }
    return index;
  }

  #of(channel: number): Extent[] {
    let extents = this.#extents.get(channel);
    if (extents === undefined) {
      extents = [];
      this.#extents.set(channel, extents);
    }
    return extents;
  }
}

function isNear(extent: Extent, batch: BatchPlace, end: number): boolean {
  return batch.offset >= extent.end && batch.offset - extent.end < gapBytes && end - extent.offset <= extentBytes;
}

function isNextCopy(extent: Extent, batch: BatchPlace): boolean {
  return extent.isCopy === true && extent.lastId + 1n === batch.baseId;
}
