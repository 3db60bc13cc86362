/**
 * One channel of the lockstep: what is held of it, whether it reads in this round, and where a checkpoint finds it.
 */
import { assert } from "../../base/assert.js";
import { maxTick, type MessageId, type MsgPosition, type TimeTick } from "../../message/index.js";
import type { StreamRecord } from "../stream-record.js";
import { HeldRecords, type Released } from "./held-records.js";
import { nothingRead, unreadPosition, zeroTick } from "./place.js";
import { Replay } from "./replay.js";

/** What the aligner knows of a channel. */
export class LockstepChannel {
  readonly held = new HeldRecords();
  readonly #replay: Replay;
  /** What is not after it and comes all the same is late. */
  readonly #handledTs: TimeTick;
  #position: MsgPosition;
  #lastTickId: MessageId | undefined;
  /** The tick that ended the replay. */
  #swallowed: { readonly id: MessageId; readonly timestamp: TimeTick } | undefined;
  /** The tick that ends the replay is swallowed, and is not this one. */
  lastTick = zeroTick;
  /** Whether it has come to no tick in this round yet. */
  reads = true;
  untickedBytes = 0;

  /** @param lastTs what the stream had come to when the channel was added */
  constructor(position: MsgPosition, lastTs: TimeTick, beforeAll: MessageId) {
    const { channelName, msgGroup, msgId, timestamp } = position;
    this.#replay = new Replay(position);
    this.#handledTs = timestamp;
    this.#position = nothingRead(position) ? unreadPosition(channelName, msgGroup, msgId, maxTick(timestamp, lastTs), beforeAll) : position;
  }

  /** Where the last window ended here, or where the channel began. */
  get position(): MsgPosition {
    return this.#position;
  }

  take(record: StreamRecord): void {
    const wasReplaying = !this.#replay.over;
    const isNews = this.#replay.passes(record);
    const { id, msg, bytes } = record;
    if (!isNews || msg === undefined) return;
    if (msg.type !== "timeTick") {
      this.held.push(id, msg, bytes);
      this.untickedBytes += bytes;
    } else if (wasReplaying) {
      if (this.#replay.over) this.#swallowed = { id, timestamp: msg.endTs };
    } else {
      this.lastTick = msg.endTs;
      this.#lastTickId = id;
      this.reads = false;
      this.untickedBytes = 0;
    }
  }

  /** What a window has of this channel. Behind it, `position` is where the window ends. */
  release(lastTs: TimeTick, endTs: TimeTick): Released {
    const released = this.held.release(maxTick(lastTs, this.#handledTs), endTs);
    const msgId = this.held.firstId ?? this.#lastTickId;
    assert(msgId !== undefined, "a channel that shows a tick has read one");
    const { channelName, msgGroup } = this.#position;
    this.#position = { channelName, msgId, msgGroup, timestamp: endTs, ...this.#readPlace(msgId, endTs) };
    return released;
  }

  /**
   * How far was read, where a position has to say it: whoever goes on would skip only up to the tick that this channel swallowed, and get again what was late
   * behind that, if a tick that is no later came once more and the window ends at it.
   */
  #readPlace(msgId: MessageId, endTs: TimeTick): { readonly readMsgId?: MessageId } {
    const [swallowed, readMsgId] = [this.#swallowed, this.#lastTickId];
    if (swallowed === undefined || readMsgId === undefined) return {};
    return swallowed.timestamp >= endTs && msgId.compare(swallowed.id) < 0 ? { readMsgId } : {};
  }
}
