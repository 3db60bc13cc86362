/**
 * Writes messages of the streaming log: drafts with what the log stamps on them, and stored ones as they were.
 */
import { type DescMessage, isMessage } from "@bufbuild/protobuf";
import { invalid } from "../base/arguments.js";
import { toBase64 } from "./base64.js";
import { DecodedMessage } from "./decode-message.js";
import type { DraftMessage } from "./draft-message.js";
import { checkMessageId, type MessageId } from "./message-id.js";
import { checkPlainMessage } from "./message-check.js";
import { headerSchema, isMessageType, isProtoType, messageTypeNumber, type MessageType, payloadSchema, versionOf } from "./message-type.js";
import { checkInt64 } from "./numbers.js";
import { encodeProto } from "./proto-codec.js";
import { checkTexts, noText, type Properties, propertiesFrom } from "./properties.js";
import { txnText } from "./reserved-properties.js";
import type { AnyPlainMessage, TxnContext } from "./stored-message.js";
import type { TimeTick } from "../base/time-tick.js";
import { checkUint64 } from "../base/uint64.js";
import { checkWire, type WireMessage } from "./wire-message.js";

/** What a log puts on a draft when its turn has come. */
export interface MessageStamp {
  readonly timeTick: TimeTick;
  /** Undefined: the message's own id, which nobody knows before it is written. */
  readonly lastConfirmedMessageId: MessageId | undefined;
  readonly term?: bigint | undefined;
  readonly barrierTimeTick?: TimeTick | undefined;
  readonly txn?: TxnContext | undefined;
  /** Further properties of the log's own; their keys begin with "_". */
  readonly reserved?: Properties | undefined;
}

/**
 * The record of a stored message: of one that was decoded, the record that it was decoded from.
 *
 * @throws `invalid-argument` for a message that somebody made, and that can't be written
 */
export function encodeMessage(m: AnyPlainMessage): WireMessage {
  if (m instanceof DecodedMessage) return m.wire;
  checkPlainMessage("m", m);
  const own = m.lastConfirmedMessageId.backend === m.id.backend && m.lastConfirmedMessageId.equals(m.id);
  const properties = {
    ...typeProperties(m.type, m.typeNumber, m.version, m.vchannel, m.header),
    ...stampProperties({ ...m, lastConfirmedMessageId: own ? undefined : m.lastConfirmedMessageId }),
  };
  return { properties: merged(m.properties, properties), payload: m.payload };
}

/**
 * The record of a draft, before a log has stamped it.
 *
 * @throws `invalid-argument` for a header or body that was changed into what protobuf can't hold
 */
export function encodeDraft(draft: DraftMessage): WireMessage {
  if (typeof draft !== "object" || draft === null) throw invalid("draft", "a draft of a message", draft);
  const { type, vchannel, header, body, properties } = draft;
  if (!isMessageType(type)) throw invalid("type", "the name of a message type", type);
  if (typeof vchannel !== "string") throw invalid("vchannel", "a name", vchannel);
  checkTexts("properties", properties);
  const number = type === "unknown" ? 0 : messageTypeNumber[type];
  const version = type === "unknown" ? 0 : versionOf(type);
  return { properties: merged(properties, typeProperties(type, number, version, vchannel, header)), payload: bodyBytes(type, body) };
}

/**
 * The record of a draft with its stamp: what goes into the log. The draft stays as it is.
 *
 * @throws `invalid-argument` as `encodeDraft` does, and for a stamp that is none
 */
export function stampMessage(draft: DraftMessage, stamp: MessageStamp): WireMessage {
  if (typeof stamp !== "object" || stamp === null) throw invalid("stamp", "an object with timeTick and lastConfirmedMessageId", stamp);
  const { properties, payload } = encodeDraft(draft);
  return { properties: merged(properties, stampProperties(stamp)), payload };
}

/** Bytes of payload, keys and values together: what buffers are accounted by. */
export function wireSize(wire: WireMessage): number {
  checkWire(wire);
  const { properties, payload } = wire;
  let bytes = payload.byteLength;
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value !== "string") throw noText("wire.properties", key, value);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return bytes;
}

function typeProperties(type: MessageType, number: number, version: number, vchannel: string, header: unknown): Properties {
  return {
    _v: version.toString(),
    _t: number.toString(),
    ...(vchannel === "" ? {} : { _vc: vchannel }),
    ...headerProperty(type, header),
  };
}

function headerProperty(type: MessageType, header: unknown): Properties {
  if (header instanceof Uint8Array) return { _h: toBase64(header) };
  if (!isProtoType(type)) return {};
  return { _h: toBase64(encodeAs(headerSchema(type), header, "header")) };
}

function bodyBytes(type: MessageType, body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (isProtoType(type)) return encodeAs(payloadSchema(type), body, "body");
  throw invalid("body", "a Uint8Array", body);
}

/** A header or body is what a schema made; anything else somebody put there. */
function encodeAs<D extends DescMessage>(schema: D, part: unknown, what: string): Uint8Array {
  if (!isMessage(part, schema)) throw invalid(what, `a ${schema.typeName}`, part);
  return encodeProto(schema, part, what);
}

function stampProperties(stamp: MessageStamp): Properties {
  const { timeTick, lastConfirmedMessageId, term, barrierTimeTick, txn, reserved } = stamp;
  checkUint64("timeTick", timeTick);
  if (lastConfirmedMessageId !== undefined) checkMessageId("lastConfirmedMessageId", lastConfirmedMessageId);
  if (term !== undefined) checkInt64("term", term);
  if (barrierTimeTick !== undefined) checkUint64("barrierTimeTick", barrierTimeTick);
  if (reserved !== undefined) checkTexts("reserved", reserved);
  return {
    ...reserved,
    _tt: timeTick.toString(36),
    ...(lastConfirmedMessageId === undefined ? { _lcs: "" } : { _lc: lastConfirmedMessageId.toString() }),
    ...(term === undefined ? {} : { _wt: term.toString(36) }),
    ...(barrierTimeTick === undefined ? {} : { _btt: barrierTimeTick.toString(36) }),
    ...(txn === undefined ? {} : { _tx: txnText(txn) }),
  };
}

/** Own keys only, whatever they are called. */
function merged(...parts: readonly Properties[]): Properties {
  return propertiesFrom(parts.flatMap((part) => Object.entries(part)));
}
