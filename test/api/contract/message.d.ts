// tidemark/message — the vocabulary: names, types, messages, both Milvus wire forms.
// Headers and bodies are @bufbuild/protobuf messages of the spec (lowerCamelCase fields, bigint for 64 bits, Uint8Array for bytes); where one is given it may be
// a plain object of its fields (MessageInitShape), and a body also bytes that are encoded already.
import type { MessageId, TimeTick } from "./common.js";

// ── the streaming WAL's messages ──────────────────────────────────────────────────────────────────────────────
/** One entry a type: Milvus's name with a small first letter (spec/streaming-wal.md 1.4, 2.6's list), header and body as generated. "user" is ours (number 10001): the payload is the caller's bytes. */
export interface MessageShapes {
  timeTick: { header: object; body: object };
  insert: { header: object /* InsertMessageHeader */; body: object /* InsertRequest */ };
  delete: { header: object; body: object };
  flush: { header: object; body: object };
  createCollection: { header: object; body: object };
  dropCollection: { header: object; body: object };
  createPartition: { header: object; body: object };
  dropPartition: { header: object; body: object };
  manualFlush: { header: object; body: object };
  createSegment: { header: object; body: object };
  import: { header: object; body: object };
  beginTxn: { header: object; body: object };
  commitTxn: { header: object; body: object };
  rollbackTxn: { header: object; body: object };
  user: { header: undefined; body: Uint8Array };
  /** A number this version does not know: kept and encoded unchanged. */
  unknown: { header: Uint8Array; body: Uint8Array };
  /* … the rest */
}
export type MessageType = keyof MessageShapes;
export const messageTypeNumber: Readonly<Record<Exclude<MessageType, "unknown">, number>>;

/** What a caller makes; never changed by an append. */
export type DraftMessage = {
  [T in MessageType]: {
    readonly type: T;
    readonly vchannel: string;
    readonly header: object | undefined;
    readonly body: object | Uint8Array;
    readonly properties: Readonly<Record<string, string>>;
  };
}[MessageType];
type Draft<T extends MessageType> = (m: {
  vchannel: string;
  header?: Partial<MessageShapes[T]["header"]> | undefined;
  body?: Partial<MessageShapes[T]["body"]> | Uint8Array | undefined;
  properties?: Readonly<Record<string, string>> | undefined;
}) => Extract<DraftMessage, { type: T }>;
/** One builder a type that clients may append. Property keys that begin with "_" are reserved: `invalid-argument`. */
export const message: {
  readonly user: (m: {
    vchannel: string;
    payload: Uint8Array;
    properties?: Readonly<Record<string, string>> | undefined;
  }) => Extract<DraftMessage, { type: "user" }>;
  readonly insert: Draft<"insert">;
  readonly delete: Draft<"delete">;
  readonly createCollection: Draft<"createCollection">;
  readonly dropCollection: Draft<"dropCollection">;
  readonly createPartition: Draft<"createPartition">;
  readonly dropPartition: Draft<"dropPartition">;
  readonly manualFlush: Draft<"manualFlush">; /* … */
};

/** As read back. `payload` is the encoded body; `header` and `body` decode when first asked for. */
export interface PlainMessage<T extends MessageType = MessageType> {
  readonly kind: "message";
  readonly type: T;
  readonly version: number;
  readonly vchannel: string;
  readonly header: MessageShapes[T]["header"];
  readonly body: MessageShapes[T]["body"];
  readonly payload: Uint8Array;
  readonly properties: Readonly<Record<string, string>>;
  readonly id: MessageId;
  readonly timeTick: TimeTick;
  readonly lastConfirmedMessageId: MessageId;
  readonly barrierTimeTick?: TimeTick;
  readonly term?: bigint;
  readonly txn?: { readonly txnId: bigint; readonly keepaliveMs: number };
}
export type AnyPlainMessage = { [T in MessageType]: PlainMessage<T> }[MessageType];
/** A whole transaction at its commit: id, tick and lastConfirmed are the commit's; so are the bodies' ticks. Bodies in the order they were appended. */
export interface TxnMessage {
  readonly kind: "txn";
  readonly type: "txn";
  readonly vchannel: string;
  readonly txnId: bigint;
  readonly begin: PlainMessage<"beginTxn">;
  readonly messages: readonly AnyPlainMessage[];
  readonly commit: PlainMessage<"commitTxn">;
  readonly id: MessageId;
  readonly timeTick: TimeTick;
  readonly lastConfirmedMessageId: MessageId;
}
/** Narrows by `kind` and `type`. */
export type StoredMessage = AnyPlainMessage | TxnMessage;

