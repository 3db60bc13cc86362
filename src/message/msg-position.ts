/**
 * Where a stream goes on: a place in one of its channels, and the tick up to which everything was handled.
 */
import { checkBytes, checkWord, invalid } from "../base/arguments.js";
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import { isWellFormed } from "../base/well-formed.js";
import { MsgPositionSchema } from "./gen/milvus/msg_pb.js";
import { type BackendName, backendNames, checkMessageId, type MessageId } from "./message-id.js";
import { messageIdFromBytes } from "./message-id-forms.js";
import { corruptField, decodeProto, encodeProto } from "./proto-codec.js";
import { originOf, readFrom } from "./read-from.js";
import { type TimeTick, timeTickFrom } from "../base/time-tick.js";
import { checkUint64 } from "../base/uint64.js";
import { backendOf } from "./wal-name.js";

/** A place to which a stream can be sent back. */
export interface MsgPosition {
  readonly channelName: string;
  /** Undefined: nothing of the channel was seen yet, so everything that it has. */
  readonly msgId: MessageId | undefined;
  /** The subscription that was there; for people. */
  readonly msgGroup: string;
  readonly timestamp: TimeTick;
  /**
   * Watermark mode: the last record that had been read when the pack was cut, while msgId is the first one (message or tick) among those read that the
   * pack does not cover, else the same. A resume reads from msgId: up to readMsgId it delivers only endTs > timestamp, behind it everything, flagging
   * what is late. Lockstep says it only where a tick came again that a seek had swallowed, since no position of Milvus can. Protobuf field 10001, which Milvus ignores.
   */
  readonly readMsgId?: MessageId;
}

/**
 * Milvus's protobuf of a position. The back-end is not in it, as Milvus leaves it out too; one that was read is written
 * with all that its bytes said.
 *
 * @throws `invalid-argument` naming the field
 */
export function positionToBytes(position: MsgPosition): Uint8Array {
  checkPosition("position", position);
  const { channelName, msgId, msgGroup, timestamp, readMsgId } = position;
  const message = {
    ...originOf(MsgPositionSchema, position),
    channelName,
    msgID: msgId?.toBytes() ?? new Uint8Array(0),
    msgGroup,
    timestamp,
    readMsgId: readMsgId?.toBytes() ?? new Uint8Array(0),
  };
  return encodeProto(MsgPositionSchema, message, "position");
}

/**
 * The position in Milvus's protobuf.
 *
 * @param backend whose ids these are. Default: what the bytes say, which newer Milvus does, else "rocksmq"
 * @throws `invalid-argument` for bytes that are none, with the field and its offset in the text, also where an id is none of that back-end
 */
export function positionFromBytes(bytes: Uint8Array, backend?: BackendName): MsgPosition {
  if (backend !== undefined) checkWord("backend", backend, backendNames);
  checkBytes("bytes", bytes);
  try {
    return decodePosition(bytes, backend);
  } catch (error) {
    // They are the caller's own: nothing of ours is damaged.
    if (!isTidemarkError(error, "corrupt")) throw error;
    const text = `bytes must be a position in Milvus's protobuf, got ${bytes.byteLength} bytes: ${error.message}`;
    throw new TidemarkError("invalid-argument", text, { argument: "bytes" }, { cause: error });
  }
}

/** @throws `corrupt` with the field */
function decodePosition(bytes: Uint8Array, backend: BackendName | undefined): MsgPosition {
  const origin = decodeProto(MsgPositionSchema, bytes, "position");
  const { channelName, msgID, msgGroup, timestamp, walName, readMsgId } = origin;
  const log = backend ?? backendOf(walName) ?? "rocksmq";
  const readUpTo = idIn("position.read_msg_id", log, readMsgId);
  const position = {
    channelName,
    msgId: idIn("position.msgID", log, msgID),
    msgGroup,
    timestamp: timeTickFrom(timestamp),
    ...(readUpTo === undefined ? {} : { readMsgId: readUpTo }),
  };
  return readFrom(position, origin);
}

/** @throws `invalid-argument` naming the field unless it is a position */
export function checkPosition(argument: string, position: unknown): asserts position is MsgPosition {
  if (typeof position !== "object" || position === null) throw invalid(argument, "a position", position);
  const { channelName, msgId, msgGroup, timestamp, readMsgId }: { readonly [K in keyof MsgPosition]?: unknown } = position;
  checkText(`${argument}.channelName`, channelName);
  checkText(`${argument}.msgGroup`, msgGroup);
  checkUint64(`${argument}.timestamp`, timestamp);
  if (msgId !== undefined) checkMessageId(`${argument}.msgId`, msgId);
  if (readMsgId !== undefined) checkMessageId(`${argument}.readMsgId`, readMsgId);
}

function idIn(field: string, backend: BackendName, bytes: Uint8Array): MessageId | undefined {
  if (bytes.byteLength === 0) return undefined;
  try {
    return messageIdFromBytes(backend, bytes);
  } catch (error) {
    throw corruptField(field, 0, `no id of ${backend} in ${bytes.byteLength} bytes`, error);
  }
}

function checkText(argument: string, text: unknown): void {
  if (typeof text !== "string" || !isWellFormed(text)) throw invalid(argument, "a text in well-formed Unicode", text);
}
