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
import type { BatchPlace } from "./batch-place.js";
import { ChannelExtents, type Extent } from "./channel-extents.js";

const gapBytes = 32 * 1024;
const extentBytes = 256 * 1024;

/** Which extents a segment has, of each channel. */
export interface ExtentIndex {
  /** What it takes in memory, about. */
  readonly memoryBytes: number;
  /** The numbers of the channels that it has extents of. */
  channels(): IterableIterator<number>;
  /** The channel's extents from the one that holds the first id >= `id` on. */
  extentsFrom(channel: number, id: bigint): Extent[];
}

/** The index of a segment that is being written, or gone through. */
export class SegmentIndex implements ExtentIndex {
  readonly #extents = new Map<number, ChannelExtents>();
  #memoryBytes = 0;

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Enters a frame that stands behind all others. `end` is where its padding ends. */
  add(batch: Omit<BatchPlace, "bytesFrom">, end: number): void {
    const { channel, baseId: firstId, count, length: bytes, offset, timeMs: lastTimeMs } = batch;
    const extents = this.#extents.get(channel);
    const lastId = firstId + BigInt(count) - 1n;
    const isCopy = batch.rest !== undefined;
    const before = isCopy ? extents?.copyBefore(firstId) : extents?.last;
    if (before !== undefined && isNear(before, batch, end) && (!isCopy || before.lastId + 1n === firstId)) {
      before.lastId = lastId;
      before.count += count;
      before.bytes += bytes;
      before.end = end;
      before.lastTimeMs = lastTimeMs;
    } else {
      this.#push(channel, { firstId, lastId, count, bytes, offset, end, lastTimeMs }, isCopy);
    }
  }

  channels(): IterableIterator<number> {
    return this.#extents.keys();
  }

  extentsFrom(channel: number, id: bigint): Extent[] {
    return this.#extents.get(channel)?.from(id) ?? [];
  }

  #push(channel: number, extent: Extent, isCopy: boolean): void {
    const known = this.#extents.get(channel);
    const extents = known ?? new ChannelExtents();
    if (known === undefined) this.#extents.set(channel, extents);
    else this.#memoryBytes -= known.memoryBytes;
    if (isCopy) extents.pushCopy(extent);
    else extents.push(extent);
    this.#memoryBytes += extents.memoryBytes;
  }
}

function isNear(extent: Extent, batch: Pick<BatchPlace, "offset">, end: number): boolean {
  return batch.offset >= extent.end && batch.offset - extent.end < gapBytes && end - extent.offset <= extentBytes;
}
