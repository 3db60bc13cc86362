/**
 * Looks at what somebody hands in as a message that was read. What `decodeMessage` made is one, and costs no look.
 */
import { checkBytes, checkWhole, checkWord, invalid } from "../base/arguments.js";
import { checkUint64 } from "../base/uint64.js";
import { DecodedMessage } from "./decode-message.js";
import { checkMessageId } from "./message-id.js";
import { isMessageType } from "./message-type.js";
import { checkInt64 } from "./numbers.js";
import { checkTexts } from "./properties.js";
import type { AnyPlainMessage, StoredMessage, TxnMessage } from "./stored-message.js";

/** @throws `invalid-argument` naming the field unless it is a single message, whoever made it; its header and body are not looked at */
export function checkPlainMessage(argument: string, value: unknown): asserts value is AnyPlainMessage {
  if (value instanceof DecodedMessage) return;
  if (typeof value !== "object" || value === null) throw invalid(argument, "a message that was read", value);
  const m: { readonly [K in keyof AnyPlainMessage]?: unknown } = value;
  checkWord(`${argument}.kind`, m.kind, ["message"]);
  if (!isMessageType(m.type)) throw invalid(`${argument}.type`, "the name of a message type", m.type);
  checkWhole(`${argument}.typeNumber`, m.typeNumber, -0x8000_0000, 0x7fff_ffff);
  checkWhole(`${argument}.version`, m.version, 0, Number.MAX_SAFE_INTEGER);
  if (typeof m.vchannel !== "string") throw invalid(`${argument}.vchannel`, "a text", m.vchannel);
  checkBytes(`${argument}.payload`, m.payload);
  checkTexts(`${argument}.properties`, m.properties);
  checkMessageId(`${argument}.id`, m.id);
  checkUint64(`${argument}.timeTick`, m.timeTick);
  checkMessageId(`${argument}.lastConfirmedMessageId`, m.lastConfirmedMessageId);
  if (m.barrierTimeTick !== undefined) checkUint64(`${argument}.barrierTimeTick`, m.barrierTimeTick);
  if (m.term !== undefined) checkInt64(`${argument}.term`, m.term);
  if (m.txn !== undefined && (typeof m.txn !== "object" || m.txn === null)) throw invalid(`${argument}.txn`, "an object with txnId", m.txn);
}

/** @throws `invalid-argument` naming the field unless it is a message or a transaction */
export function checkStoredMessage(argument: string, value: unknown): asserts value is StoredMessage {
  if (value instanceof DecodedMessage) return;
  if (typeof value !== "object" || value === null) throw invalid(argument, "a message or a transaction", value);
  const { kind }: { readonly kind?: unknown } = value;
  if (kind !== "txn") return checkPlainMessage(argument, value);
  const { begin, messages, commit }: { readonly [K in keyof TxnMessage]?: unknown } = value;
  checkPlainMessage(`${argument}.begin`, begin);
  checkPlainMessages(`${argument}.messages`, messages);
  checkPlainMessage(`${argument}.commit`, commit);
}

/** @throws `invalid-argument` unless it is an array of single messages */
export function checkPlainMessages(argument: string, value: unknown): asserts value is readonly AnyPlainMessage[] {
  if (!Array.isArray(value)) throw invalid(argument, "an array of messages", value);
  const wrong = value.findIndex((one) => !(one instanceof DecodedMessage));
  if (wrong >= 0) for (const [at, one] of value.entries()) checkPlainMessage(`${argument}[${at}]`, one);
}
