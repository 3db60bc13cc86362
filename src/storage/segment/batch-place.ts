/**
 * One batch frame as the accounts and the index see it: which messages, where, and how many bytes.
 *
 *     frame   [ header │ 7 │ 8 │ 9 │ 10 │ starts ]
 *                          └──────────────────────┘   from 8 on: header and starts go with the last message
 */
import { BatchCursor } from "./batch-body.js";
import { bodyOf, lastIdOf, type Frame } from "./frame.js";

/** See above. */
export interface BatchPlace {
  readonly channel: number;
  readonly baseId: bigint;
  readonly count: number;
  readonly timeMs: number;
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
  /** What it takes without its messages below `id`, which is not above its last one. */
  readonly bytesFrom: (id: bigint) => number;
  /** Of a copy: see `FrameHeader`. */
  readonly rest?: number | undefined;
}

/** The place of a checked batch frame, which is in `segment` at `offset`. */
export function placeOf(frame: Frame, { segment, offset }: Pick<BatchPlace, "segment" | "offset">): BatchPlace {
  const { channel, baseId, count, timeMs, rest } = frame;
  return { channel, baseId, count, timeMs, segment, offset, length: frame.bytes.length, bytesFrom: (id) => bytesFrom(frame, id), rest };
}

/** What a checked batch frame takes without its messages below `id`; nothing when none is left. */
export function bytesFrom(frame: Frame, id: bigint): number {
  const { baseId, count, timeMs, bytes } = frame;
  if (id <= baseId) return bytes.length;
  if (id > lastIdOf(frame)) return 0;
  const cursor = new BatchCursor(bodyOf(frame), baseId, count, timeMs);
  cursor.skipTo(id);
  return bytes.length - cursor.offset;
}
