/**
 * The properties in which a message of the log carries what is not its body. Their keys begin with "_".
 *
 *     _v    version, decimal                   _tt   tick, base 36               _vc  vchannel
 *     _t    type number, decimal               _btt  barrier tick, base 36       _h   header, base64 of protobuf
 *     _wt   term, base 36 signed               _lc   last confirmed id           _tx  transaction, base64 of protobuf
 *                                              _lcs  it is the message's own id
 *
 * Every other key is kept as it is, reserved or not.
 */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { checkWhole, invalid } from "../base/arguments.js";
import { fromBase64, toBase64 } from "./base64.js";
import { TxnContextSchema } from "./gen/milvus/messages_pb.js";
import type { MessageId } from "./message-id.js";
import { messageIdFromString } from "./message-id-forms.js";
import { checkInt64, int64FromBase36, int64FromDecimal, uint64FromBase36 } from "./numbers.js";
import { corruptField, decodeProto, encodeProto } from "./proto-codec.js";
import type { Properties } from "./properties.js";
import { originOf, readFromNewer } from "./read-from.js";
import type { TxnContext } from "./stored-message.js";
import { type TimeTick, timeTickFrom } from "../base/time-tick.js";

/** The keys that a stored message has fields for. */
export const parsedKeys: ReadonlySet<string> = new Set(["_v", "_t", "_wt", "_tt", "_btt", "_lc", "_lcs", "_vc", "_h", "_tx"]);

/** Absent or empty: 0, the old message stream's. @throws `corrupt` */
export function versionIn({ _v: text = "" }: Properties): number {
  if (text === "") return 0;
  const version = decimal(text);
  if (version === undefined || !Number.isSafeInteger(Number(version))) throw notReadable("_v", "a whole number", text);
  return Number(version);
}

/** What is no int32 is type 0, as in Milvus. */
export function typeNumberIn({ _t: text = "" }: Properties): number {
  const number = decimal(text);
  return number === undefined || BigInt.asIntN(32, number) !== number ? 0 : Number(number);
}

/** @throws `corrupt` where it is missing or no uint64 */
export function timeTickIn({ _tt: text }: Properties): TimeTick {
  if (text === undefined) throw corruptField("_tt", 0, "the tick is missing");
  return tick("_tt", text);
}

/** @throws `corrupt` */
export function barrierIn({ _btt: text }: Properties): TimeTick | undefined {
  return text === undefined ? undefined : tick("_btt", text);
}

/** @throws `corrupt` */
export function termIn({ _wt: text }: Properties): bigint | undefined {
  if (text === undefined) return undefined;
  const term = int64FromBase36(text);
  if (term === undefined) throw notReadable("_wt", "an int64 in base 36", text);
  return term;
}

/** `_lcs` wins, whatever its value. @throws `corrupt` where neither is there, and for what is no id of the back-end */
export function lastConfirmedIn({ _lc: text, _lcs: own }: Properties, id: MessageId): MessageId {
  if (own !== undefined) return id;
  if (text === undefined) throw corruptField("_lc", 0, "the last confirmed id is missing");
  try {
    return messageIdFromString(id.backend, text);
  } catch (error) {
    throw corruptField("_lc", 0, `no id of ${id.backend}: ${JSON.stringify(text)}`, error);
  }
}

/** @throws `corrupt` */
export function txnIn({ _tx: text }: Properties): TxnContext | undefined {
  if (text === undefined) return undefined;
  const origin = protoIn(TxnContextSchema, "_tx", text);
  return readFromNewer({ txnId: origin.txnId, keepaliveMs: Number(origin.keepaliveMilliseconds) }, origin);
}

/** The text of a transaction's property. */
export function txnText(txn: TxnContext): string {
  if (typeof txn !== "object" || txn === null) throw invalid("txn", "an object with txnId and keepaliveMs", txn);
  const { txnId, keepaliveMs } = txn;
  checkInt64("txn.txnId", txnId);
  checkWhole("txn.keepaliveMs", keepaliveMs, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const context = { ...originOf(TxnContextSchema, txn), txnId, keepaliveMilliseconds: BigInt(keepaliveMs) };
  return toBase64(encodeProto(TxnContextSchema, context, "txn"));
}

/** The message in a property's base64. @throws `corrupt` */
export function protoIn<D extends DescMessage>(schema: D, key: string, text: string): MessageShape<D> {
  return decodeProto(schema, bytesIn(key, text), key);
}

/** The bytes in a property's base64. @throws `corrupt` */
export function bytesIn(key: string, text: string): Uint8Array {
  const bytes = fromBase64(text);
  if (bytes === undefined) throw notReadable(key, "base64", text);
  return bytes;
}

function tick(key: string, text: string): TimeTick {
  const value = uint64FromBase36(text);
  if (value === undefined) throw notReadable(key, "a uint64 in base 36", text);
  return timeTickFrom(value);
}

/** As Go reads one: a plus is fine. */
function decimal(text: string): bigint | undefined {
  return int64FromDecimal(/^\+\d/.test(text) ? text.slice(1) : text);
}

function notReadable(key: string, expected: string, text: string) {
  const shown = text.length <= 60 ? text : `${text.slice(0, 60)}…`;
  return corruptField(key, 0, `${JSON.stringify(shown)} where ${expected} belongs`);
}
