/**
 * Which protobuf message the body of each stream message is.
 *
 * Types that Milvus never puts into a stream have none of their own: they are read as a MsgHeader, whose unknown fields keep all that is in them.
 */
import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { MsgHeaderSchema } from "./gen/milvus/common_pb.js";
import * as request from "./gen/milvus/milvus_pb.js";
import * as body from "./gen/milvus/msg_pb.js";
import { UserMsgSchema } from "./gen/tidemark/tidemark_pb.js";
import { checkMsgType, type MsgTypeName } from "./msg-type.js";

const schemas = {
  insert: body.InsertRequestSchema,
  delete: body.DeleteRequestSchema,
  timeTick: body.TimeTickMsgSchema,
  dataNodeTt: body.DataNodeTtMsgSchema,
  replicate: body.ReplicateMsgSchema,
  import: body.ImportMsgSchema,
  createCollection: body.CreateCollectionRequestSchema,
  dropCollection: body.DropCollectionRequestSchema,
  createPartition: body.CreatePartitionRequestSchema,
  dropPartition: body.DropPartitionRequestSchema,
  alterCollection: request.AlterCollectionRequestSchema,
  alterCollectionField: request.AlterCollectionFieldRequestSchema,
  renameCollection: request.RenameCollectionRequestSchema,
  createAlias: request.CreateAliasRequestSchema,
  dropAlias: request.DropAliasRequestSchema,
  alterAlias: request.AlterAliasRequestSchema,
  createIndex: request.CreateIndexRequestSchema,
  dropIndex: request.DropIndexRequestSchema,
  alterIndex: request.AlterIndexRequestSchema,
  loadCollection: request.LoadCollectionRequestSchema,
  releaseCollection: request.ReleaseCollectionRequestSchema,
  loadPartitions: request.LoadPartitionsRequestSchema,
  releasePartitions: request.ReleasePartitionsRequestSchema,
  flush: request.FlushRequestSchema,
  createDatabase: request.CreateDatabaseRequestSchema,
  dropDatabase: request.DropDatabaseRequestSchema,
  alterDatabase: request.AlterDatabaseRequestSchema,
  createCredential: request.CreateCredentialRequestSchema,
  deleteCredential: request.DeleteCredentialRequestSchema,
  updateCredential: request.UpdateCredentialRequestSchema,
  createRole: request.CreateRoleRequestSchema,
  dropRole: request.DropRoleRequestSchema,
  operateUserRole: request.OperateUserRoleRequestSchema,
  operatePrivilege: request.OperatePrivilegeRequestSchema,
  operatePrivilegeV2: request.OperatePrivilegeV2RequestSchema,
  createPrivilegeGroup: request.CreatePrivilegeGroupRequestSchema,
  dropPrivilegeGroup: request.DropPrivilegeGroupRequestSchema,
  operatePrivilegeGroup: request.OperatePrivilegeGroupRequestSchema,
  user: UserMsgSchema,
} as const satisfies Partial<Record<MsgTypeName, DescMessage>>;

type Schemas = typeof schemas;
type SchemaOf<T extends MsgTypeName> = T extends keyof Schemas ? Schemas[T] : typeof MsgHeaderSchema;

/** The body of a type, as protobuf generates it: lowerCamelCase fields, bigint for 64 bits. */
export type MsgBody<T extends MsgTypeName> = MessageShape<SchemaOf<T>>;

/** What a body of that type may be made of: any of its fields, as plain objects. */
export type MsgBodyInit<T extends MsgTypeName> = MessageInitShape<SchemaOf<T>>;

const table: ReadonlyMap<string, Schemas[keyof Schemas]> = new Map(Object.entries(schemas));

/** The protobuf message that the body of a type is. @throws `invalid-argument` for the name of no type */
export function bodySchema(type: MsgTypeName): Schemas[keyof Schemas] | typeof MsgHeaderSchema {
  const schema = table.get(type);
  if (schema !== undefined) return schema;
  checkMsgType("type", type);
  return MsgHeaderSchema;
}
