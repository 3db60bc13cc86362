/**
 * The protobuf message that an object of ours was read from, so that what we have no field for is written again with the object.
 *
 *     bytes ──▶ protobuf ──▶ { the fields that we know }     what a caller sees, and nothing more
 *                  ╰── kept beside it ──▶ bytes again         with the fields of a newer Milvus
 *
 * It is kept for that one object: a copy with other fields is the caller's own, and says what the caller put there.
 */
import { clone, create, type DescMessage, isMessage, type Message, type MessageShape } from "@bufbuild/protobuf";

/** By the object that was made; with it they go. */
const origins = new WeakMap<object, Message>();

/** Keeps for `made` the message that it was read from. */
export function readFrom<T extends object>(made: T, origin: Message): T {
  origins.set(made, origin);
  return made;
}

/** The same for objects of which there are many: only where the message has fields that its schema does not know. */
export function readFromNewer<T extends object>(made: T, origin: Message): T {
  return origin.$unknown === undefined ? made : readFrom(made, origin);
}

/** What `made` is written into: a copy of the message that it was read from, or an empty one. */
export function originOf<D extends DescMessage>(schema: D, made: object): MessageShape<D> {
  const origin = origins.get(made);
  return isMessage(origin, schema) ? clone(schema, origin) : create(schema);
}
