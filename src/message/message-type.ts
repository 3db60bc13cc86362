/**
 * Types of the streaming write-ahead log: their numbers, and the header and body of each.
 *
 * "user" is ours: its body is the caller's bytes. What has a number that this version does not know is "unknown", and kept as it is.
 */
import type { MessageShape } from "@bufbuild/protobuf";
import * as wal from "./gen/milvus/messages_pb.js";
import * as body from "./gen/milvus/msg_pb.js";

/** Version 1: the body is one of the old message stream; 2: the log's own. */
const types = {
  timeTick: { number: 1, version: 1, header: wal.TimeTickMessageHeaderSchema, body: body.TimeTickMsgSchema },
  insert: { number: 2, version: 1, header: wal.InsertMessageHeaderSchema, body: body.InsertRequestSchema },
  delete: { number: 3, version: 1, header: wal.DeleteMessageHeaderSchema, body: body.DeleteRequestSchema },
  flush: { number: 4, version: 2, header: wal.FlushMessageHeaderSchema, body: wal.FlushMessageBodySchema },
  createCollection: { number: 5, version: 1, header: wal.CreateCollectionMessageHeaderSchema, body: body.CreateCollectionRequestSchema },
  dropCollection: { number: 6, version: 1, header: wal.DropCollectionMessageHeaderSchema, body: body.DropCollectionRequestSchema },
  createPartition: { number: 7, version: 1, header: wal.CreatePartitionMessageHeaderSchema, body: body.CreatePartitionRequestSchema },
  dropPartition: { number: 8, version: 1, header: wal.DropPartitionMessageHeaderSchema, body: body.DropPartitionRequestSchema },
  manualFlush: { number: 9, version: 2, header: wal.ManualFlushMessageHeaderSchema, body: wal.ManualFlushMessageBodySchema },
  createSegment: { number: 10, version: 2, header: wal.CreateSegmentMessageHeaderSchema, body: wal.CreateSegmentMessageBodySchema },
  import: { number: 11, version: 1, header: wal.ImportMessageHeaderSchema, body: body.ImportMsgSchema },
  schemaChange: { number: 12, version: 2, header: wal.SchemaChangeMessageHeaderSchema, body: wal.SchemaChangeMessageBodySchema },
  alterCollection: { number: 13, version: 2, header: wal.AlterCollectionMessageHeaderSchema, body: wal.AlterCollectionMessageBodySchema },
  alterLoadConfig: { number: 14, version: 2, header: wal.AlterLoadConfigMessageHeaderSchema, body: wal.AlterLoadConfigMessageBodySchema },
  dropLoadConfig: { number: 15, version: 2, header: wal.DropLoadConfigMessageHeaderSchema, body: wal.DropLoadConfigMessageBodySchema },
  createDatabase: { number: 16, version: 2, header: wal.CreateDatabaseMessageHeaderSchema, body: wal.CreateDatabaseMessageBodySchema },
  alterDatabase: { number: 17, version: 2, header: wal.AlterDatabaseMessageHeaderSchema, body: wal.AlterDatabaseMessageBodySchema },
  dropDatabase: { number: 18, version: 2, header: wal.DropDatabaseMessageHeaderSchema, body: wal.DropDatabaseMessageBodySchema },
  alterAlias: { number: 19, version: 2, header: wal.AlterAliasMessageHeaderSchema, body: wal.AlterAliasMessageBodySchema },
  dropAlias: { number: 20, version: 2, header: wal.DropAliasMessageHeaderSchema, body: wal.DropAliasMessageBodySchema },
  restoreRBAC: { number: 21, version: 2, header: wal.RestoreRBACMessageHeaderSchema, body: wal.RestoreRBACMessageBodySchema },
  alterUser: { number: 22, version: 2, header: wal.AlterUserMessageHeaderSchema, body: wal.AlterUserMessageBodySchema },
  dropUser: { number: 23, version: 2, header: wal.DropUserMessageHeaderSchema, body: wal.DropUserMessageBodySchema },
  alterRole: { number: 24, version: 2, header: wal.AlterRoleMessageHeaderSchema, body: wal.AlterRoleMessageBodySchema },
  dropRole: { number: 25, version: 2, header: wal.DropRoleMessageHeaderSchema, body: wal.DropRoleMessageBodySchema },
  alterUserRole: { number: 26, version: 2, header: wal.AlterUserRoleMessageHeaderSchema, body: wal.AlterUserRoleMessageBodySchema },
  dropUserRole: { number: 27, version: 2, header: wal.DropUserRoleMessageHeaderSchema, body: wal.DropUserRoleMessageBodySchema },
  alterPrivilege: { number: 28, version: 2, header: wal.AlterPrivilegeMessageHeaderSchema, body: wal.AlterPrivilegeMessageBodySchema },
  dropPrivilege: { number: 29, version: 2, header: wal.DropPrivilegeMessageHeaderSchema, body: wal.DropPrivilegeMessageBodySchema },
  alterPrivilegeGroup: {
    number: 30,
    version: 2,
    header: wal.AlterPrivilegeGroupMessageHeaderSchema,
    body: wal.AlterPrivilegeGroupMessageBodySchema,
  },
  dropPrivilegeGroup: {
    number: 31,
    version: 2,
    header: wal.DropPrivilegeGroupMessageHeaderSchema,
    body: wal.DropPrivilegeGroupMessageBodySchema,
  },
  alterResourceGroup: {
    number: 32,
    version: 2,
    header: wal.AlterResourceGroupMessageHeaderSchema,
    body: wal.AlterResourceGroupMessageBodySchema,
  },
  dropResourceGroup: {
    number: 33,
    version: 2,
    header: wal.DropResourceGroupMessageHeaderSchema,
    body: wal.DropResourceGroupMessageBodySchema,
  },
  createIndex: { number: 34, version: 2, header: wal.CreateIndexMessageHeaderSchema, body: wal.CreateIndexMessageBodySchema },
  alterIndex: { number: 35, version: 2, header: wal.AlterIndexMessageHeaderSchema, body: wal.AlterIndexMessageBodySchema },
  dropIndex: { number: 36, version: 2, header: wal.DropIndexMessageHeaderSchema, body: wal.DropIndexMessageBodySchema },
  alterReplicateConfig: {
    number: 800,
    version: 2,
    header: wal.AlterReplicateConfigMessageHeaderSchema,
    body: wal.AlterReplicateConfigMessageBodySchema,
  },
  beginTxn: { number: 900, version: 2, header: wal.BeginTxnMessageHeaderSchema, body: wal.BeginTxnMessageBodySchema },
  commitTxn: { number: 901, version: 2, header: wal.CommitTxnMessageHeaderSchema, body: wal.CommitTxnMessageBodySchema },
  rollbackTxn: { number: 902, version: 2, header: wal.RollbackTxnMessageHeaderSchema, body: wal.RollbackTxnMessageBodySchema },
} as const;

