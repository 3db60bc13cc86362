/**
 * The heart of a time-tick stream, without I/O and without a clock: records of many channels go in, packs come out.
 *
 *     c1  ─ a@3  T10  a@12 T20 ─┐
 *     c2  ─ b@5  b@14 T10  T20 ─┤ take ──▶ (0,10]: a@3 b@5   (10,20]: a@12 b@14
 *     c3  ─ T10  c@17 T20 ──────┘
 *
 * Only a channel that is behind is asked for more: which packs come out depends on what the logs hold, and not on when it arrived. Idle channels and
 * added ones are the exception, since time decides about them.
 */
import type { MessageId, MsgPack, MsgPosition, TimeTick } from "../../message/index.js";
import type { StreamRecord } from "../stream-record.js";

/** A pack, and what its owner counts. */
export interface CutPack {
  readonly pack: MsgPack;
  /** Of its messages. */
  readonly bytes: number;
  /** Late messages by channel. */
  readonly late: ReadonlyMap<string, number>;
}

/** What both alignments do. A channel is one that was added; any other is a mistake of the caller. */
export interface Aligner {
  /** Everything up to here is in packs. 0: no pack was cut, and none begins later. */
  readonly watermark: TimeTick;
  /** The channels on which the next pack waits. */
  readonly behind: readonly string[];

  /** Takes part from now on, from that position on. */
  add(position: MsgPosition): void;
  /** Whether the next record of the channel is what it needs. */
  wants(channel: string): boolean;
  /** The next record of a channel that it wants one of; the pack that it completes, if it does. `nowMs` is the wall clock. */
  take(channel: string, record: StreamRecord, nowMs: number): CutPack | undefined;
  /** The channel is silent and is not waited for until its next record; the pack that was waiting for it. */
  leaveOut(channel: string): CutPack | undefined;
  /** Time has passed, and nothing else; the pack that was held back. */
  passTime(nowMs: number): CutPack | undefined;

  /** When `passTime` would give a pack, by the wall clock; undefined: never. */
  readonly dueMs: number | undefined;

  /** The latest tick of a channel. */
  latestTick(channel: string): TimeTick;
  /** Of what is held of a channel. */
  heldBytes(channel: string): number;
  /** Of what was taken since the channel's latest tick. */
  untickedBytes(channel: string): number;
}

/** What every aligner is made with. */
export interface AlignerOptions {
  readonly dedupe: boolean;
  /** An id before all others of the back-end: says in a position that nothing was read. */
  readonly beforeAll: MessageId;
}
