/**
 * The stream's wire form: the body as protobuf, and beside it the properties by which Milvus tells messages apart without reading one.
 *
 *     msg_type        Milvus's name of the type: "Insert"
 *     vchannel        the shard of an insert or delete, else ""
 *     collection_id   of rows, collections and partitions, else "0"
 *     timestamp       that of the base
 *     msg_id          the message's id
 *     replicate_id    of a message that was replicated; else absent
 */
import { bodySchema, type MsgBody } from "./msg-bodies.js";
import { type MsgTypeName, wireName } from "./msg-type.js";
import { encodeProto } from "./proto-codec.js";
import { checkTsMsg, type TsMsg } from "./ts-msg.js";
import type { WireMessage } from "./wire-message.js";

/**
 * The seed's Marshal: the payload that Milvus writes, with its properties.
 *
 * @throws `invalid-argument` for what is no message, or a body that was changed into one that protobuf can't hold
 */
export function marshal(msg: TsMsg): WireMessage {
  checkTsMsg("msg", msg);
  const { type, body } = msg;
  const replicateId = body.base?.replicateInfo?.replicateID ?? "";
  const properties = {
    ...msg.properties,
    msg_type: wireName(type),
    vchannel: vchannelOf(body),
    collection_id: collectionIdOf(body).toString(),
    timestamp: (body.base?.timestamp ?? 0n).toString(),
    msg_id: msg.id.toString(),
    ...(replicateId === "" ? {} : { replicate_id: replicateId }),
  };
  return { properties, payload: encodeProto(bodySchema(type), body, "body") };
}

/** The virtual channel that a body names: that of its shard. "" for what is not about rows. */
export function vchannelOf(body: MsgBody<MsgTypeName>): string {
  return "shardName" in body ? body.shardName : "";
}

/** The collection that a body is about, as Milvus's property has it; 0 for what is about none. */
export function collectionIdOf(body: MsgBody<MsgTypeName>): bigint {
  switch (body.$typeName) {
    case "milvus.proto.msg.InsertRequest":
    case "milvus.proto.msg.DeleteRequest":
    case "milvus.proto.msg.CreateCollectionRequest":
    case "milvus.proto.msg.DropCollectionRequest":
    case "milvus.proto.msg.CreatePartitionRequest":
    case "milvus.proto.msg.DropPartitionRequest":
      return body.collectionID;
    default:
      return 0n;
  }
}
