/**
 * A message of the stream: what travels in packs, ordered by its timestamps.
 *
 * A draft has one timestamp. A decoded insert or delete has one a row, so that it may span two: `beginTs` is the least, `endTs` the greatest, and it is
 * `endTs` that decides which pack it is in.
 */
import { create, isMessage } from "@bufbuild/protobuf";
import { checkBytes, checkOptions, invalid, type KnownOptions } from "../base/arguments.js";
import { MsgBaseSchema } from "./gen/milvus/common_pb.js";
import { type MsgBody, type MsgBodyInit, bodySchema } from "./msg-bodies.js";
import { checkPosition, type MsgPosition } from "./msg-position.js";
import { baseType, checkMsgType, isMsgTypeName, type MsgTypeName } from "./msg-type.js";
import { checkInt64, isInt64 } from "./numbers.js";
import { areTexts, checkProperties, type Properties } from "./properties.js";
import { checkFields } from "./proto-check.js";
import type { TimeTick } from "../base/time-tick.js";
import { checkUint64, isUint64 } from "../base/uint64.js";

/** One message of a stream, of one type. Immutable. */
export interface TsMsgOf<T extends MsgTypeName> {
  readonly type: T;
  /** Of this message alone: each one that is emitted has its own. 0: none was given. */
  readonly id: bigint;
  readonly beginTs: TimeTick;
  /** Decides which pack the message is in. */
  readonly endTs: TimeTick;
  /** One a row of an insert or delete, one for the whole of any other; they choose the channels. Not in the payload. */
  readonly hashKeys: readonly number[];
  readonly sourceId: bigint;
  readonly properties: Properties;
  /** The protobuf message of that type; of "user", `payload` has the caller's bytes. */
  readonly body: MsgBody<T>;
  /** Where it was read. Not in the payload. */
  readonly position?: MsgPosition;
  /** Its tick was not after the last watermark: it is in the next pack, flagged and counted. */
  readonly late?: true;
}

/** One message of a stream; `type` narrows `body`. */
export type TsMsg<T extends MsgTypeName = MsgTypeName> = { [K in T]: TsMsgOf<K> }[T];

/** What a message is made of. */
export interface TsMsgDraft<T extends MsgTypeName> {
  readonly type: T;
  readonly timestamp: TimeTick;
  /** Default 0: none. */
  readonly id?: bigint | undefined;
  /** Default none. */
  readonly hashKeys?: readonly number[] | undefined;
  /** Default 0. */
  readonly sourceId?: bigint | undefined;
  /** Fields of the body. What the message says itself (type, id, timestamp, source) is put into its base. */
  readonly body?: MsgBodyInit<T> | undefined;
  /** The bytes of a "user" message. */
  readonly payload?: Uint8Array | undefined;
  /** Keys that begin with "_", and those that `marshal` sets, are reserved. */
  readonly properties?: Properties | undefined;
}

/** Properties that `marshal` sets from the message. */
export const attachedKeys: ReadonlySet<string> = new Set(["msg_type", "vchannel", "collection_id", "timestamp", "msg_id", "replicate_id"]);

const draftKeys: KnownOptions<keyof TsMsgDraft<MsgTypeName>> = {
  type: true,
  timestamp: true,
  id: true,
  hashKeys: true,
  sourceId: true,
  body: true,
  payload: true,
  properties: true,
};

/**
 * Makes a message of the stream: `beginTs` and `endTs` are its timestamp.
 *
 * An insert or delete whose body has no `timestamps` gets the message's for each row.
 *
 * @throws `invalid-argument` naming what is wrong: a field of another type or out of its range, a lone surrogate, a reserved property
 *
 * @example
 * ```ts
 * const rows = { rowIDs: [1n, 2n], numRows: 2n, version: InsertDataVersion.ColumnBased, fieldsData };
 * tsMsg({ type: "insert", timestamp, id: 7n, hashKeys: [hashInt64(1n), hashInt64(2n)], body: rows });
 * tsMsg({ type: "user", timestamp, payload: Buffer.from("anything") });
 * ```
 */
export function tsMsg<T extends MsgTypeName>(draft: TsMsgDraft<T>): TsMsg<T> {
  checkDraft(draft);
  const { type, timestamp, id = 0n, sourceId = 0n, hashKeys = [], properties = {} } = draft;
  const body = draftBody(draft);
  return assemble({
    type,
    id,
    beginTs: timestamp,
    endTs: timestamp,
    hashKeys: [...hashKeys],
    sourceId,
    properties: { ...properties },
    body,
  });
}

/** The seed's SetPosition: the message as it was, with its position. Returns a new one. @throws `invalid-argument` */
export function withPosition<M extends TsMsg>(msg: M, position: MsgPosition): M {
  checkTsMsg("msg", msg);
  checkPosition("position", position);
  return { ...msg, position };
}

