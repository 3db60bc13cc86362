/**
 * A place in one channel of one back-end, and its two written forms.
 *
 *     back-end     what it is                     text               bytes
 *     memory       int64                          decimal            8, little-endian
 *     rocksmq      int64                          base 36            8, little-endian
 *     kafka        int64, an offset               base 36            8, little-endian
 *     pulsar       ledger, entry, batch index     base64 of bytes    MessageIdData
 *     woodpecker   segment, entry                 base64 of bytes    protobuf; none at all for 0/0
 *
 * Both are Milvus's, so that its positions read here and ours there. Milvus reads the integers without a sign and fails at its own -2; we read them signed.
 */
import { checkWord, invalid } from "../base/arguments.js";
import { TidemarkError } from "../base/errors.js";

/** The logs that ids come from. */
export type BackendName = "memory" | "rocksmq" | "kafka" | "pulsar" | "woodpecker";

/** All of them. */
export const backendNames: readonly BackendName[] = ["memory", "rocksmq", "kafka", "pulsar", "woodpecker"];

const knownBackends: ReadonlySet<unknown> = new Set(backendNames);

/** A place in one channel of one back-end. Immutable. */
export interface MessageId {
  readonly backend: BackendName;
  /**
   * The order in the log.
   *
   * @throws `backend-mismatch` for an id of another back-end: such ids never compare; `invalid-argument` for what is no id
   */
  compare(other: MessageId): -1 | 0 | 1;
  /** @throws `backend-mismatch` and `invalid-argument` as `compare` does */
  equals(other: MessageId): boolean;
  /** Milvus's marshalled text; `messageIdFromString` reads it. */
  toString(): string;
  /** The bytes that Milvus keeps in a position; `messageIdFromBytes` reads them. */
  toBytes(): Uint8Array;
  toJSON(): { backend: BackendName; id: string };
}

/** @throws `invalid-argument` unless `other` is an id; `backend-mismatch` unless both come from one back-end */
export function checkSameBackend(one: MessageId, other: MessageId): void {
  checkMessageId("other", other);
  if (one.backend === other.backend) return;
  const text = `an id of ${one.backend} (${one.toString()}) and one of ${other.backend} (${other.toString()}) do not compare`;
  throw new TidemarkError("backend-mismatch", text, { backends: [one.backend, other.backend] });
}

/** @throws `invalid-argument` unless it is the name of a back-end */
export function checkBackend(argument: string, name: unknown): asserts name is BackendName {
  checkWord(argument, name, backendNames);
}

function isBackend(name: unknown): boolean {
  return knownBackends.has(name);
}

/** @throws `invalid-argument` unless it is an id, of whichever back-end */
export function checkMessageId(argument: string, id: unknown): asserts id is MessageId {
  if (typeof id !== "object" || id === null) throw invalid(argument, "a message id", id);
  const { backend, compare, toBytes }: { backend?: unknown; compare?: unknown; toBytes?: unknown } = id;
  // A name is put together only for what is wrong: ids are looked at for each message that is read.
  if (!isBackend(backend)) checkBackend(`${argument}.backend`, backend);
  if (typeof compare !== "function" || typeof toBytes !== "function") throw invalid(argument, "a message id, with its methods", id);
}

/** How two numbers are ordered. */
export function order(one: bigint, other: bigint): -1 | 0 | 1 {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** A text or bytes that are no id of that back-end. */
export function noId(argument: string, backend: BackendName, expected: string, got: unknown): TidemarkError<"invalid-argument"> {
  return invalid(argument, `an id of ${backend}, which is ${expected}`, got);
}
