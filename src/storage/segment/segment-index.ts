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
import { firstIndex, indexFrom } from "../stretches.js";
import type { BatchPlace } from "./batch-place.js";

const gapBytes = 32 * 1024;
const extentBytes = 256 * 1024;
/** Of its file. The first one had no bytes an extent, and no number: the end of the segment stood in its place. */
const format = 2;

/** A stretch that holds `count` messages of one channel, with ids from `firstId` to `lastId`. */
export interface Extent {
  readonly firstId: bigint;
  lastId: bigint;
  count: number;
  /** Of the frames that hold them, padding not included. */
  bytes: number;
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
  add(batch: Omit<BatchPlace, "bytesFrom">, end: number): void {
    const extents = this.#of(batch.channel);
    const lastId = batch.baseId + BigInt(batch.count) - 1n;
    const isCopy = batch.rest !== undefined;
    const at = isCopy ? firstIndex(extents, ({ firstId }) => firstId > batch.baseId) : extents.length;
    const before = extents[at - 1];
    if (before !== undefined && isNear(before, batch, end) && (isCopy ? isNextCopy(before, batch) : before.isCopy !== true)) {
      before.lastId = lastId;
      before.count += batch.count;
      before.bytes += batch.length;
      before.end = end;
      before.lastTimeMs = batch.timeMs;
    } else {
      const { baseId: firstId, count, length: bytes, offset, timeMs: lastTimeMs } = batch;
      extents.splice(at, 0, { firstId, lastId, count, bytes, offset, end, lastTimeMs, ...(isCopy ? { isCopy } : {}) });
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
    return extents.slice(indexFrom(extents, id));
  }

  /** Its bytes in an index file, valid for no other segment. */
  encode({ end, seed }: IndexedSegment): Uint8Array {
    const writer = new ByteWriter();
    writer.u32(format).u32(end).u32(this.#extents.size);
    for (const [channel, extents] of this.#extents) {
      writer.u32(channel).u32(extents.length);
      for (const { firstId, lastId, count, bytes, offset, end: extentEnd, lastTimeMs } of extents) {
        writer.u64(firstId).u64(lastId).u32(count).u32(bytes).u32(offset).u32(extentEnd).f64(lastTimeMs);
      }
    }
    const body = writer.toBytes();
    return Buffer.concat([new ByteWriter().u32(crc32(body, seed)).toBytes(), body]);
  }

  /** The index that these bytes of an index file hold; undefined if they are damaged, or of another segment. */
  static decode(bytes: Buffer, { end, seed }: IndexedSegment): SegmentIndex | undefined {
    if (bytes.length < 16 || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4), seed)) return undefined;
    const reader = new ByteReader(bytes.subarray(4));
    if (reader.u32() !== format || reader.u32() !== end) return undefined;
    const index = new SegmentIndex();
    for (let channels = reader.u32(); channels > 0; channels--) {
      const extents = index.#of(reader.u32());
      for (let left = reader.u32(); left > 0; left--) {
        const [firstId, lastId] = [reader.u64(), reader.u64()];
        const [count, frameBytes, offset, extentEnd, lastTimeMs] = [reader.u32(), reader.u32(), reader.u32(), reader.u32(), reader.f64()];
        extents.push({ firstId, lastId, count, bytes: frameBytes, offset, end: extentEnd, lastTimeMs });
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

function isNear(extent: Extent, batch: Pick<BatchPlace, "offset">, end: number): boolean {
  return batch.offset >= extent.end && batch.offset - extent.end < gapBytes && end - extent.offset <= extentBytes;
}

function isNextCopy(extent: Extent, batch: Pick<BatchPlace, "baseId">): boolean {
  return extent.isCopy === true && extent.lastId + 1n === batch.baseId;
}