/** The one place where a body is said to be that of its type; whoever calls has made it from that type's schema. */
export function assemble<T extends MsgTypeName>(fields: Omit<TsMsgOf<T>, "body"> & { readonly body: MsgBody<MsgTypeName> }): TsMsg<T> {
  return fields as TsMsg<T>;
}

/** @throws `invalid-argument` naming the field unless it is a message of the stream; of its body only the type is looked at */
export function checkTsMsg(argument: string, msg: unknown): asserts msg is TsMsg {
  if (typeof msg !== "object" || msg === null) throw invalid(argument, "a message", msg);
  const wrong = wrongField(msg);
  if (wrong !== undefined) throw invalid(`${argument}.${wrong.field}`, wrong.expected, Reflect.get(msg, wrong.field));
}

/** Names nothing before it is wrong: whoever writes messages asks once for each. */
function wrongField(msg: {
  readonly [K in keyof TsMsg]?: unknown;
}): { readonly field: keyof TsMsg; readonly expected: string } | undefined {
  const { type, id, beginTs, endTs, hashKeys, sourceId, properties, body } = msg;
  if (!isMsgTypeName(type)) return { field: "type", expected: "the name of a message type" };
  if (!isInt64(id)) return { field: "id", expected: "an int64 as bigint" };
  if (!isUint64(beginTs)) return { field: "beginTs", expected: "a tick" };
  if (!isUint64(endTs)) return { field: "endTs", expected: "a tick" };
  if (!Array.isArray(hashKeys)) return { field: "hashKeys", expected: "an array of numbers" };
  if (!isInt64(sourceId)) return { field: "sourceId", expected: "an int64 as bigint" };
  if (!areTexts(properties)) return { field: "properties", expected: "an object of strings" };
  return isMessage(body, bodySchema(type)) ? undefined : { field: "body", expected: `a ${bodySchema(type).typeName}` };
}

function checkDraft(draft: TsMsgDraft<MsgTypeName>): void {
  checkOptions(draft, draftKeys, "draft");
  const { type, timestamp, id = 0n, sourceId = 0n, hashKeys = [], properties = {}, payload } = draft;
  checkMsgType("type", type);
  checkUint64("timestamp", timestamp);
  checkInt64("id", id);
  checkInt64("sourceId", sourceId);
  checkHashKeys(hashKeys);
  checkProperties(properties, attachedKeys);
  if (payload === undefined) return;
  if (type !== "user") throw invalid("payload", `left out: a message of type ${type} has a body`, payload);
  checkBytes("payload", payload);
}

function checkHashKeys(hashKeys: readonly number[]): void {
  if (!Array.isArray(hashKeys)) throw invalid("hashKeys", "an array of numbers", hashKeys);
  const wrong = hashKeys.findIndex((key) => !Number.isInteger(key) || key < 0 || key > 0xffff_ffff);
  if (wrong >= 0) throw invalid(`hashKeys[${wrong}]`, "a whole number from 0 to 2^32 - 1", hashKeys[wrong]);
}

/** The draft's fields as the protobuf of its type; the caller's own object is not touched. */
function draftBody(draft: TsMsgDraft<MsgTypeName>): MsgBody<MsgTypeName> {
  const { type, timestamp, id = 0n, sourceId = 0n, body = {}, payload } = draft;
  const schema = bodySchema(type);
  checkFields(schema, body, "body");
  const made: MsgBody<MsgTypeName> = create(schema, body);
  const base = { ...(made.base ?? create(MsgBaseSchema)), msgType: baseType(type), msgID: id, timestamp, sourceID: sourceId };
  // What was a protobuf message already is the caller's still: the copy is ours.
  const message = { ...made, base, ...(payload === undefined ? {} : { payload }) };
  if (message.$typeName === "milvus.proto.msg.InsertRequest")
    message.timestamps = oneEach(message.timestamps, message.rowIDs.length, timestamp);
  if (message.$typeName === "milvus.proto.msg.DeleteRequest")
    message.timestamps = oneEach(message.timestamps, deletedRows(message), timestamp);
  return message;
}

function oneEach(given: bigint[], rows: number, timestamp: TimeTick): bigint[] {
  return given.length > 0 ? given : Array.from<bigint>({ length: rows }).fill(timestamp);
}

/** An expression counts as one: Milvus wants a timestamp for it. */
function deletedRows(body: MsgBody<"delete">): number {
  if (body.serializedExprPlan.length > 0) return 1;
  return body.primaryKeys?.idField.value?.data.length ?? body.int64PrimaryKeys.length;
}
