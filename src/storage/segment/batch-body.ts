/**
 * The body of a batch frame: messages one after the other, their ids consecutive from the frame's base id.
 *
 *     message:     varint length of properties · varint length of payload · properties · payload
 *     properties:  see `packed-properties.ts`
 *
 * Behind the last message stands where appends begin: see `append-starts.ts`.
 */
import { copyBytes } from "../../base/copy-bytes.js";
import type { NewMessage, StoredMessage } from "../engine.js";
import { propertiesBytes, writeProperties, type Properties } from "./packed-properties.js";
import type { PropertiesReader } from "./properties-reader.js";
import { readVarint, varintBytes, writeVarint } from "./varint.js";

/** A message made ready for its frame. */
export interface PackedMessage {
  readonly payload: Uint8Array;
  /** What it had when it was packed. */
  readonly payloadBytes: number;
  readonly properties: Properties | undefined;
  readonly propertiesBytes: number;
  /** What it takes in the body. */
  readonly size: number;
}

/** Measures it; all stays where it is until the frame is written. */
export function packMessage({ payload, properties }: NewMessage): PackedMessage {
  const payloadBytes = payload.byteLength;
  const own = properties === undefined ? 0 : propertiesBytes(properties);
  const size = varintBytes(own) + varintBytes(payloadBytes) + own + payloadBytes;
  return { payload, payloadBytes, properties, propertiesBytes: own, size };
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
  let end = writeVarint(into, at, message.propertiesBytes);
  end = writeVarint(into, end, payloadBytes);
  if (properties !== undefined) end = writeProperties(into, end, properties);
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
  next(texts: PropertiesReader): StoredMessage {
    const start = this.#at + this.#propertiesLength;
    const properties = texts.read(this.#body, this.#at, start);
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
    const value = readVarint(this.#body, this.#at);
    this.#at += varintBytes(value);
    return value;
  }
}
