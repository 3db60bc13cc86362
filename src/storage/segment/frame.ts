/**
 * A frame: the unit of the log that carries a checksum. Little-endian; frames begin at multiples of 8.
 *
 *      0 ┌────────────┬────────────┬───┬───┬───┬───┬────────────┐
 *        │ crc32      │ length     │ver│knd│mrk│ 0 │ segment    │
 *     16 ├────────────┼────────────┴───┴───┴───┴───┼────────────┤
 *        │ previous   │ durable through            │ channel    │    previous: crc of the frame before it in its group
 *        │            │ (segment, offset)          │            │
 *     32 ├────────────┴────────────┬────────────┬──┴────────────┤
 *        │ base id                 │ count      │ rest          │    rest: of a copy, else 0
 *     48 ├─────────────────────────┼────────────┴───────────────┤
 *        │ time, ms                │ term                       │
 *     64 ├─────────────────────────┴────────────────────────────┤
 *        │ body …                                               │
 *        └──────────────────────────────────────────────────────┘
 *
 * `length` counts header and body, not the padding. The crc covers everything behind itself and is seeded with the place where the
 * frame stands, so that bytes of another store, another segment or another offset are never taken for a frame.
 */
import { crc32 } from "../../base/crc32.js";
import type { Position } from "./position.js";

/** Bytes before a frame's body. */
export const frameHeaderBytes = 64;
/** Frames begin at multiples of this. */
export const frameAlignment = 8;
const frameVersion = 1;

const offsets = {
  crc: 0,
  length: 4,
  version: 8,
  kind: 9,
  marks: 10,
  segment: 12,
  previous: 16,
  durableSegment: 20,
  durableOffset: 24,
  channel: 28,
  baseId: 32,
  count: 40,
  rest: 44,
  timeMs: 48,
  term: 56,
} as const;
const crcCoversFrom = offsets.length;

const marks = { first: 1, last: 2, copy: 4 } as const;
const kinds = { header: 1, batch: 2, control: 3 } as const;
const kindNames = ["header", "batch", "control"] as const;

/** What a frame holds: the segment's header, a batch of one channel's messages, or control records. */
export type FrameKind = keyof typeof kinds;

/** A frame's header, decoded. `count` is of messages or records; `channel` and `baseId` are 0 where they have no meaning. */
export interface FrameHeader {
  readonly kind: FrameKind;
  readonly first: boolean;
  readonly last: boolean;
  readonly segment: number;
  readonly previous: number;
  readonly durableThrough: Position;
  readonly channel: number;
  readonly baseId: bigint;
  readonly count: number;
  /**
   * Of a batch that was copied forward from an earlier segment: how many messages of the run it is taken from are behind it. Its ids and time are
   * those of the original, in whose place it comes. Undefined: no copy.
   */
  readonly rest?: number | undefined;
  readonly timeMs: number;
  readonly term: bigint;
}

/** A valid frame, and where it stands. `bytes` is header and body, without padding. */
export interface Frame extends FrameHeader {
  readonly offset: number;
  readonly crc: number;
  readonly bytes: Uint8Array;
}

/** The bytes a frame of this length takes with its padding. */
export function paddedLength(length: number): number {
  return Math.ceil(length / frameAlignment) * frameAlignment;
}

/** A frame's body: a view into it. */
export function bodyOf(frame: Frame): Uint8Array {
  return frame.bytes.subarray(frameHeaderBytes);
}

/** The id of a batch frame's last message. */
export function lastIdOf({ baseId, count }: Pick<Frame, "baseId" | "count">): bigint {
  return baseId + BigInt(count) - 1n;
}

/** The first bytes of every crc in this segment: from the store's id and the segment's number. */
export function segmentSeed(storeId: bigint, segment: number): number {
  const place = Buffer.alloc(12);
  place.writeBigUInt64LE(storeId, 0);
  place.writeUInt32LE(segment, 8);
  return crc32(place);
}

/** Different offsets give different seeds, and a crc is one to one in its seed. */
function seedAt(seed: number, offset: number): number {
  return (seed ^ offset) >>> 0;
}

