/**
 * A sealed segment's index as its file has it, and as it is kept in memory: the bytes of the file, in which lookups search.
 *
 *     u32 crc of the rest │ u32 format │ u32 end of the segment │ u32 how many, then each channel:
 *         u32 channel · u32 how many, then each extent, 40 bytes:
 *             u64 first id · u64 last id · u32 messages · u32 bytes · u32 offset · u32 end · f64 time of the last
 */
import { crc32 } from "../../base/crc32.js";
import { ByteWriter } from "../../base/byte-writer.js";
import { firstOf } from "../stretches.js";
import type { Extent } from "./channel-extents.js";
import type { ExtentIndex } from "./segment-index.js";

/** The first one had no bytes an extent, and no number: the end of the segment stood in its place. */
const format = 2;
const headBytes = 16;
const extentBytes = 40;
/** Of a channel, besides its bytes. */
const channelBytes = 100;

/** Which segment an index file speaks of: one for another end, or with the checksum of another seed, says nothing of it. */
export interface IndexedSegment {
  readonly end: number;
  /** The segment's own: see `segmentSeed`. */
  readonly seed: number;
}

/** The bytes of an index file, valid for no other segment. */
export function encodeIndex(index: ExtentIndex, { end, seed }: IndexedSegment): Uint8Array {
  const channels = [...index.channels()];
  const writer = new ByteWriter();
  writer.u32(format).u32(end).u32(channels.length);
  for (const channel of channels) {
    const extents = index.extentsFrom(channel, 0n);
    writer.u32(channel).u32(extents.length);
    for (const { firstId, lastId, count, bytes, offset, end: extentEnd, lastTimeMs } of extents) {
      writer.u64(firstId).u64(lastId).u32(count).u32(bytes).u32(offset).u32(extentEnd).f64(lastTimeMs);
    }
  }
  const body = writer.toBytes();
  return Buffer.concat([new ByteWriter().u32(crc32(body, seed)).toBytes(), body]);
}

/** The index that these bytes of an index file hold; undefined if they are damaged, or of another segment. */
export function decodeIndex(bytes: Buffer, { end, seed }: IndexedSegment): ExtentIndex | undefined {
  if (bytes.length < headBytes || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4), seed)) return undefined;
  if (bytes.readUInt32LE(4) !== format || bytes.readUInt32LE(8) !== end) return undefined;
  return new StoredIndex(bytes);
}

class StoredIndex implements ExtentIndex {
  readonly #bytes: Buffer;
  /** Where each channel's extents stand. */
  readonly #places = new Map<number, { readonly from: number; readonly count: number }>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    let at = headBytes;
    for (let left = bytes.readUInt32LE(12); left > 0; left--) {
      const count = bytes.readUInt32LE(at + 4);
      this.#places.set(bytes.readUInt32LE(at), { from: at + 8, count });
      at += 8 + count * extentBytes;
    }
  }

  get memoryBytes(): number {
    return this.#bytes.length + channelBytes * this.#places.size;
  }

  channels(): IterableIterator<number> {
    return this.#places.keys();
  }

  extentsFrom(channel: number, id: bigint): Extent[] {
    const { from = 0, count = 0 } = this.#places.get(channel) ?? {};
    const first = firstOf(count, (at) => this.#bytes.readBigUInt64LE(from + at * extentBytes + 8) >= id);
    return Array.from({ length: count - first }, (_, n) => this.#extent(from + (first + n) * extentBytes));
  }

  #extent(at: number): Extent {
    const bytes = this.#bytes;
    const [firstId, lastId] = [bytes.readBigUInt64LE(at), bytes.readBigUInt64LE(at + 8)];
    const [count, frameBytes] = [bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 20)];
    const [offset, end] = [bytes.readUInt32LE(at + 24), bytes.readUInt32LE(at + 28)];
    return { firstId, lastId, count, bytes: frameBytes, offset, end, lastTimeMs: bytes.readDoubleLE(at + 32) };
  }
}
