/**
 * A record of Milvus, of whichever wire form, as one object for people: what it is, when, of which collection, and what is in it.
 */
import { isMessage } from "@bufbuild/protobuf";
import { columnsOf } from "./columns.js";
import { decodeMessage } from "./decode-message.js";
import { DeleteRequestSchema, InsertRequestSchema } from "./gen/milvus/msg_pb.js";
import { UserMsgSchema } from "./gen/tidemark/tidemark_pb.js";
import { vchannelOf } from "./marshal.js";
import { checkMessageId, type MessageId } from "./message-id.js";
import { openStreamEnvelope } from "./rocksmq-row.js";
import { isStreamingRecord, unmarshalRecord } from "./stream-message.js";
import { physicalMs, type TimeTick } from "../base/time-tick.js";
import { protoUnmarshal, type UnmarshalDispatcher } from "./unmarshal.js";
import { checkWire, type WireMessage } from "./wire-message.js";

/** What is told of a record; for JSON with `jsonReplacer`. What it does not say is absent. */
export interface MilvusView {
  readonly type: string;
  /** The message's logical time; of rows that span two, the later. */
  readonly timestamp: TimeTick;
  /** Its milliseconds, as ISO 8601. */
  readonly at: string;
  readonly vchannel?: string;
  readonly collection?: string;
  readonly collectionId?: bigint;
  readonly partition?: string;
  /** Of an insert or delete. */
  readonly rows?: bigint | number;
  /** Of an insert: one value a row. */
  readonly columns?: Readonly<Record<string, readonly unknown[]>>;
  /** Of a delete. */
  readonly primaryKeys?: readonly (bigint | string)[];
  /** Of anybody's bytes. */
  readonly payload?: Uint8Array;
}

/** Reads records of both wire forms. */
export class MilvusViewer {
  readonly #dispatcher: UnmarshalDispatcher = protoUnmarshal.newUnmarshalDispatcher();

  /**
   * What a record says, be it of the message stream or of the streaming log, also where Milvus's RocksMQ has it in an envelope.
   *
   * @param id where it was read
   * @throws `invalid-argument` for what is no record or no id; `corrupt` for what is neither
   */
  view(wire: WireMessage, id: MessageId): MilvusView {
    checkMessageId("id", id);
    checkWire(wire);
    return this.#viewRecord(openStreamEnvelope(wire.payload) ?? wire, id);
  }

  #viewRecord(wire: WireMessage, id: MessageId): MilvusView {
    if (isStreamingRecord(wire)) {
      const { type, timeTick, vchannel, body } = decodeMessage(wire, id);
      return viewOf(type, timeTick, body, vchannel);
    }
    const { type, endTs, body } = unmarshalRecord(wire, this.#dispatcher);
    return viewOf(type, endTs, body, vchannelOf(body));
  }
}

function viewOf(type: string, timestamp: TimeTick, body: object, vchannel: string): MilvusView {
  return {
    type,
    timestamp,
    at: new Date(physicalMs(timestamp)).toISOString(),
    ...named("vchannel", vchannel),
    ...named("collection", Reflect.get(body, "collectionName")),
    ...collectionOf(body),
    ...named("partition", Reflect.get(body, "partitionName")),
    ...contentOf(body),
  };
}

function named<K extends string>(key: K, text: unknown): { readonly [key in K]?: string } {
  return typeof text === "string" && text !== "" ? ({ [key]: text } as { readonly [key in K]: string }) : {};
}

function collectionOf(body: object): Pick<MilvusView, "collectionId"> {
  const collectionId: unknown = Reflect.get(body, "collectionID");
  return typeof collectionId === "bigint" && collectionId !== 0n ? { collectionId } : {};
}

function contentOf(body: object): Pick<MilvusView, "rows" | "columns" | "primaryKeys" | "payload"> {
  if (body instanceof Uint8Array) return { payload: body };
  if (isMessage(body, UserMsgSchema)) return { payload: body.payload };
  if (isMessage(body, InsertRequestSchema)) return { rows: body.rowData.length || body.numRows, columns: columnsOf(body) };
  if (isMessage(body, DeleteRequestSchema)) return { rows: body.numRows, primaryKeys: body.primaryKeys?.idField.value?.data ?? [] };
  return {};
}
