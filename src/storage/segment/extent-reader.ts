/**
 * Reads stretches of segments, and finds one channel's frames in them.
 *
 *     span   [ours][theirs][ours][theirs][ours]      one read; ours are checked, theirs are stepped over;
 *               3             2             7         12 messages must have come out
 *
 * Theirs are also frames of the same channel with ids that were not asked for: batches that were copied here from elsewhere.
 */
import type { TidemarkError } from "../../base/errors.js";
import { corrupt, unreadable } from "./corrupt.js";
import { decodeFrame, paddedLength, peekFrame, segmentSeed, type Frame } from "./frame.js";
import { ScratchPool } from "./scratch-pool.js";
import type { SegmentFiles } from "./segment-files.js";

/** A stretch of a segment, and how many messages of the channel it holds. */
export interface Span {
  readonly segment: number;
  readonly offset: number;
  readonly end: number;
  readonly count: number;
  readonly firstId: bigint;
  readonly lastId: bigint;
}

/** A span is no longer, but for one that a single large frame fills. */
const scratchBytes = 1024 * 1024;

/** Turns spans into checked frames. */
export class ExtentReader {
  readonly #files: Pick<SegmentFiles, "read" | "path">;
  readonly #storeId: bigint;

  readonly #scratch = new ScratchPool(scratchBytes);

  constructor(files: Pick<SegmentFiles, "read" | "path">, storeId: bigint) {
    this.#files = files;
    this.#storeId = storeId;
  }

  /**
   * The channel's frames in the span, all of them, checked.
   *
   * @throws `corrupt` with the place; `io-failed` when the system could not read at all
   */
  async frames(channel: number, span: Span): Promise<Frame[]> {
    if (span.end - span.offset > scratchBytes) return this.#framesIn(await this.#read(span), channel, span);
    const scratch = await this.#scratch.take();
    let mostlyOurs = false;
    try {
      const frames = this.#framesIn(await this.#read(span, scratch), channel, span);
      const bytes = frames.reduce((sum, frame) => sum + frame.bytes.length, 0);
      // It goes with the views of it, and costs no copy. Else they would keep all that was read in memory for the little that is ours.
      mostlyOurs = bytes > scratchBytes / 2;
      return mostlyOurs ? frames : copied(frames, bytes);
    } finally {
      if (mostlyOurs) this.#scratch.lose();
      else this.#scratch.giveBack(scratch);
    }
  }

  #framesIn(buffer: Buffer, channel: number, span: Span): Frame[] {
    const seed = segmentSeed(this.#storeId, span.segment);
    const frames: Frame[] = [];
    let count = 0;
    for (let at = 0; at < buffer.length;) {
      const peeked = peekFrame(buffer, at, span.segment);
      if (peeked === undefined) throw this.#damaged(buffer, span);
      if (peeked.channel === channel && peeked.baseId >= span.firstId && peeked.baseId <= span.lastId) {
        const frame = decodeFrame(buffer, at, span.offset, span.segment, seed);
        if (frame === undefined) throw this.#damaged(buffer, span);
        frames.push(frame);
        count += frame.count;
      }
      at += paddedLength(peeked.length);
    }
    // A damaged length in a frame of another channel may have made us step over one of ours.
    if (count !== span.count) throw this.#damaged(buffer, span);
    return frames;
  }

  async #read(span: Span, into?: Buffer): Promise<Buffer> {
    const { segment, offset, end } = span;
    const file = this.#files.path(segment);
    let buffer: Buffer;
    try {
      buffer = await this.#files.read(segment, offset, end - offset, into);
    } catch (error) {
      throw unreadable(file, offset, error);
    }
    if (buffer.length < end - offset) throw corrupt(file, offset + buffer.length, `the file ends here, and should go on to ${end}`);
    return buffer;
  }

  /** Looks for the exact place: the first frame in the span that is not valid. */
  #damaged(buffer: Buffer, span: Span): TidemarkError {
    const { segment, offset } = span;
    const seed = segmentSeed(this.#storeId, segment);
    let at = 0;
    for (let frame = decodeFrame(buffer, at, offset, segment, seed); frame !== undefined;) {
      at += paddedLength(frame.bytes.length);
      frame = decodeFrame(buffer, at, offset, segment, seed);
    }
    const what = at < buffer.length ? "no valid frame begins here" : `${span.count} messages should stand in the bytes before it`;
    return corrupt(this.#files.path(segment), offset + at, what);
  }
}

/** The same frames, in a buffer that holds nothing else. */
function copied(frames: readonly Frame[], bytes: number): Frame[] {
  const own = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  return frames.map((frame) => {
    const copy = own.subarray(at, at + frame.bytes.length);
    at += frame.bytes.length;
    copy.set(frame.bytes);
    return { ...frame, bytes: copy };
  });
}