/** Writes a frame's header over `frame`, whose body stands already, and returns its crc. */
export function sealFrame(frame: Buffer, header: FrameHeader, offset: number, seed: number): number {
  frame.writeUInt32LE(frame.length, offsets.length);
  frame[offsets.version] = frameVersion;
  frame[offsets.kind] = kinds[header.kind];
  frame[offsets.marks] = (header.first ? marks.first : 0) | (header.last ? marks.last : 0) | (header.rest === undefined ? 0 : marks.copy);
  frame[offsets.marks + 1] = 0;
  frame.writeUInt32LE(header.segment, offsets.segment);
  frame.writeUInt32LE(header.previous, offsets.previous);
  frame.writeUInt32LE(header.durableThrough.segment, offsets.durableSegment);
  frame.writeUInt32LE(header.durableThrough.offset, offsets.durableOffset);
  frame.writeUInt32LE(header.channel, offsets.channel);
  frame.writeBigInt64LE(header.baseId, offsets.baseId);
  frame.writeUInt32LE(header.count, offsets.count);
  frame.writeUInt32LE(header.rest ?? 0, offsets.rest);
  frame.writeDoubleLE(header.timeMs, offsets.timeMs);
  frame.writeBigUInt64LE(header.term, offsets.term);
  const crc = crc32(frame.subarray(crcCoversFrom), seedAt(seed, offset));
  frame.writeUInt32LE(crc, offsets.crc);
  return crc;
}

/** The length a frame at `at` would have, if one could begin there at all; undefined for zeros, cut-off bytes and noise. No crc is checked. */
export function plausibleLength(buffer: Buffer, at: number, segment: number): number | undefined {
  if (at + frameHeaderBytes > buffer.length) return undefined;
  if (segmentAt(buffer, at) !== segment || buffer[at + offsets.version] !== frameVersion) return undefined;
  const length = buffer.readUInt32LE(at + offsets.length);
  const kind = buffer[at + offsets.kind] ?? 0;
  // The padding belongs to it: what follows begins behind it, and readers read up to there.
  if (length < frameHeaderBytes || at + paddedLength(length) > buffer.length || kind < kinds.header || kind > kinds.control)
    return undefined;
  return length;
}

/** Whether a frame may begin at `at` that these bytes hold only a part of. */
export function isCutOff(buffer: Buffer, at: number, segment: number): boolean {
  if (at + frameHeaderBytes > buffer.length) return true;
  const isOurs = segmentAt(buffer, at) === segment && buffer[at + offsets.version] === frameVersion;
  return isOurs && at + buffer.readUInt32LE(at + offsets.length) > buffer.length;
}

/** The segment that the bytes at `at` say they belong to. No crc is checked. */
export function segmentAt(buffer: Buffer, at: number): number {
  return buffer.readUInt32LE(at + offsets.segment);
}

/** Whose the frame at `at` is and how long, without checking it: for stepping over frames that are not asked for. */
export function peekFrame(buffer: Buffer, at: number, segment: number): { channel: number; baseId: bigint; length: number } | undefined {
  const length = plausibleLength(buffer, at, segment);
  if (length === undefined) return undefined;
  return { channel: buffer.readUInt32LE(at + offsets.channel), baseId: buffer.readBigInt64LE(at + offsets.baseId), length };
}

/**
 * The valid frame at `at` of `buffer`, or undefined: zeros, the end of the bytes, an old frame of another place and a wrong crc are all the same.
 *
 * @param base where `buffer` begins in the segment
 */
export function decodeFrame(buffer: Buffer, at: number, base: number, segment: number, seed: number): Frame | undefined {
  const length = plausibleLength(buffer, at, segment);
  if (length === undefined) return undefined;
  const crc = buffer.readUInt32LE(at + offsets.crc);
  const bytes = buffer.subarray(at, at + length);
  if (crc32(bytes.subarray(crcCoversFrom), seedAt(seed, base + at)) !== crc) return undefined;
  // No checksum covers the padding; it is zeros, or damaged.
  for (let end = at + length; end < at + paddedLength(length); end++) if (buffer[end] !== 0) return undefined;
  return headerOf(bytes, base + at, crc);
}

function headerOf(bytes: Buffer, offset: number, crc: number): Frame {
  const mark = bytes[offsets.marks] ?? 0;
  return {
    kind: kindNames[(bytes[offsets.kind] ?? 0) - 1] ?? "control",
    first: (mark & marks.first) !== 0,
    last: (mark & marks.last) !== 0,
    segment: bytes.readUInt32LE(offsets.segment),
    previous: bytes.readUInt32LE(offsets.previous),
    durableThrough: { segment: bytes.readUInt32LE(offsets.durableSegment), offset: bytes.readUInt32LE(offsets.durableOffset) },
    channel: bytes.readUInt32LE(offsets.channel),
    baseId: bytes.readBigInt64LE(offsets.baseId),
    count: bytes.readUInt32LE(offsets.count),
    rest: (mark & marks.copy) === 0 ? undefined : bytes.readUInt32LE(offsets.rest),
    timeMs: bytes.readDoubleLE(offsets.timeMs),
    term: bytes.readBigUInt64LE(offsets.term),
    offset,
    crc,
    bytes,
  };
}
