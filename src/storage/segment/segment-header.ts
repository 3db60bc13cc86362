/**
 * The first frame of every segment: which segment comes before it, and where that one ends.
 *
 * From its first byte on the segment before is closed for good; this is the only place but the checkpoint that says where a segment ends.
 * The store's id stands in it in the clear, so that a file of another store is told from a damaged one of ours.
 *
 *     body: "TIDEMARK" · store id · previous segment · its end · limit · unclean · what the store keeps
 */
import type { StoreKind } from "../store-kind.js";
import { decodeFrame, frameHeaderBytes, paddedLength, sealFrame, segmentAt, segmentSeed, type Frame } from "./frame.js";
import { origin, type Position } from "./position.js";

const magic = Buffer.from("TIDEMARK", "latin1");
const bodyBytes = 32;
const at = { magic: 0, storeId: 8, previous: 16, previousEnd: 20, limit: 24, unclean: 28, keeps: 29 } as const;
/** What stands for each kind of store; 0 is what earlier builds wrote. */
const keepsCode: Readonly<Record<StoreKind, number>> = { queue: 1, meta: 2 };

/** The bytes a header frame takes; the first group begins behind it. */
export const segmentHeaderBytes = paddedLength(frameHeaderBytes + bodyBytes);

/** What a segment says about itself. */
export interface SegmentHeader {
  readonly storeId: bigint;
  /** The segment before this one and its end; `origin` for the first. */
  readonly previous: Position;
  /** The size at which this one is full; the next may be up to four times larger. */
  readonly limit: number;
  /** Made by an open after an unclean stop: every channel's last id goes up to its ceiling. */
  readonly unclean: boolean;
  /** For whoever has lost the checkpoint, which says the same. Undefined: not said. */
  readonly keeps: StoreKind | undefined;
}

/** A header that could be read, and what it says its place is. */
export interface FoundHeader extends SegmentHeader {
  readonly segment: number;
  readonly term: bigint;
  readonly frame: Frame;
}

/** The header frame of `segment`, padded. */
export function encodeSegmentHeader(
  segment: number,
  header: SegmentHeader,
  durableThrough: Position,
  term: bigint,
  timeMs: number,
): Buffer {
  const padded = Buffer.alloc(segmentHeaderBytes);
  const frame = padded.subarray(0, frameHeaderBytes + bodyBytes);
  const body = frame.subarray(frameHeaderBytes);
  magic.copy(body, at.magic);
  body.writeBigUInt64LE(header.storeId, at.storeId);
  body.writeUInt32LE(header.previous.segment, at.previous);
  body.writeUInt32LE(header.previous.offset, at.previousEnd);
  body.writeUInt32LE(header.limit, at.limit);
  body[at.unclean] = header.unclean ? 1 : 0;
  body[at.keeps] = header.keeps === undefined ? 0 : keepsCode[header.keeps];
  const marks = { kind: "header", first: true, last: true, previous: 0 } as const;
  sealFrame(
    frame,
    { ...marks, segment, durableThrough, channel: 0, baseId: 0n, count: 1, timeMs, term },
    0,
    segmentSeed(header.storeId, segment),
  );
  return padded;
}

/** The header at the start of a segment's bytes, valid for this place; undefined otherwise. */
export function decodeSegmentHeader(buffer: Buffer, segment: number, storeId: bigint): FoundHeader | undefined {
  const frame = decodeFrame(buffer, 0, 0, segment, segmentSeed(storeId, segment));
  if (frame?.kind !== "header") return undefined;
  return { ...headerIn(frame), segment: frame.segment, term: frame.term, frame };
}

/** What a checked header frame says. */
export function headerIn(frame: Frame): SegmentHeader {
  const body = Buffer.from(frame.bytes.buffer, frame.bytes.byteOffset + frameHeaderBytes, bodyBytes);
  const previous = body.readUInt32LE(at.previous);
  return {
    storeId: body.readBigUInt64LE(at.storeId),
    previous: previous === 0 ? origin : { segment: previous, offset: body.readUInt32LE(at.previousEnd) },
    limit: body.readUInt32LE(at.limit),
    unclean: body[at.unclean] === 1,
    keeps: body[at.keeps] === keepsCode.queue ? "queue" : body[at.keeps] === keepsCode.meta ? "meta" : undefined,
  };
}

/** The header at the start of these bytes, valid for the place that it claims itself. */
export function claimedHeader(buffer: Buffer): FoundHeader | undefined {
  if (buffer.length < segmentHeaderBytes || !buffer.subarray(frameHeaderBytes, frameHeaderBytes + magic.length).equals(magic))
    return undefined;
  return decodeSegmentHeader(buffer, segmentAt(buffer, 0), buffer.readBigUInt64LE(frameHeaderBytes + at.storeId));
}

/** The store's id that stands in a header, be the header damaged or not; undefined where there is none to be seen. */
export function unprovenStoreId(buffer: Buffer): bigint | undefined {
  const body = buffer.subarray(frameHeaderBytes, frameHeaderBytes + bodyBytes);
  return body.length === bodyBytes && body.subarray(0, magic.length).equals(magic) ? body.readBigUInt64LE(at.storeId) : undefined;
}
