/**
 * `tidemark/message`: the vocabulary of streams and logs — ticks, ids, types, messages, and both of Milvus's wire forms.
 */
export * from "../base/every-door.js";
export { type BackendName, type MessageId } from "./message-id.js";
export { messageIdFromBytes, messageIdFromString } from "./message-id-forms.js";
export { type Int64Backend, int64MessageId, int64Of } from "./int64-message-id.js";
export type { WireMessage } from "./wire-message.js";
export type { Properties } from "./properties.js";
export { MsgType, type MsgTypeName, msgTypeName, msgTypeNumber } from "./msg-type.js";
export { bodySchema, type MsgBody, type MsgBodyInit } from "./msg-bodies.js";
export { type TsMsg, type TsMsgDraft, type TsMsgOf, tsMsg, withPosition } from "./ts-msg.js";
export { deleteFault, insertFault, insertRows } from "./insert-rows.js";
export type { MsgPack } from "./msg-pack.js";
export { type MsgPosition, positionFromBytes, positionToBytes } from "./msg-position.js";
export { marshal } from "./marshal.js";
export {
  memUnmarshal,
  protoUnmarshal,
  type UnmarshalDispatcher,
  type UnmarshalDispatcherFactory,
  type UnmarshalFunc,
} from "./unmarshal.js";
export { isStreamingRecord, unmarshalRecord } from "./stream-message.js";
export { hashInt64, hashString, hashToBuckets } from "./hash-keys.js";
export {
  type ChannelParts,
  channelParts,
  controlChannelOf,
  isControlChannel,
  type PChannelName,
  pchannelName,
  type VChannelName,
  vchannelName,
  vchannelOfShard,
} from "./channel-name.js";
export {
  type ClientType,
  clientTypes,
  isSystemType,
  type MessageShapes,
  type MessageType,
  messageTypeNumber,
  messageTypeOf,
  type ProtoType,
  type SystemType,
} from "./message-type.js";
export {
  type DraftFields,
  type DraftMessage,
  draftMessage,
  type DraftOf,
  message,
  type MessageBuilders,
  type UserFields,
} from "./draft-message.js";
export type { AnyPlainMessage, PlainMessage, StoredMessage, TxnContext, TxnMessage } from "./stored-message.js";
export { decodeMessage } from "./decode-message.js";
export { encodeDraft, encodeMessage, type MessageStamp, stampMessage, wireSize } from "./encode-message.js";
export { assembleTxn } from "./txn-message.js";
export {
  checkFilter,
  type DeliverFilter,
  deliverFilter,
  type DeliverPolicy,
  deliverPolicy,
  filterMessage,
  passesFilters,
} from "./deliver.js";
export { deliverFilterFromBytes, deliverFilterToBytes, deliverPolicyFromBytes, deliverPolicyToBytes } from "./deliver-bytes.js";
export { type PChannelInfo, pchannelInfoFromBytes, pchannelInfoToBytes } from "./pchannel-info.js";
export { legacyRow, openStreamEnvelope, streamEnvelope } from "./rocksmq-row.js";
export { type Columns, columnsOf } from "./columns.js";
export { type MilvusView, MilvusViewer } from "./milvus-view.js";
export { InsertDataVersion } from "./gen/milvus/msg_pb.js";
export { DataType } from "./gen/milvus/schema_pb.js";
