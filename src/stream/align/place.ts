/**
 * Where a channel is read from, said as a position.
 *
 *     msgId   readMsgId            begins
 *     none    none                 at the earliest; skips what is not after the timestamp, up to a tick that is not before it
 *     x       none                 at x, and skips in the same way: positions of Milvus, of lockstep, and those made by hand
 *     x       y >= x               at x; up to y skips what is not after the timestamp, behind y nothing: a checkpoint in watermark mode
 *     x       before all ids       behind x, and skips nothing: nothing of the channel was read
 *     none    before all ids       at the earliest, and skips nothing: the same
 *
 * The last two are what a checkpoint says of a channel of which nothing was seen yet. Without them it could not be told from a wish for what is
 * after a tick.
 */
import type { ReadStart } from "../../backend/index.js";
import {
  type BackendName,
  int64MessageId,
  type MessageId,
  messageIdFromString,
  type MsgPosition,
  type TimeTick,
  timeTickFrom,
} from "../../message/index.js";

/** Before every tick. */
export const zeroTick: TimeTick = timeTickFrom(0n);

/** Where the reader of a channel begins that is at this position. */
export function readStart(position: MsgPosition): ReadStart {
  const { msgId } = position;
  if (msgId === undefined) return "earliest";
  return nothingRead(position) ? { after: msgId } : { at: msgId };
}

/** Whether nothing of the channel had been read, so that everything from there on is news. */
export function nothingRead({ msgId, readMsgId, timestamp }: MsgPosition): boolean {
  if (readMsgId === undefined) return msgId === undefined && timestamp === zeroTick;
  return msgId === undefined || readMsgId.compare(msgId) < 0;
}

/** The place behind `msgId`, or the earliest, with nothing of it read while everything else was handled up to a tick. */
export function unreadPosition(
  channelName: string,
  msgGroup: string,
  msgId: MessageId | undefined,
  timestamp: TimeTick,
  none: MessageId,
): MsgPosition {
  if (msgId === undefined && timestamp === zeroTick) return { channelName, msgId, msgGroup, timestamp };
  return { channelName, msgId, msgGroup, timestamp, readMsgId: none };
}

/** What Milvus takes for the earliest place: an id before every real one. */
export function beforeAllIds(backend: BackendName): MessageId {
  switch (backend) {
    case "memory":
    case "rocksmq":
    case "kafka":
      return int64MessageId(backend, -1n);
    case "pulsar":
      return messageIdFromString(backend, "CP///////////wEQ////////////ARj///////////8BIP///////////wEwAA==");
    case "woodpecker":
      return messageIdFromString(backend, "CP///////////wEQ////////////AQ==");
  }
}
