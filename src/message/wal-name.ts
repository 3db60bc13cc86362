/**
 * Milvus's names of back-ends: a number wherever an id travels with the log it is of.
 */
import { type MessageID, MessageIDSchema, WALName } from "./gen/milvus/common_pb.js";
import type { BackendName, MessageId } from "./message-id.js";
import { messageIdFromString } from "./message-id-forms.js";
import { corruptField } from "./proto-codec.js";
import { originOf, readFrom } from "./read-from.js";

/** "memory" stands where Milvus has its test back-end. */
const walNames: Readonly<Record<BackendName, WALName>> = {
  memory: WALName.Test,
  rocksmq: WALName.RocksMQ,
  pulsar: WALName.Pulsar,
  kafka: WALName.Kafka,
  woodpecker: WALName.WoodPecker,
};
const backends: ReadonlyMap<WALName, BackendName> = new Map(
  (Object.keys(walNames) as BackendName[]).map((backend) => [walNames[backend], backend]),
);

/** The back-end of Milvus's number; undefined for 0, which is whatever a Milvus is set to, and for what nobody knows. */
export function backendOf(name: WALName): BackendName | undefined {
  return backends.get(name);
}

/** An id with the log it is of, as Milvus's protobuf has it. */
export function idToProto(id: MessageId): MessageID {
  return { ...originOf(MessageIDSchema, id), id: id.toString(), walName: walNames[id.backend] };
}

/** @param field names the message in an error @throws `corrupt` */
export function idFromProto(field: string, origin: MessageID): MessageId {
  const { id, walName } = origin;
  const backend = backendOf(walName);
  if (backend === undefined) throw corruptField(`${field}.WAL_name`, 0, `no back-end has the number ${walName}`);
  try {
    return readFrom(messageIdFromString(backend, id), origin);
  } catch (error) {
    throw corruptField(`${field}.id`, 0, `no id of ${backend}`, error);
  }
}
