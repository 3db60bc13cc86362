/**
 * A stored record of the message stream, taken apart: its type from a property or from its base, its body by a dispatcher, and what was attached set aside.
 */
import { invalid } from "../base/arguments.js";
import { MsgHeaderSchema } from "./gen/milvus/common_pb.js";
import { fromWireName, type MsgTypeName, msgTypeName } from "./msg-type.js";
import { corruptField, decodeProto } from "./proto-codec.js";
import { checkMessageId } from "./message-id.js";
import type { MsgPosition } from "./msg-position.js";
import type { Properties } from "./properties.js";
import { assemble, type TsMsg } from "./ts-msg.js";
import { type TimeTick, timeTickFrom } from "../base/time-tick.js";
import { type UnmarshalDispatcher, withoutAttached } from "./unmarshal.js";
import { uint64FromDecimal } from "./numbers.js";
import { checkWire, type WireMessage } from "./wire-message.js";

/** Whether a record is of the streaming write-ahead log, which a message stream leaves out. */
export function isStreamingRecord(wire: WireMessage): boolean {
  checkWire(wire);
  return (wire.properties["_v"] ?? "") !== "";
}

/**
 * The message of a record that a stream wrote: by its `msg_type`, or else by the type in its base.
 *
 * With a place it has its position: there, at its own time. A message whose body has no time of its own (an insert without rows) has that of the property `timestamp`.
 *
 * @throws `invalid-argument` for what is no record, dispatcher or place, and for a dispatcher that answers with what is no message; `corrupt` where neither says a type,
 * and for a body that does not read
 */
export function unmarshalRecord(wire: WireMessage, dispatcher: UnmarshalDispatcher, place?: Omit<MsgPosition, "timestamp">): TsMsg {
  checkWire(wire);
  checkDispatcher(dispatcher);
  if (place !== undefined) checkPlace(place);
  const own = withoutAttached(wire.properties);
  const msg = dispatcher.unmarshal(wire.payload, recordType(wire));
  checkAnswer(msg);
  const { type, id, hashKeys, sourceId, body } = msg;
  const told = msg.endTs === 0n ? toldTime(wire) : undefined;
  const [beginTs, endTs] = told === undefined ? [msg.beginTs, msg.endTs] : [told, told];
  const properties = merged(msg.properties, own);
  // One object literal, and no spread: it is made for every message that is read.
  if (place === undefined) return assemble({ type, id, beginTs, endTs, hashKeys, sourceId, properties, body });
  const { channelName, msgId, msgGroup } = place;
  const position = { channelName, msgId, msgGroup, timestamp: beginTs };
  return assemble({ type, id, beginTs, endTs, hashKeys, sourceId, properties, body, position });
}

/** A dispatcher may be anybody's; what streams order messages by must be there. */
function checkAnswer(msg: unknown): void {
  const { type, beginTs, endTs }: { readonly [K in keyof TsMsg]?: unknown } = typeof msg === "object" && msg !== null ? msg : {};
  if (typeof type !== "string" || typeof beginTs !== "bigint" || typeof endTs !== "bigint")
    throw invalid("the dispatcher's answer", "a message", msg);
}

/** Not by `checkMethods`, which is slow for what is done once a record. */
function checkDispatcher(dispatcher: unknown): void {
  if (typeof dispatcher === "object" && dispatcher !== null && typeof Reflect.get(dispatcher, "unmarshal") === "function") return;
  throw invalid("dispatcher", "an object with a method unmarshal", dispatcher);
}

function checkPlace(place: unknown): void {
  if (typeof place !== "object" || place === null) throw invalid("place", "an object with channelName, msgId and msgGroup", place);
  const { channelName, msgId, msgGroup }: { readonly [K in keyof MsgPosition]?: unknown } = place;
  if (typeof channelName !== "string") throw invalid("place.channelName", "a text", channelName);
  if (typeof msgGroup !== "string") throw invalid("place.msgGroup", "a text", msgGroup);
  if (msgId !== undefined) checkMessageId("place.msgId", msgId);
}

/** Of two that are mostly empty; the later ones win. */
function merged(earlier: Properties, later: Properties): Properties {
  if (isEmpty(later)) return earlier;
  return isEmpty(earlier) ? later : { ...earlier, ...later };
}

function isEmpty(properties: Properties): boolean {
  for (const _ in properties) return false;
  return true;
}

/** @throws `corrupt` where there is no type, or one of a number that this version does not know */
export function recordType({ properties, payload }: WireMessage): MsgTypeName {
  const told = fromWireName(properties["msg_type"] ?? "");
  if (told !== undefined) return told;
  const { base } = decodeProto(MsgHeaderSchema, payload, "body");
  if (base === undefined) throw corruptField("body.base", 0, "it is missing, and no property msg_type says the type");
  const type = msgTypeName(base.msgType);
  if (type === undefined) throw corruptField("body.base.msg_type", 0, `no message type has the number ${base.msgType}`);
  return type;
}

function toldTime({ properties }: WireMessage): TimeTick | undefined {
  const tick = uint64FromDecimal(properties["timestamp"] ?? "");
  return tick === undefined ? undefined : timeTickFrom(tick);
}
