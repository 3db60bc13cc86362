/**
 * Ids that are one int64: those of memory, RocksMQ and Kafka.
 */
import { checkWord, invalid } from "../base/arguments.js";
import { type BackendName, checkMessageId, checkSameBackend, type MessageId, noId, order } from "./message-id.js";
import { checkInt64, int64FromBase36, int64FromDecimal } from "./numbers.js";

/** Back-ends whose ids are one int64. */
export type Int64Backend = "memory" | "rocksmq" | "kafka";

const int64Backends: readonly Int64Backend[] = ["memory", "rocksmq", "kafka"];

class Int64MessageId implements MessageId {
  readonly backend: Int64Backend;
  readonly value: bigint;

  constructor(backend: Int64Backend, value: bigint) {
    this.backend = backend;
    this.value = value;
  }

  compare(other: MessageId): -1 | 0 | 1 {
    if (other instanceof Int64MessageId && other.backend === this.backend) return order(this.value, other.value);
    checkSameBackend(this, other);
    return order(this.value, int64Of(other));
  }

  equals(other: MessageId): boolean {
    return this.compare(other) === 0;
  }

  toString(): string {
    return this.value.toString(this.backend === "memory" ? 10 : 36);
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigInt64(0, this.value, true);
    return bytes;
  }

  toJSON(): { backend: BackendName; id: string } {
    return { backend: this.backend, id: this.toString() };
  }
}

/**
 * The id that this number is in that back-end, for whoever has the log's own numbers at hand.
 *
 * @throws `invalid-argument` for another back-end, and outside of int64
 */
export function int64MessageId(backend: Int64Backend, value: bigint): MessageId {
  checkWord("backend", backend, int64Backends);
  checkInt64("value", value);
  return new Int64MessageId(backend, value);
}

/**
 * The number that an id of memory, RocksMQ or Kafka is.
 *
 * @throws `invalid-argument` for an id of another back-end
 */
export function int64Of(id: MessageId): bigint {
  if (id instanceof Int64MessageId) return id.value;
  checkMessageId("id", id);
  throw invalid("id", "an id that is one number (memory, rocksmq, kafka)", id.backend);
}

/** @throws `invalid-argument` */
export function int64IdFromString(backend: Int64Backend, text: string): MessageId {
  // Nobody writes a "+", though Go would read it.
  const value = backend === "memory" ? int64FromDecimal(text) : text.startsWith("+") ? undefined : int64FromBase36(text);
  if (value === undefined) throw noId("text", backend, `an int64 in ${backend === "memory" ? "decimal" : "base 36"}`, text);
  return new Int64MessageId(backend, value);
}

/** The first eight bytes count, as in Milvus. @throws `invalid-argument` for fewer */
export function int64IdFromBytes(backend: Int64Backend, bytes: Uint8Array): MessageId {
  if (bytes.byteLength < 8) throw noId("bytes", backend, "8 bytes", bytes);
  return new Int64MessageId(backend, new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0, true));
}
