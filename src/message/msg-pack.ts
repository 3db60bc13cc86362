import type { MsgPosition } from "./msg-position.js";
import type { TimeTick } from "../base/time-tick.js";
import type { TsMsg } from "./ts-msg.js";

/**
 * What a stream hands over at a time: messages with beginTs < endTs(message) <= endTs, save late ones; those of one channel in the order of its log.
 *
 * `endPositions` are the checkpoint: persist them, seek to them.
 */
export interface MsgPack {
  readonly beginTs: TimeTick;
  readonly endTs: TimeTick;
  readonly msgs: readonly TsMsg[];
  readonly startPositions: readonly MsgPosition[];
  readonly endPositions: readonly MsgPosition[];
}
