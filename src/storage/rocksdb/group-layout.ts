/**
 * How a group of changes lies in the memory that the writing thread sees: operations, one behind the other.
 *
 *     messages   1 │ key's head │ first id │ plain row │ count │ count × (payload │ row of properties; length 0: the plain row)
 *     put meta   2 │ key │ value
 *     del meta   3 │ key
 *
 * Texts and bytes stand behind their length (u32), ids are u64, all little-endian. It never leaves the process, so it has no version.
 * A message's key is built by the thread: the owner copies its payload, and is done with it.
 */
import { idDigits } from "./keys.js";

const kinds = { messages: 1, put: 2, delete: 3 } as const;

/** One batch of messages of one channel. */
export interface MessagesOperation {
  readonly do: "messages";
  readonly channel: string;
  readonly firstId: bigint;
  /** The row of a message without properties. */
  readonly plainRow: string;
  readonly messages: readonly { readonly payload: Uint8Array; readonly row: string | undefined }[];
}

/** One thing that a group writes. Keys are of the family meta. */
export type Operation =
  | MessagesOperation
  | { readonly do: "put"; readonly key: string; readonly value: Uint8Array | string }
  | { readonly do: "delete"; readonly key: string };

/** The bytes that an operation takes. */
export function sizeOf(operation: Operation): number {
  switch (operation.do) {
    case "messages": {
      const head = 1 + sized(`${operation.channel}/`) + 8 + sized(operation.plainRow) + 4;
      return operation.messages.reduce((sum, { payload, row }) => sum + 8 + payload.length + (row === undefined ? 0 : lengthOf(row)), head);
    }
    case "put":
      return 1 + sized(operation.key) + sized(operation.value);
    case "delete":
      return 1 + sized(operation.key);
    default:
      return operation satisfies never;
  }
}

/** Lays the operations out in `into`, which is as long as they need. */
export function layOut(operations: readonly Operation[], into: Buffer): void {
  let at = 0;
  const text = (value: string | Uint8Array): void => {
    const length = typeof value === "string" ? into.write(value, at + 4) : value.length;
    if (typeof value !== "string") into.set(value, at + 4);
    at = into.writeUInt32LE(length, at) + length;
  };
  for (const operation of operations) {
    at = into.writeUInt8(kinds[operation.do], at);
    if (operation.do !== "messages") {
      text(operation.key);
      if (operation.do === "put") text(operation.value);
      continue;
    }
    text(`${operation.channel}/`);
    at = into.writeBigUInt64LE(operation.firstId, at);
    text(operation.plainRow);
    at = into.writeUInt32LE(operation.messages.length, at);
    for (const { payload, row } of operation.messages) {
      text(payload);
      text(row ?? "");
    }
  }
}

/** Where the operations go. Keys and values are only good until the call returns. */
export interface GroupTarget {
  message(key: Uint8Array, payload: Uint8Array, row: Uint8Array): void;
  put(key: Uint8Array, value: Uint8Array): void;
  delete(key: Uint8Array): void;
}

/** Does what is laid out in `bytes`. */
export function perform(bytes: Buffer, target: GroupTarget): void {
  let at = 0;
  const taken = (): Buffer => {
    const start = at + 4;
    at = start + bytes.readUInt32LE(at);
    return bytes.subarray(start, at);
  };
  const messages = (): void => {
    const head = taken();
    const key = new MessageKey(head, bytes.readBigUInt64LE(at));
    at += 8;
    const plainRow = taken();
    const count = bytes.readUInt32LE(at);
    at += 4;
    for (let nth = 0; nth < count; nth++) {
      const payload = taken();
      const row = taken();
      target.message(key.bytes, payload, row.length === 0 ? plainRow : row);
      key.increment();
    }
  };
  while (at < bytes.length) {
    const kind = bytes.readUInt8(at++);
    if (kind === kinds.messages) messages();
    else if (kind === kinds.put) target.put(taken(), taken());
    else target.delete(taken());
  }
}

/** A key whose decimal id counts up in place. */
class MessageKey {
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
  return 4 + (typeof value === "string" ? lengthOf(value) : value.length);
}

function lengthOf(text: string): number {
  return Buffer.byteLength(text);
}
