/**
 * One channel's extents in a segment, small: of ten thousand channels that take turns each frame has an extent of its own.
 *
 *     packed │ flags │ gap │ holes │ count │ from the end before │ length │ padding │ later by │ …        about ten bytes an extent
 *     last     the one that may still grow, as it is
 *     copies   as they are: they come in long stretches, in any order
 *
 * What is mostly so takes no byte: ids that follow those before, without holes, one message. Lookups go through all that is packed, but for
 * one in the last extent, where those who wait for more are.
 */
import { firstIndex, indexFrom, isDense } from "../stretches.js";
import { readVarint, varintBytes, writeVarint } from "./varint.js";

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
}

/** Of one that is not packed, in memory. */
const extentBytes = 150;
/** Of a channel with one extent, and of what more than one is packed in. */
const channelBytes = 300;
const packedBytes = 250;
/** More than any one takes packed. */
const mostPackedBytes = 64;
const nothing = Buffer.alloc(0);

const hasGap = 1;
const hasHoles = 2;
const hasMany = 4;
const goesBack = 8;
const isEarlier = 16;

/** Where an extent is packed from: what is told of it is the difference. */
type Before = Pick<Extent, "lastId" | "end" | "lastTimeMs">;
const start: Before = { lastId: -1n, end: 0, lastTimeMs: 0 };

/** In the order of their ids. */
export class ChannelExtents {
  #packed = nothing;
  #packedLength = 0;
  /** The last one that is packed. */
  #before = start;
  #last: Extent | undefined;
  #copies: Extent[] = [];

  /** What it takes in memory, about. */
  get memoryBytes(): number {
    const packed = this.#packed.length === 0 ? 0 : packedBytes + this.#packed.length;
    return channelBytes + packed + extentBytes * this.#copies.length;
  }

  /** The one that the next frame may be added to. */
  get last(): Extent | undefined {
    const last = this.#last;
    const copy = this.#copies.at(-1);
    // What was copied in behind it stands between its ids and the next.
    return last !== undefined && copy !== undefined && copy.firstId > last.firstId ? undefined : last;
  }

  /** The copy with the greatest ids below `id`. */
  copyBefore(id: bigint): Extent | undefined {
    return this.#copies[firstIndex(this.#copies, ({ firstId }) => firstId > id) - 1];
  }

  /** Enters an extent with ids above all but copies'. */
  push(extent: Extent): void {
    if (this.#last !== undefined) this.#pack(this.#last);
    this.#last = extent;
  }

  pushCopy(extent: Extent): void {
    this.#copies.splice(
      firstIndex(this.#copies, ({ firstId }) => firstId > extent.firstId),
      0,
      extent,
    );
  }

  /** From the one that holds the first id >= `id` on. */
  from(id: bigint): Extent[] {
    const found: Extent[] = [];
    if (id <= this.#before.lastId) for (const extent of this.#unpack()) if (extent.lastId >= id) found.push(extent);
    if (this.#last !== undefined && this.#last.lastId >= id) found.push(this.#last);
    const copies = this.#copies.slice(indexFrom(this.#copies, id));
    return copies.length === 0 ? found : [...copies, ...found].sort((a, b) => (a.firstId < b.firstId ? -1 : 1));
  }

  #pack(extent: Extent): void {
    const { firstId, lastId, count, bytes, offset, end, lastTimeMs } = extent;
    const before = this.#before;
    const into = this.#room();
    const [gap, ahead, laterMs] = [firstId - before.lastId - 1n, offset - before.end, lastTimeMs - before.lastTimeMs];
    const flags =
      (gap > 0n ? hasGap : 0) |
      (isDense(extent) ? 0 : hasHoles) |
      (count > 1 ? hasMany : 0) |
      (ahead < 0 ? goesBack : 0) |
      (laterMs < 0 ? isEarlier : 0);
    let at = this.#packedLength;
    into[at++] = flags;
    if (gap > 0n) at = writeDistance(into, at, gap);
    if ((flags & hasHoles) !== 0) at = writeDistance(into, at, lastId - firstId + 1n - BigInt(count));
    if (count > 1) at = writeVarint(into, at, count);
    at = writeVarint(into, at, Math.abs(ahead));
    at = writeVarint(into, at, end - offset);
    at = writeVarint(into, at, end - offset - bytes);
    this.#packedLength = writeVarint(into, at, Math.abs(laterMs));
    this.#before = extent;
  }

  #room(): Buffer {
    const needed = this.#packedLength + mostPackedBytes;
    if (needed > this.#packed.length) {
      const roomier = Buffer.allocUnsafeSlow(needed + (needed >> 2));
      this.#packed.copy(roomier, 0, 0, this.#packedLength);
      this.#packed = roomier;
    }
    return this.#packed;
  }

  *#unpack(): Generator<Extent> {
    let before = start;
    for (const reading = { bytes: this.#packed, at: 0 }; reading.at < this.#packedLength;) {
      const flags = reading.bytes[reading.at++] ?? 0;
      const firstId = before.lastId + 1n + ((flags & hasGap) === 0 ? 0n : readDistance(reading));
      const holes = (flags & hasHoles) === 0 ? 0n : readDistance(reading);
      const count = (flags & hasMany) === 0 ? 1 : readNumber(reading);
      const ahead = readNumber(reading);
      const length = readNumber(reading);
      const bytes = length - readNumber(reading);
      const laterMs = readNumber(reading);
      const offset = before.end + ((flags & goesBack) === 0 ? ahead : -ahead);
      const lastTimeMs = before.lastTimeMs + ((flags & isEarlier) === 0 ? laterMs : -laterMs);
      const extent = { firstId, lastId: firstId + BigInt(count) - 1n + holes, count, bytes, offset, end: offset + length, lastTimeMs };
      yield extent;
      before = extent;
    }
  }
}

/** Bytes, and how far they were read. */
interface Reading {
  readonly bytes: Buffer;
  at: number;
}

function readNumber(reading: Reading): number {
  const value = readVarint(reading.bytes, reading.at);
  reading.at += varintBytes(value);
  return value;
}

/** Ids may be 63 bits apart: the lower 32 first. */
function writeDistance(into: Buffer, at: number, distance: bigint): number {
  return writeVarint(into, writeVarint(into, at, Number(distance & 0xffff_ffffn)), Number(distance >> 32n));
}

function readDistance(reading: Reading): bigint {
  const low = BigInt(readNumber(reading));
  return low + (BigInt(readNumber(reading)) << 32n);
}