/** Bytes and string properties: what every back-end stores. */
export interface WireMessage {
  readonly properties: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}
/** Streaming form (properties `_v _t _tt …`). Unknown properties and unknown protobuf fields survive. Hostile bytes: `corrupt` with the field. */
export function decodeMessage(wire: WireMessage, id: MessageId): AnyPlainMessage;
/** decode → encode gives the same properties and payload. */
export function encodeMessage(m: AnyPlainMessage): WireMessage;

// ── the message stream's messages (legacy form) ───────────────────────────────────────────────────────────────
/** The seed's table, numbers as in the seed, keys without `MsgType_k`: MsgType.Insert === 400. */
export const MsgType: Readonly<Record<string, number>>; /* a const object */
/** The proto enum's name with a small first letter, for every type in spec/message-stream.md 4.3 ("insert", "timeTick", "listCredUsernames", …), and "user" (number 10001). */
export type MsgTypeName = string; /* a union */
/** Milvus's modern numbers. */
export const msgTypeNumber: Readonly<Record<string, number>>;

/** One message of a stream. Drafts have one timestamp (beginTs = endTs); decoded inserts and deletes may span two. endTs decides the pack. */
export interface TsMsg<T extends MsgTypeName = MsgTypeName> {
  readonly type: T;
  readonly id: bigint;
  readonly beginTs: TimeTick;
  readonly endTs: TimeTick;
  readonly hashKeys: readonly number[];
  readonly sourceId: bigint;
  readonly properties: Readonly<Record<string, string>>;
  /** The protobuf message of that type; for "user": { payload }. */
  readonly body: object;
  readonly position?: MsgPosition;
  /** Its tick was not after the last watermark: it is in the next pack, flagged and counted. */
  readonly late?: true;
}
export function tsMsg<T extends MsgTypeName>(m: {
  type: T;
  timestamp: TimeTick;
  id?: bigint | undefined;
  hashKeys?: readonly number[] | undefined;
  sourceId?: bigint | undefined;
  body?: object | undefined;
  payload?: Uint8Array | undefined;
  properties?: Readonly<Record<string, string>> | undefined;
}): TsMsg<T>;
export function withPosition<M extends TsMsg>(msg: M, position: MsgPosition): M; // the seed's SetPosition; returns a new one
/** The seed's Marshal: the payload that Milvus writes, with its properties (`msg_type`, `vchannel`, …). */
export function marshal(msg: TsMsg): WireMessage;

export interface MsgPosition {
  readonly channelName: string;
  readonly msgId: MessageId | undefined;
  readonly msgGroup: string;
  readonly timestamp: TimeTick;
  /** Watermark mode: the last record that had been read when the pack was cut, while msgId is the first one (message or tick) among those read that the pack does not cover, else the same.
   *  A resume reads from msgId: up to readMsgId it delivers only endTs > timestamp, behind it everything, flagging what is late. Protobuf field 10001, which Milvus ignores. */
  readonly readMsgId?: MessageId;
}
export function positionToBytes(p: MsgPosition): Uint8Array; // Milvus's protobuf
export function positionFromBytes(bytes: Uint8Array, backend?: MessageId["backend"]): MsgPosition;

export type UnmarshalFunc = (input: Uint8Array | TsMsg) => TsMsg;
/** Unknown type: `invalid-argument`. The last template of a type wins. */
export interface UnmarshalDispatcher {
  unmarshal(input: Uint8Array | TsMsg, type: MsgTypeName): TsMsg;
  addMsgTemplate(type: MsgTypeName, f: UnmarshalFunc): void;
}
export interface UnmarshalDispatcherFactory {
  newUnmarshalDispatcher(): UnmarshalDispatcher;
}
export const protoUnmarshal: UnmarshalDispatcherFactory; // bytes in (the seed's ProtoUDFactory)
export const memUnmarshal: UnmarshalDispatcherFactory; // messages in, checked and handed on (the seed's MemUDFactory)

// ── hash keys ─────────────────────────────────────────────────────────────────────────────────────────────────
export function hashInt64(key: bigint): number;
export function hashString(key: string): number;
export function hashToBuckets(keys: readonly (bigint | string)[], buckets: number): number[];
