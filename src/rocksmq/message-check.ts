/**
 * What a batch of messages must be before anything of it is written, and how much it weighs.
 */
import { TidemarkError } from "../base/errors.js";
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
    const message = checkMessage(given[at], at);
    const size = message.payload.byteLength + (message.properties === undefined ? 0 : propertyBytes(message.properties, at));
    if (size > maxMessageBytes) throw tooLarge(`messages[${at}]`, size, "maxMessageBytes", maxMessageBytes);
    checked.push(message);
    bytes += size;
    payloadBytes.push(message.payload.byteLength);
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

function checkMessage(message: unknown, at: number): NewMessage {
  if (!isMessageLike(message)) throw invalid(`messages[${at}]`, "an object with a payload", message);
  const { payload, properties } = message;
  if (!(payload instanceof Uint8Array)) throw invalid(`messages[${at}].payload`, "a Uint8Array", payload);
  // By `byteLength`: Node 20 and 22 may give transferred memory its old `length`.
  if (payload.byteLength === 0 && isTransferred(payload.buffer)) {
    throw invalid(`messages[${at}].payload`, "a Uint8Array whose memory has not been transferred", payload);
  }
  return properties === undefined ? { payload } : { payload, properties: copyProperties(properties, at) };
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

function copyProperties(properties: unknown, at: number): Readonly<Record<string, string>> {
  // A Map has entries and no keys of its own: taken as an object it would lose them without a word.
  if (typeof properties !== "object" || properties === null || Symbol.iterator in properties) {
    throw invalid(`messages[${at}].properties`, "an object of texts", properties);
  }
  const texts: [string, string][] = [];
  for (const [key, value] of Object.entries<unknown>({ ...properties })) {
    const place = `messages[${at}].properties[${JSON.stringify(key)}]`;
    if (typeof value !== "string") throw invalid(place, "a text", value);
    if (!isWellFormed(key) || !isWellFormed(value)) throw invalid(place, "well-formed Unicode, without lone surrogates", value);
    texts.push([key, value]);
  }
  // Keeps a key `__proto__` as a key.
  return Object.fromEntries(texts);
}

function propertyBytes(properties: Readonly<Record<string, string>>, at: number): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(properties)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (bytes > mostPropertyBytes) throw tooLarge(`messages[${at}].properties`, bytes, "the bound", mostPropertyBytes);
  return bytes;
}

function tooLarge(what: string, size: number, bound: string, limit: number): TidemarkError<"too-large"> {
  return new TidemarkError("too-large", `${what} has ${size} bytes, beyond ${bound} of ${limit}: make it smaller`, { limit, size });
}
