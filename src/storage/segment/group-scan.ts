/**
 * Going through a segment's bytes group by group. A group counts only whole: first to last frame, each naming the checksum of the one before.
 *
 *     [first …][…][… last]  [first last]  [first …][   bad
 *      group                 group         stop: `at` is here, `badAt` there
 */
import { decodeFrame, frameAlignment, paddedLength, plausibleLength, type Frame } from "./frame.js";

const zeroBlock = Buffer.alloc(4096);

/** A whole group. */
export interface ScannedGroup {
  readonly start: number;
  /** Where its last frame's padding ends. */
  readonly end: number;
  readonly frames: readonly Frame[];
}

/** What is needed to check a segment's frames: its bytes from `base` on. */
export interface SegmentBytes {
  readonly buffer: Buffer;
  /** Where `buffer` begins in the segment. */
  readonly base: number;
  readonly segment: number;
  readonly seed: number;
}

/** Steps through whole groups until there is none. Offsets are the segment's. */
export class GroupScan {
  readonly #bytes: SegmentBytes;
  /** Where the next group would begin: the end of the last whole one. */
  #at: number;
  /** The first place where no valid frame, or none of the group, begins; meaningful once `next` found nothing. */
  #badAt: number;

  constructor(bytes: SegmentBytes, from = bytes.base) {
    this.#bytes = bytes;
    this.#at = from;
    this.#badAt = from;
  }

  get at(): number {
    return this.#at;
  }

  get badAt(): number {
    return this.#badAt;
  }

  /** The group that begins at `at`; undefined when no whole one does. */
  next(): ScannedGroup | undefined {
    const frames: Frame[] = [];
    let end = this.#at;
    for (;;) {
      const frame = this.#frameAt(end);
      this.#badAt = end;
      if (frame === undefined || !follows(frame, frames.at(-1))) return undefined;
      frames.push(frame);
      end += paddedLength(frame.bytes.length);
      if (frame.last) break;
    }
    const group = { start: this.#at, end, frames };
    this.#at = end;
    this.#badAt = end;
    return group;
  }

  #frameAt(offset: number): Frame | undefined {
    const { buffer, base, segment, seed } = this.#bytes;
    return decodeFrame(buffer, offset - base, base, segment, seed);
  }
}

/** Every valid frame from `from` on, wherever it begins: behind bad frames and zeros too. They witness what was durable. */
export function* framesAnywhere(bytes: SegmentBytes, from: number): Generator<Frame> {
  const { buffer, base, segment, seed } = bytes;
  for (let at = paddedLength(from - base); at < buffer.length; at += frameAlignment) {
    // Most of a file that was filled ahead is zeros.
    if (isZeroBlock(buffer, at)) at += zeroBlock.length;
    if (plausibleLength(buffer, at, segment) === undefined) continue;
    const frame = decodeFrame(buffer, at, base, segment, seed);
    if (frame === undefined) continue;
    yield frame;
    at += paddedLength(frame.bytes.length) - frameAlignment;
  }
}

/** Up to the last byte that is not zero. */
export function usedBytes(buffer: Buffer): number {
  let end = buffer.length;
  while (end >= zeroBlock.length && isZeroBlock(buffer, end - zeroBlock.length)) end -= zeroBlock.length;
  while (end > 0 && buffer[end - 1] === 0) end--;
  return end;
}

function isZeroBlock(buffer: Buffer, at: number): boolean {
  return (
    buffer[at] === 0 &&
    at + zeroBlock.length <= buffer.length &&
    buffer.compare(zeroBlock, 0, zeroBlock.length, at, at + zeroBlock.length) === 0
  );
}

function follows(frame: Frame, before: Frame | undefined): boolean {
  return before === undefined ? frame.first : !frame.first && frame.previous === before.crc;
}
