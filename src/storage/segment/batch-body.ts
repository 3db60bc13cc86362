/**
 * The body of a batch frame: messages one after the other, their ids consecutive from the frame's base id.
 *
 *     message:     varint length of properties · varint length of payload · properties · payload
 *     properties:  (varint length · key · varint length · value)*
 *
 * Behind the last message stands where appends begin: see `append-starts.ts`.
 */
import { copyBytes } from "../../base/copy-bytes.js";
import type { NewMessage, StoredMessage } from "../engine.js";

const emptyBytes = new Uint8Array(0);

/** What a message without properties has. */
export const noProperties: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/** A message made ready for its frame. */
export interface PackedMessage {
  readonly payload: Uint8Array;
  /** What it had when it was packed. */
  readonly payloadBytes: number;
  readonly properties: Uint8Array;
  /** What it takes in the body. */
  readonly size: number;
}

/** Encodes the properties; the payload stays where it is until the frame is written. */
export function packMessage(message: NewMessage): PackedMessage {
  const properties = message.properties === undefined ? emptyBytes : encodeProperties(message.properties);
  const { payload } = message;
  const payloadBytes = payload.byteLength;
  const size = varintBytes(properties.length) + varintBytes(payloadBytes) + properties.length + payloadBytes;
  return { payload, payloadBytes, properties, size };
}

/** Between the draft of a group and its writing the memory of a payload was transferred or resized: the group must be drafted again. */
export class PayloadChanged extends Error {
  override readonly name = "PayloadChanged";
}

/** Writes a message at `at` and returns where it ends. @throws PayloadChanged */
export function writeMessage(into: Buffer, at: number, message: PackedMessage): number {
  const { payload, payloadBytes, properties } = message;
  // By `byteLength`: Node 20 and 22, once they have optimized this and seen resizable memory, give transferred memory its old `length`.
  if (payload.byteLength !== payloadBytes) throw new PayloadChanged(`a payload of ${payloadBytes} bytes has ${payload.byteLength} now`);
  let end = writeVarint(into, at, properties.length);
  end = writeVarint(into, end, payloadBytes);
  copyBytes(into, end, properties);
  end += properties.length;
  copyBytes(into, end, payload);
  return end + payloadBytes;
}

/** Goes through the messages of one checked body, from the first on. */
export class BatchCursor {
  readonly #body: Uint8Array;
  readonly #timeMs: number;
  #at = 0;
  #offset = 0;
  #left: number;
  /** Of the message that `next` returns. */
  #id: bigint;
  /** The lengths of that message, read; both 0 when none is left. */
  #propertiesLength = 0;
  #payloadLength = 0;

  constructor(body: Uint8Array, baseId: bigint, count: number, timeMs: number) {
    this.#body = body;
    this.#id = baseId;
    this.#left = count;
    this.#timeMs = timeMs;
    this.#readLengths();
  }

  /** Messages not yet gone through. */
  get left(): number {
    return this.#left;
  }

  /** Where the next message begins in the body; where the last one ends when none is left. */
  get offset(): number {
    return this.#offset;
  }

  /** What payload and properties of the next message take; 0 when none is left. */
  get nextBytes(): number {
    return this.#propertiesLength + this.#payloadLength;
  }

  /** What stands behind the last message; there must be none left. */
  get rest(): Uint8Array {
    return this.#body.subarray(this.#at);
  }

  /** Steps over the messages with a smaller id. */
  skipTo(id: bigint): void {
    while (this.#left > 0 && this.#id < id) this.skip();
  }

  /** The next message; there must be one left. Its payload is a view into the body. */
  next(): StoredMessage {
    const start = this.#at + this.#propertiesLength;
    const properties = this.#propertiesLength === 0 ? noProperties : decodeProperties(this.#body, this.#at, start);
    // Not by subarray: the body may be a Buffer, whose parts are Buffers too, and the slice() of one is no copy.
    const payload = new Uint8Array(this.#body.buffer, this.#body.byteOffset + start, this.#payloadLength);
    const message = { id: this.#id, payload, properties, timeMs: this.#timeMs };
    this.skip();
    return message;
  }

  /** Steps over the next message; there must be one left. */
  skip(): void {
    this.#at += this.#propertiesLength + this.#payloadLength;
    this.#id++;
    this.#left--;
    this.#readLengths();
  }

  #readLengths(): void {
    this.#offset = this.#at;
    const some = this.#left > 0;
    this.#propertiesLength = some ? this.#varint() : 0;
    this.#payloadLength = some ? this.#varint() : 0;
  }

  #varint(): number {
    const first = this.#body[this.#at++] ?? 0;
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.#body[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }
}

function encodeProperties(properties: Readonly<Record<string, string>>): Uint8Array {
  const texts = Object.entries(properties).flatMap(([key, value]) => [Buffer.from(key, "utf8"), Buffer.from(value, "utf8")]);
  const encoded = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + varintBytes(text.length) + text.length, 0));
  let at = 0;
  for (const text of texts) {
    at = writeVarint(encoded, at, text.length);
    at += text.copy(encoded, at);
  }
  return encoded;
}

function decodeProperties(body: Uint8Array, from: number, to: number): Readonly<Record<string, string>> {
  const properties = Object.create(null) as Record<string, string>;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let at = from;
  const text = (): string => {
    let length = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at++] ?? 0;
      length += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    at += length;
    return bytes.toString("utf8", at - length, at);
  };
  while (at < to) {
    const key = text();
    properties[key] = text();
  }
  return properties;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

function writeVarint(into: Buffer, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest >= 0x80) {
    into[end++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  into[end++] = rest;
  return end;
}
