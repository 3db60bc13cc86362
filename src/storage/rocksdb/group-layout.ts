/**
 * How a group of changes lies in the memory that the writing thread sees: operations, one behind the other.
 *
 *     plain      1 │ row                                                 of messages without properties, for the group
 *     messages   2 │ key's head │ first id │ batches │ batches × batch   of one channel, ids without a gap
 *       batch        count │ count × (payload's length │ row's length │ payload │ row; length 0: the plain row)
 *     put meta   3 │ key │ value
 *     del meta   4 │ key
 *
 * Texts and bytes stand behind their length (u32), ids are u64, all little-endian. It never leaves the process, so it has no version.
 * A message's key and its plain row are built by the thread: the owner copies its payload, and is done with it. What a channel got in a group
 * stands together, so that its key is made once and then counted up in place.
 */
import { broken } from "../../base/assert.js";
import { copyBytes } from "../../base/copy-bytes.js";
import type { NewMessage } from "../engine.js";
import { idDigits } from "./keys.js";
import { batchEnd } from "./stored-properties.js";

const kinds = { plain: 1, messages: 2, put: 3, delete: 4 } as const;

/** What one append brought. */
export interface LaidBatch {
  readonly messages: readonly NewMessage[];
  /** The row of each message; undefined where it is the plain one, or all are. The last one's ends in `batchEnd`. */
  readonly rows: readonly (string | undefined)[] | undefined;
}

/** Batches of one channel whose ids follow on each other. */
export interface MessagesOperation {
  readonly do: "messages";
  readonly channel: string;
  readonly firstId: bigint;
  readonly batches: readonly LaidBatch[];
}

/** One thing that a group writes. Keys are of the family meta. */
export type Operation =
  | MessagesOperation
  /** Before the first messages: the row of one without properties. */
  | { readonly do: "plain"; readonly row: string }
  | { readonly do: "put"; readonly key: string; readonly value: Uint8Array | string }
  | { readonly do: "delete"; readonly key: string };

/** The bytes that an operation takes. */
export function sizeOf(operation: Operation): number {
  switch (operation.do) {
    case "messages":
      return operation.batches.reduce((sum, batch) => sum + sizeOfBatch(batch), 1 + sized(`${operation.channel}/`) + 8 + 4);
    case "plain":
      return 1 + sized(operation.row);
    case "put":
      return 1 + sized(operation.key) + sized(operation.value);
    case "delete":
      return 1 + sized(operation.key);
    default:
      return operation satisfies never;
  }
}

function sizeOfBatch({ messages, rows }: LaidBatch): number {
  let size = 4 + 8 * messages.length;
  for (const { payload } of messages) size += payload.length;
  for (const row of rows ?? []) if (row !== undefined) size += Buffer.byteLength(row);
  return size;
}

/** Lays the operations out in `into`, which is as long as they need. */
export function layOut(operations: readonly Operation[], into: Buffer): void {
  let at = 0;
  const text = (value: string | Uint8Array): void => {
    const length = typeof value === "string" ? into.write(value, at + 4) : value.length;
    if (typeof value !== "string") copyBytes(into, at + 4, value);
    at = into.writeUInt32LE(length, at) + length;
  };
  for (const operation of operations) {
    at = into.writeUInt8(kinds[operation.do], at);
    switch (operation.do) {
      case "messages":
        text(`${operation.channel}/`);
        at = into.writeBigUInt64LE(operation.firstId, at);
        at = into.writeUInt32LE(operation.batches.length, at);
        for (const batch of operation.batches) at = layOutBatch(batch, into, at);
        break;
      case "plain":
        text(operation.row);
        break;
      case "put":
        text(operation.key);
        text(operation.value);
        break;
      case "delete":
        text(operation.key);
        break;
      default:
        operation satisfies never;
    }
  }
}

function layOutBatch({ messages, rows }: LaidBatch, into: Buffer, start: number): number {
  let at = into.writeUInt32LE(messages.length, start);
  let nth = 0;
  for (const { payload } of messages) {
    const row = rows?.[nth++];
    const payloadAt = at + 8;
    const rowAt = payloadAt + payload.length;
    copyBytes(into, payloadAt, payload);
    const rowLength = row === undefined ? 0 : into.write(row, rowAt);
    into.writeUInt32LE(payload.length, at);
    into.writeUInt32LE(rowLength, at + 4);
    at = rowAt + rowLength;
  }
  return at;
}