type Types = typeof types;

/** A type whose header and body are protobuf. */
export type ProtoType = keyof Types;

/** Header and body of each type, as protobuf generates them: lowerCamelCase fields, bigint for 64 bits. */
export type MessageShapes = {
  readonly [T in ProtoType]: { readonly header: MessageShape<Types[T]["header"]>; readonly body: MessageShape<Types[T]["body"]> };
} & {
  readonly user: { readonly header: undefined; readonly body: Uint8Array };
  readonly unknown: { readonly header: Uint8Array; readonly body: Uint8Array };
};

/** Milvus's name of a type with a small first letter; "user"; and "unknown", for any number that this version does not know. */
export type MessageType = keyof MessageShapes;

/** Types that the log writes for itself. Clients can't append them, and no filter can name them. */
export type SystemType = "timeTick" | "beginTxn" | "commitTxn" | "rollbackTxn";

/** Types that clients may append. */
export type ClientType = Exclude<ProtoType, SystemType>;

/** "user" is ours; no Milvus knows the number. */
const userNumber = 10_001;

/** The version of "user": the log's own. */
const ownVersion = 2;

const rows: ReadonlyMap<string, Types[ProtoType]> = new Map(Object.entries(types));

/** The number of each type on the wire. */
export const messageTypeNumber: Readonly<Record<Exclude<MessageType, "unknown">, number>> = numbersByName();

const names = new Map(Object.entries(messageTypeNumber).map(([name, number]) => [number, name]));

/** The type of a number. */
export function messageTypeOf(number: number): MessageType {
  const name = names.get(number);
  return isMessageType(name) ? name : "unknown";
}

/** The version that a message of this type is written with. */
export function versionOf(type: Exclude<MessageType, "unknown">): number {
  return type === "user" ? ownVersion : types[type].version;
}

/** The protobuf message of a type's header. */
export function headerSchema<T extends ProtoType>(type: T): Types[T]["header"] {
  return types[type].header;
}

/** The protobuf message of a type's body. */
export function payloadSchema<T extends ProtoType>(type: T): Types[T]["body"] {
  return types[type].body;
}

/** Whether a type's header and body are protobuf. */
export function isProtoType(type: unknown): type is ProtoType {
  return typeof type === "string" && rows.has(type);
}

/** Whether a text is the name of a type, "unknown" included. */
export function isMessageType(type: unknown): type is MessageType {
  return isProtoType(type) || type === "user" || type === "unknown";
}

/** Whether the log writes messages of this type for itself. */
export function isSystemType(type: MessageType): type is SystemType {
  return type === "timeTick" || type === "beginTxn" || type === "commitTxn" || type === "rollbackTxn";
}

/** The types that clients may append, "user" aside. */
export const clientTypes: readonly ClientType[] = Object.freeze(
  [...rows.keys()].filter((type): type is ClientType => isProtoType(type) && !isSystemType(type)),
);

function numbersByName(): Record<Exclude<MessageType, "unknown">, number> {
  const numbers = Object.fromEntries([...rows].map(([name, { number }]) => [name, number])) as Record<ProtoType, number>;
  return Object.freeze({ ...numbers, user: userNumber });
}
