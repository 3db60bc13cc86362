/**
 * Checks every byte of a segment, and goes on behind what is bad, to find all of it.
 */
import { segmentSeed, type Frame } from "./frame.js";
import { framesAnywhere, GroupScan } from "./group-scan.js";

/** Where something is bad, and what. */
export interface BadPlace {
  readonly file: string;
  readonly offset: number;
  readonly what: string;
}

/** A segment's bytes, and whose they should be. */
export interface SegmentFile {
  readonly file: string;
  readonly buffer: Buffer;
  readonly segment: number;
  readonly storeId: bigint;
}

/**
 * Every bad place before `end`, in order; `onFrame` sees every frame of a whole group. Without an end (nobody knows where the log goes on) only
 * what has whole groups behind it is bad: the rest may be a write that was never finished.
 */
export function verifySegment(
  { file, buffer, segment, storeId }: SegmentFile,
  { end, onFrame }: { readonly end: number | undefined; readonly onFrame: (frame: Frame) => void },
): BadPlace[] {
  const limit = end ?? buffer.length;
  const bytes = { buffer: buffer.subarray(0, limit), base: 0, segment, seed: segmentSeed(storeId, segment) };
  const bad: BadPlace[] = [];
  for (let from = 0; from < limit || (from === 0 && limit === 0);) {
    const scan = new GroupScan(bytes, from);
    for (let group = scan.next(); group !== undefined; group = scan.next()) group.frames.forEach(onFrame);
    if (scan.at >= limit && limit > 0) break;
    const next = nextGroupStart(framesAnywhere(bytes, scan.badAt + 8));
    if (next === undefined && end === undefined) break;
    const until = next ?? limit;
    bad.push({
      file,
      offset: scan.badAt,
      what: buffer.length < limit && next === undefined ? endsEarly(buffer.length, limit) : damaged(until),
    });
    if (next === undefined) break;
    from = next;
  }
  return bad;
}

function nextGroupStart(frames: Iterable<Frame>): number | undefined {
  for (const frame of frames) if (frame.first) return frame.offset;
  return undefined;
}

function damaged(until: number): string {
  return `no whole group stands between here and offset ${until}`;
}

function endsEarly(size: number, end: number): string {
  return `the file ends at offset ${size}, the segment at ${end}`;
}