/** Where the operations go. Keys and values are only good until the call returns. */
export interface GroupTarget {
  message(key: Uint8Array, payload: Uint8Array, row: Uint8Array): void;
  put(key: Uint8Array, value: Uint8Array): void;
  delete(key: Uint8Array): void;
}

/** Does what is laid out in `bytes`. */
export function perform(bytes: Buffer, target: GroupTarget): void {
  new LaidGroup(bytes, target).perform();
}

/** A group as it lies there, read from its start to its end. */
class LaidGroup {
  readonly #bytes: Buffer;
  readonly #target: GroupTarget;
  #at = 0;
  /** Of messages without properties, and of the last one of a batch; both stand before the first messages. */
  #plainRow: Buffer = Buffer.of();
  #plainLastRow: Buffer = Buffer.of();

  constructor(bytes: Buffer, target: GroupTarget) {
    this.#bytes = bytes;
    this.#target = target;
  }

  perform(): void {
    while (this.#at < this.#bytes.length) this.#operation(this.#bytes.readUInt8(this.#at++));
  }

  #operation(kind: number): void {
    switch (kind) {
      case kinds.messages:
        return this.#messages();
      case kinds.plain:
        return this.#plain();
      case kinds.put:
        return this.#target.put(this.#taken(), this.#taken());
      case kinds.delete:
        return this.#target.delete(this.#taken());
      default:
        // Nothing of a group that was laid out wrong may be stored.
        throw broken(`a group has operations of ${Object.values(kinds).join(", ")}, and not of ${kind}`);
    }
  }

  #plain(): void {
    this.#plainRow = this.#taken();
    this.#plainLastRow = Buffer.concat([this.#plainRow, Buffer.from(batchEnd)]);
  }

  #messages(): void {
    const head = this.#taken();
    const key = new MessageKey(head, this.#bytes.readBigUInt64LE(this.#at));
    this.#at += 8;
    for (let batches = this.#count(); batches > 0; batches--) {
      for (let left = this.#count(); left > 0; left--) this.#message(key, left === 1 ? this.#plainLastRow : this.#plainRow);
    }
  }

  #message(key: MessageKey, plainRow: Buffer): void {
    const payloadAt = this.#at + 8;
    const payloadLength = this.#bytes.readUInt32LE(this.#at);
    const rowLength = this.#bytes.readUInt32LE(this.#at + 4);
    const rowAt = payloadAt + payloadLength;
    this.#target.message(key.bytes, this.#view(payloadAt, payloadLength), rowLength === 0 ? plainRow : this.#view(rowAt, rowLength));
    key.increment();
    this.#at = rowAt + rowLength;
  }

  /** A plain view takes half as long to make as a part of a Buffer. */
  #view(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + at, length);
  }

  #count(): number {
    const count = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return count;
  }

  #taken(): Buffer {
    const start = this.#at + 4;
    this.#at = start + this.#bytes.readUInt32LE(this.#at);
    return this.#bytes.subarray(start, this.#at);
  }
}

/** A key whose decimal id counts up in place. `head`: what stands before the id. */
export class MessageKey {
  readonly bytes: Buffer;
  readonly #head: number;

  constructor(head: Uint8Array, id: bigint) {
    this.#head = head.length;
    this.bytes = Buffer.allocUnsafe(head.length + idDigits);
    this.bytes.set(head);
    this.bytes.write(String(id), head.length, "latin1");
  }

  increment(): void {
    const nine = 0x39;
    let digit = this.bytes.length - 1;
    for (; digit >= this.#head && this.bytes[digit] === nine; digit--) this.bytes[digit] = 0x30;
    if (digit >= this.#head) this.bytes[digit] = (this.bytes[digit] ?? 0) + 1;
  }
}

function sized(value: string | Uint8Array): number {
  return 4 + (typeof value === "string" ? Buffer.byteLength(value) : value.length);
}
