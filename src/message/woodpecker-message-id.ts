/**
 * Ids of Woodpecker: a segment and an entry in it. The first of all, 0/0, has no bytes.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { toBase64 } from "./base64.js";
import { WoodpeckerMessageIdSchema } from "./gen/tidemark/tidemark_pb.js";
import { type BackendName, checkSameBackend, type MessageId, order } from "./message-id.js";
import { decodeLeniently } from "./proto-codec.js";

interface Place {
  readonly segmentId: bigint;
  readonly entryId: bigint;
}

class WoodpeckerId implements MessageId {
  readonly backend = "woodpecker";
  readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  compare(other: MessageId): -1 | 0 | 1 {
    checkSameBackend(this, other);
    const there = other instanceof WoodpeckerId ? other.place : placeOf(other.toBytes());
    return order(this.place.segmentId, there.segmentId) || order(this.place.entryId, there.entryId);
  }

  equals(other: MessageId): boolean {
    return this.compare(other) === 0;
  }

  toString(): string {
    return toBase64(this.toBytes());
  }

  toBytes(): Uint8Array {
    return toBinary(WoodpeckerMessageIdSchema, create(WoodpeckerMessageIdSchema, this.place));
  }

  toJSON(): { backend: BackendName; id: string } {
    return { backend: this.backend, id: this.toString() };
  }
}

/** @throws `invalid-argument` for what is no Woodpecker id */
export function woodpeckerIdFromBytes(bytes: Uint8Array): MessageId {
  return new WoodpeckerId(placeOf(bytes));
}

function placeOf(bytes: Uint8Array): Place {
  const { segmentId, entryId } = decodeLeniently(WoodpeckerMessageIdSchema, bytes, "id");
  return { segmentId, entryId };
}
