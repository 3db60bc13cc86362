/**
 * Going through a segment whatever is bad in it: whole groups, and the holes between them.
 *
 *     [group][group]░░░bad░░░[group][group]░░░          groups are handed on in order; ░ is a hole, unless nobody knows that it should not be
 */
import type { BadPlace } from "./segment-verify.js";
import { framesAnywhere, GroupScan, type ScannedGroup, type SegmentBytes } from "./group-scan.js";

/** A stretch in which no whole group stands. */
export interface Gap extends BadPlace {
  /** What is lost lies in [start, end). `offset` is the first place in it that is bad. */
  readonly start: number;
  readonly end: number;
}

/** A part of a segment. */
export type Piece = { readonly group: ScannedGroup } | { readonly gap: Gap };

/**
 * The parts of a segment in order. With an end all before it should be whole. Without one what stands behind the last whole group is no gap:
 * it may be a write that was never finished.
 */
export function* piecesOf(file: string, bytes: SegmentBytes, end: number | undefined): Generator<Piece> {
  const limit = end ?? bytes.buffer.length;
  const part = { ...bytes, buffer: bytes.buffer.subarray(0, limit) };
  for (let scan = new GroupScan(part, 0); ;) {
    for (let group = scan.next(); group !== undefined; group = scan.next()) yield { group };
    if (scan.at >= limit) return;
    const next = nextWholeGroup(part, scan.badAt + 8);
    if (next === undefined && end === undefined) return;
    yield { gap: { file, offset: scan.badAt, start: scan.at, end: next ?? limit, what: describe(bytes.buffer.length, limit, next) } };
    if (next === undefined) return;
    scan = new GroupScan(part, next);
  }
}

/** Frames that are valid one by one make no group. */
function nextWholeGroup(bytes: SegmentBytes, from: number): number | undefined {
  for (const frame of framesAnywhere(bytes, from)) {
    if (frame.first && new GroupScan(bytes, frame.offset).next() !== undefined) return frame.offset;
  }
  return undefined;
}

function describe(size: number, limit: number, next: number | undefined): string {
  return size < limit && next === undefined
    ? `the file ends at offset ${size}, the segment at ${limit}`
    : `no whole group stands before offset ${next ?? limit}`;
}
