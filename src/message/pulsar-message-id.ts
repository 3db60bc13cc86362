/**
 * Ids of Pulsar: a ledger, an entry in it, and the place in the entry's batch. The partition is carried along and takes no part in the order.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { toBase64 } from "./base64.js";
import { PulsarMessageIdSchema } from "./gen/tidemark/tidemark_pb.js";
import { type BackendName, checkSameBackend, type MessageId, noId, order } from "./message-id.js";
import { decodeLeniently } from "./proto-codec.js";

interface Place {
  readonly ledgerId: bigint;
  readonly entryId: bigint;
  /** -1: none. */
  readonly partition: number;
  /** -1: not in a batch. */
  readonly batchIndex: number;
  readonly batchSize: number;
}

class PulsarId implements MessageId {
  readonly backend = "pulsar";
  readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  compare(other: MessageId): -1 | 0 | 1 {
    checkSameBackend(this, other);
    return other instanceof PulsarId ? comparePlaces(this.place, other.place) : comparePlaces(this.place, placeOf(other.toBytes()));
  }

  equals(other: MessageId): boolean {
    return this.compare(other) === 0;
  }

  toString(): string {
    return toBase64(this.toBytes());
  }

  toBytes(): Uint8Array {
    return toBinary(PulsarMessageIdSchema, create(PulsarMessageIdSchema, this.place));
  }

  toJSON(): { backend: BackendName; id: string } {
    return { backend: this.backend, id: this.toString() };
  }
}

/** @throws `invalid-argument` where ledger or entry is missing, and for what is no MessageIdData */
export function pulsarIdFromBytes(bytes: Uint8Array): MessageId {
  return new PulsarId(placeOf(bytes));
}

function placeOf(bytes: Uint8Array): Place {
  const { ledgerId, entryId, partition = -1, batchIndex = -1, batchSize = 0 } = decodeLeniently(PulsarMessageIdSchema, bytes, "id");
  if (ledgerId === undefined || entryId === undefined) throw noId("bytes", "pulsar", "a MessageIdData with ledger and entry", bytes);
  return { ledgerId, entryId, partition, batchIndex, batchSize };
}

function comparePlaces(one: Place, other: Place): -1 | 0 | 1 {
  return (
    order(one.ledgerId, other.ledgerId) || order(one.entryId, other.entryId) || order(BigInt(one.batchIndex), BigInt(other.batchIndex))
  );
}
