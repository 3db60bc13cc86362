/**
 * One channel of the watermark's alignment: what is held of it, its latest tick, and where a checkpoint finds it.
 */
import type { MessageId, MsgPosition, TimeTick } from "../../message/index.js";
import type { StreamRecord } from "../stream-record.js";
import { HeldRecords, type Released } from "./held-records.js";
import { nothingRead, unreadPosition } from "./place.js";
import { Replay } from "./replay.js";

/** What the aligner knows of a channel. */
export class WatermarkChannel {
  readonly held = new HeldRecords();
  readonly #beforeAll: MessageId;
  readonly #replay: Replay;
  #position: MsgPosition;
  /** Undefined: nothing was read since it was added. */
  #lastRead: MessageId | undefined;
  /** Of all ticks read, also of those that do not count before the replay is over. */
  #seenTick: TimeTick;
  /** Counts for the watermark. Never goes back. */
  latestTick: TimeTick;
  /** Silent, and not waited for. */
  leftOut = false;
  untickedBytes = 0;

  constructor(position: MsgPosition, beforeAll: MessageId) {
    this.#beforeAll = beforeAll;
    this.#position = position;
    this.#replay = new Replay(position);
    // Up to there everything was handled, which is what a tick says; and what comes until a tick passes it can't move the watermark.
    this.latestTick = position.timestamp;
    this.#seenTick = position.timestamp;
  }

  /** Where the last pack ended here, or where the channel began. */
  get position(): MsgPosition {
    return this.#position;
  }

  take(record: StreamRecord, watermark: TimeTick): void {
    const { id, msg, bytes } = record;
    const isNews = this.#replay.passes(record);
    this.#lastRead = id;
    if (isNews && msg !== undefined) {
      if (msg.type === "timeTick") {
        this.untickedBytes = 0;
        if (msg.endTs > this.#seenTick) this.#seenTick = msg.endTs;
        // A tick that is covered already is no place to go back to.
        if (msg.endTs > watermark) this.held.push(id, msg, bytes);
      } else {
        this.untickedBytes += bytes;
        this.held.push(id, msg, bytes);
      }
    }
    if (this.#replay.over) this.latestTick = this.#seenTick;
  }

  /** There is nothing left that was read before: the channel has come to its end. */
  endReplay(): void {
    this.#replay.end();
    this.latestTick = this.#seenTick;
  }

  /** Where the pack from `beginTs` on starts here. */
  positionFor(beginTs: TimeTick): MsgPosition {
    const { timestamp, channelName, msgGroup, msgId } = this.#position;
    // Added since the last pack, and nothing was to be skipped: it is as unread as it was, at the tick that the others have come to.
    if (timestamp < beginTs && nothingRead(this.#position)) return unreadPosition(channelName, msgGroup, msgId, beginTs, this.#beforeAll);
    return this.#position;
  }

  /**
   * What a pack has of this channel. Behind it, `position` is where the pack ends.
   *
   * While the others are still before the tick that the channel began at, it gives nothing: of what it sent up to there a part was handled and a part may
   * be late, and a position could not tell them apart.
   */
  release(beginTs: TimeTick, endTs: TimeTick): Released {
    if (endTs < this.#position.timestamp) return nothing;
    const released = this.held.release(beginTs, endTs);
    if (this.#replay.over) this.#position = this.#positionAt(endTs);
    return released;
  }

  #positionAt(endTs: TimeTick): MsgPosition {
    const { channelName, msgGroup, msgId } = this.#position;
    const lastRead = this.#lastRead;
    if (lastRead === undefined) return unreadPosition(channelName, msgGroup, msgId, endTs, this.#beforeAll);
    return { channelName, msgId: this.held.firstId ?? lastRead, msgGroup, timestamp: endTs, readMsgId: lastRead };
  }
}

const nothing: Released = { msgs: [], bytes: 0, late: 0 };
