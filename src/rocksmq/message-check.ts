/**
 * What a batch of messages must be before anything of it is written, and how much it weighs.
 */
import { TidemarkError } from "../base/errors.js";
import { utf8Bytes } from "../base/utf8.js";
import { isWellFormed } from "../base/well-formed.js";
import type { NewMessage } from "../storage/index.js";
import { invalid } from "./arguments.js";
import type { ProducerMessage } from "./messages.js";

/** All properties of one message, keys and values, in bytes of UTF-8. */
const mostPropertyBytes = 64 * 1024;

/** A batch that may be stored. */
export interface CheckedBatch {
  readonly messages: readonly NewMessage[];
  /** Payloads and properties. */
  readonly bytes: number;
  /** Of each payload. */
  readonly payloadBytes: readonly number[];
}

/**
 * Checks a batch and takes a copy of all but the payloads, so that what is stored is what was checked.
 *
 * @throws `invalid-argument` naming the place, as `messages[3].payload`; `too-large`
 */
export function checkMessages(messages: unknown, maxMessageBytes: number): CheckedBatch {
  if (!Array.isArray(messages)) throw invalid("messages", "an array", messages);
  const given: readonly unknown[] = messages;
  const checked: NewMessage[] = [];
  let bytes = 0;
  const payloadBytes: number[] = [];
  for (let at = 0; at < given.length; at++) {
    const { payload, properties } = checkMessage(given[at], at);
    const own = properties === undefined ? undefined : copyProperties(properties, at);
    const size = payload.byteLength + (own?.bytes ?? 0);
    if (size > maxMessageBytes) throw tooLarge(`messages[${at}]`, size, "maxMessageBytes", maxMessageBytes);
    checked.push({ payload, properties: own?.texts });
    bytes += size;
    payloadBytes.push(payload.byteLength);
  }
  return { messages: checked, bytes, payloadBytes };
}

/**
 * Payloads are not copied before the batch's turn. One whose memory was transferred or resized meanwhile must not be stored as what it is now.
 *
 * @throws `invalid-argument`
 */
export function checkStillWhole({ messages, payloadBytes }: CheckedBatch): void {
  for (let at = 0; at < messages.length; at++) {
    const now = messages[at]?.payload.byteLength;
    if (now !== payloadBytes[at]) throw changed(`messages[${at}]`, payloadBytes[at], now);
  }
}

function changed(message: string, before: number | undefined, now: number | undefined): TidemarkError<"invalid-argument"> {
  const text = `${message} was handed in with a payload of ${before} bytes, and it has ${now}: its memory was transferred or resized before the produce settled; keep it, or hand in a copy`;
  return new TidemarkError("invalid-argument", text, { argument: "messages" });
}

function checkMessage(message: unknown, at: number): { readonly payload: Uint8Array; readonly properties: unknown } {
  if (!isMessageLike(message)) throw invalid(`messages[${at}]`, "an object with a payload", message);
  const { payload, properties } = message;
  if (!(payload instanceof Uint8Array)) throw invalid(`messages[${at}].payload`, "a Uint8Array", payload);
  // By `byteLength`: Node 20 and 22 may give transferred memory its old `length`.
  if (payload.byteLength === 0 && isTransferred(payload.buffer)) {
    throw invalid(`messages[${at}].payload`, "a Uint8Array whose memory has not been transferred", payload);
  }
  return { payload, properties };
}

function isMessageLike(message: unknown): message is { readonly [K in keyof ProducerMessage]: unknown } {
  return typeof message === "object" && message !== null;
}

/** Node 20 has no `ArrayBuffer.prototype.detached`. */
function isTransferred(memory: ArrayBufferLike): boolean {
  try {
    memory.slice(0, 0);
    return false;
  } catch {
    return true;
  }
}

/** Each read once: an object may say another text the second time. */
function copyProperties(properties: unknown, at: number): { readonly texts: Readonly<Record<string, string>>; readonly bytes: number } {
  // A Map has entries and no keys of its own: taken as an object it would lose them without a word.
  if (!isRecord(properties)) throw invalid(`messages[${at}].properties`, "an object of texts", properties);
  const texts: Record<string, string> = {};
  let bytes = 0;
  for (const key of Object.keys(properties)) {
    const value = properties[key];
    if (typeof value !== "string" || !isWellFormed(key) || !isWellFormed(value)) throw noText(at, key, value);
    bytes += utf8Bytes(key) + utf8Bytes(value);
    if (key === "__proto__") Object.defineProperty(texts, key, { value, enumerable: true });
    else texts[key] = value;
  }
  if (bytes > mostPropertyBytes) throw tooLarge(`messages[${at}].properties`, bytes, "the bound", mostPropertyBytes);
  return { texts, bytes };
}

function isRecord(properties: unknown): properties is Readonly<Record<string, unknown>> {
  return typeof properties === "object" && properties !== null && !(Symbol.iterator in properties);
}

function noText(at: number, key: string, value: unknown): TidemarkError<"invalid-argument"> {
  const must = typeof value === "string" ? "well-formed Unicode, without lone surrogates" : "a text";
  return invalid(`messages[${at}].properties[${JSON.stringify(key)}]`, must, value);
}

function tooLarge(what: string, size: number, bound: string, limit: number): TidemarkError<"too-large"> {
  return new TidemarkError("too-large", `${what} has ${size} bytes, beyond ${bound} of ${limit}: make it smaller`, { limit, size });
}
