/**
 * Makes stored messages out of those handed in, sharing nothing with the caller.
 */
import { bareCopy, emptyRecord } from "../../base/bare-record.js";
import type { NewMessage, StoredMessage } from "../engine.js";

/** The messages of one append. */
export interface MemoryBatch {
  /** At least one; consecutive ids. */
  readonly messages: readonly StoredMessage[];
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly timeMs: number;
  readonly bytes: number;
}

/** Copies `messages` into a batch with ids from `firstId` on. */
export function storedBatch(messages: readonly NewMessage[], firstId: bigint, timeMs: number): MemoryBatch {
  const stored = messages.map((message, at) => storedMessage(message, firstId + BigInt(at), timeMs));
  return {
    messages: stored,
    firstId,
    lastId: firstId + BigInt(stored.length - 1),
    timeMs,
    bytes: stored.reduce((sum, message) => sum + messageBytes(message), 0),
  };
}

/** What is left of a batch from `id` on. */
export function bytesFrom({ messages, firstId, bytes }: MemoryBatch, id: bigint): number {
  if (id <= firstId) return bytes;
  return messages.slice(Number(id - firstId)).reduce((sum, message) => sum + messageBytes(message), 0);
}

/** Bytes of a message's payload and of its properties in UTF-8. */
export function messageBytes(message: StoredMessage): number {
  if (message.properties === emptyRecord) return message.payload.byteLength;
  return Object.entries(message.properties).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    message.payload.byteLength,
  );
}

function storedMessage(message: NewMessage, id: bigint, timeMs: number): StoredMessage {
  return { id, payload: new Uint8Array(message.payload), properties: Object.freeze(bareCopy(message.properties ?? emptyRecord)), timeMs };
}
