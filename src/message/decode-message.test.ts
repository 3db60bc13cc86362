import { type DescMessage, equals, fromJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { hex, protoJson, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { toBase64 } from "./base64.js";
import { decodeMessage } from "./decode-message.js";
import { draftMessage } from "./draft-message.js";
import { encodeDraft, encodeMessage, stampMessage, wireSize } from "./encode-message.js";
import { int64MessageId } from "./int64-message-id.js";
import { type BackendName, backendNames, type MessageId } from "./message-id.js";
import { messageIdFromString } from "./message-id-forms.js";
import { headerSchema, isProtoType, type MessageType, payloadSchema, type ProtoType } from "./message-type.js";
import { encodeProto } from "./proto-codec.js";
import { propertiesFrom } from "./properties.js";
import { type AnyPlainMessage } from "./stored-message.js";
import { type WireMessage } from "./wire-message.js";

interface IdMeaning {
  readonly marshalled: string;
  readonly wal: string;
}
interface WalCase extends VectorCase<{
  readonly messageType: { readonly name: string; readonly number: number };
  readonly version: number;
  readonly vchannel: string | null;
  readonly timeTick: string | null;
  readonly barrierTimeTick: string;
  readonly lastConfirmed: IdMeaning | "self" | null;
  readonly walTerm: string | null;
  readonly txnContext: { readonly txnId: string; readonly keepaliveMilliseconds: string } | null;
  readonly header: JsonValue;
  readonly headerEncoding: string;
  readonly body: JsonValue;
  readonly payloadEncoding: string;
  readonly estimateSize: number;
  readonly userProperties?: Readonly<Record<string, string>>;
}> {
  readonly kind: string;
  readonly payload: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly immutable?: { readonly messageId: IdMeaning };
  readonly split?: readonly {
    readonly payload: string;
    readonly properties: Readonly<Record<string, string>>;
    readonly vchannel: string;
  }[];
}

const nameOf = (vector: WalCase): MessageType => {
  const name = vector.meaning.messageType.name;
  return (name.slice(0, 1).toLowerCase() + name.slice(1)) as MessageType;
};
const idOf = ({ marshalled, wal }: IdMeaning): MessageId =>
  messageIdFromString(backendNames.find((backend): backend is BackendName => backend === wal) ?? "memory", marshalled);
const placeOf = ({ immutable, meaning }: WalCase): MessageId => {
  if (immutable !== undefined) return idOf(immutable.messageId);
  return meaning.lastConfirmed === null || meaning.lastConfirmed === "self" ? int64MessageId("rocksmq", 1n) : idOf(meaning.lastConfirmed);
};
const wireOf = ({ payload, properties }: { readonly payload: string; readonly properties: WireMessage["properties"] }): WireMessage => ({
  payload: unhex(payload),
  properties,
});

/** Header and body of a message, each with its schema. */
function partsOf(m: AnyPlainMessage): { readonly key: "header" | "body"; readonly schema: DescMessage; readonly message: Message }[] {
  if (!isProtoType(m.type)) throw new Error(`${m.type} is not protobuf`);
  return [
    { key: "header", schema: headerSchema(m.type), message: m.header as Message },
    { key: "body", schema: payloadSchema(m.type), message: m.body as Message },
  ];
}

const files = ["streaming-messages", "streaming-messages-2.5"];
const cases = (file: string): readonly WalCase[] => vectorCases<WalCase>(file);
const stored = (file: string): readonly WalCase[] => cases(file).filter(({ meaning }) => meaning.timeTick !== null);

describe.each(files)("Milvus's log messages (%s)", (file) => {
  it.each(stored(file))("mean what Milvus says: $name", (vector) => {
    const { meaning } = vector;

    const m = decodeMessage(wireOf(vector), placeOf(vector));

    expect(m).toMatchObject({ type: nameOf(vector), typeNumber: meaning.messageType.number, version: meaning.version });
    expect(m.vchannel).toBe(meaning.vchannel ?? "");
    expect(m.timeTick).toBe(BigInt(meaning.timeTick ?? 0));
    expect(m.barrierTimeTick ?? 0n).toBe(BigInt(meaning.barrierTimeTick));
    expect(m.term?.toString() ?? null).toBe(meaning.walTerm);
    expect(m.txn ?? null).toEqual(
      meaning.txnContext && { txnId: BigInt(meaning.txnContext.txnId), keepaliveMs: Number(meaning.txnContext.keepaliveMilliseconds) },
    );
    const lastConfirmed = meaning.lastConfirmed === "self" || meaning.lastConfirmed === null ? m.id : idOf(meaning.lastConfirmed);
    expect(m.lastConfirmedMessageId.equals(lastConfirmed)).toBe(true);
    if (meaning.userProperties !== undefined) expect(m.properties).toEqual(meaning.userProperties);
    if (meaning.payloadEncoding !== "opaque") expect(wireSize(wireOf(vector))).toBe(meaning.estimateSize);
  });

  it.each(stored(file).filter(({ meaning }) => meaning.payloadEncoding !== "opaque"))(
    "have Milvus's header and body, and its bytes again: $name",
    (vector) => {
      const { meaning, properties, payload } = vector;
      const m = decodeMessage(wireOf(vector), placeOf(vector));

      for (const { key, schema, message } of partsOf(m))
        expect(equals(schema, message, fromJson(schema, protoJson(meaning[key])))).toBe(true);
      const [header = unhex(""), body = unhex("")] = partsOf(m).map(({ schema, message, key }) => encodeProto(schema, message, key));
      if (meaning.headerEncoding === "exact") expect(toBase64(header)).toBe(properties["_h"]);
      if (meaning.payloadEncoding === "exact") expect(hex(body)).toBe(payload);
      else expect(decodeMessage({ properties, payload: body }, m.id).body).toEqual(m.body);
      expect(encodeMessage(m)).toEqual(wireOf(vector));
    },
  );

  it.each(stored(file).filter(({ meaning }) => (meaning.vchannel ?? "") !== "" && meaning.payloadEncoding !== "opaque"))(
    "come of a draft and a stamp, property for property: $name",
    (vector) => {
      const m = decodeMessage(wireOf(vector), placeOf(vector));
      const [reserved, own] = [true, false].map((isReserved) =>
        propertiesFrom(Object.entries(m.properties).filter(([key]) => key.startsWith("_") === isReserved)),
      );
      const draft = draftMessage(nameOf(vector) as ProtoType, {
        vchannel: m.vchannel,
        header: m.header as never,
        body: m.payload,
        properties: own,
      });

      const wire = stampMessage(draft, {
        ...m,
        lastConfirmedMessageId: "_lcs" in vector.properties ? undefined : m.lastConfirmedMessageId,
        reserved,
      });

      expect(wire).toEqual(wireOf(vector));
    },
  );

  it.each(cases(file).filter(({ meaning }) => meaning.timeTick === null))(
    "are written as drafts as Milvus writes them: $name",
    (vector) => {
      const { meaning, properties } = vector;
      const type = nameOf(vector) as ProtoType;
      const header = fromJson(headerSchema(type), protoJson(meaning["header"]));
      const body = fromJson(payloadSchema(type), protoJson(meaning["body"]));

      const draft = draftMessage(type, { vchannel: meaning.vchannel ?? "v", header, body });
      const { _vc: vchannel, ...own } = encodeDraft(draft).properties;

      expect(vchannel).toBe(meaning.vchannel ?? "v");
      // What a log or a broadcast adds is not the draft's.
      expect(properties).toMatchObject(meaning.headerEncoding === "exact" ? own : { _v: own["_v"], _t: own["_t"] });
      if (meaning.payloadEncoding === "exact") expect(hex(encodeDraft(draft).payload)).toBe(vector.payload);
    },
  );

  it.each(cases(file).filter(({ split }) => split !== undefined))("are split for their vchannels: $name", ({ split = [], meaning }) => {
    for (const part of split) {
      const m = decodeMessage(wireOf(part), int64MessageId("rocksmq", 1n));

      expect(m).toMatchObject({ vchannel: part.vchannel, typeNumber: meaning.messageType.number });
      expect(Object.keys(m.properties)).toEqual(["_bh"]);
    }
  });
});
