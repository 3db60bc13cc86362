/**
 * What Milvus's vectors say of numbers, names and small functions: the tables that all else is built on.
 */
import { create, createRegistry, fromJson, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { DescField } from "@bufbuild/protobuf";
import { file_google_protobuf_empty, file_google_protobuf_field_mask } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { fromBase64, toBase64 } from "../../src/message/base64.js";
import { file_milvus_common } from "../../src/message/gen/milvus/common_pb.js";
import { file_milvus_data } from "../../src/message/gen/milvus/data_pb.js";
import { file_milvus_index } from "../../src/message/gen/milvus/index_pb.js";
import { file_milvus_internal } from "../../src/message/gen/milvus/internal_pb.js";
import { file_milvus_messages } from "../../src/message/gen/milvus/messages_pb.js";
import { file_milvus_milvus } from "../../src/message/gen/milvus/milvus_pb.js";
import { file_milvus_msg } from "../../src/message/gen/milvus/msg_pb.js";
import { file_milvus_rg } from "../../src/message/gen/milvus/rg_pb.js";
import { file_milvus_schema } from "../../src/message/gen/milvus/schema_pb.js";
import { file_milvus_streaming } from "../../src/message/gen/milvus/streaming_pb.js";
import {
  channelParts,
  hashInt64,
  hashToBuckets,
  isStreamingRecord,
  isSystemType,
  messageIdFromString,
  type MessageType,
  messageTypeNumber,
  messageTypeOf,
  msgTypeName,
  msgTypeNumber,
  physicalMs,
  protoUnmarshal,
  timeTickFrom,
  unmarshalRecord,
} from "../../src/message/index.js";
import { headerSchema, isProtoType, payloadSchema, versionOf } from "../../src/message/message-type.js";
import { int64FromBase36, uint64FromBase36 } from "../../src/message/numbers.js";
import { decodeProto, encodeProto } from "../../src/message/proto-codec.js";
import { backendOf, idFromProto, idToProto } from "../../src/message/wal-name.js";
import { MessageIDSchema, WALName } from "../../src/message/gen/milvus/common_pb.js";
import { hex, protoJson, unhex, vectorCases, type VectorCase } from "./vectors.js";

const registry = createRegistry(
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_milvus_common,
  file_milvus_data,
  file_milvus_index,
  file_milvus_internal,
  file_milvus_messages,
  file_milvus_milvus,
  file_milvus_msg,
  file_milvus_rg,
  file_milvus_schema,
  file_milvus_streaming,
);

function startingWith<Case extends VectorCase<unknown>>(file: string, prefix: string): readonly Case[] {
  return vectorCases<Case>(file).filter(({ name }) => name.startsWith(prefix));
}

describe("Milvus's protobuf messages", () => {
  interface Field {
    readonly name: string;
    readonly number: number;
    readonly type: string;
    readonly repeated?: boolean;
    readonly oneof?: string;
  }
  interface FieldsCase extends VectorCase<readonly Field[] | Readonly<Record<string, number>>> {
    readonly kind: string;
  }
  const typeOf = (field: DescField): string => {
    if (field.fieldKind === "map") return "map";
    if (field.message !== undefined) return field.message.typeName;
    if (field.enum !== undefined) return field.enum.typeName;
    return field.scalar === undefined ? "" : (ScalarType[field.scalar] ?? "").toLowerCase();
  };

  /** What Milvus's services send each other, which nobody here is yet, and states of a transaction in its memory. */
  const notOurs: readonly string[] = [
    "milvus.proto.common.ImmutableMessage",
    "milvus.proto.messages.ImmutableMessage",
    "milvus.proto.messages.MessageID",
    "milvus.proto.messages.TxnState",
  ];

  it.each(["proto-fields", "proto-fields-2.5"])("have the fields and numbers that ours have (%s)", (file) => {
    const cases = vectorCases<FieldsCase>(file).filter(({ kind, name }) => kind === "message" && !notOurs.includes(name));
    const missing: string[] = [];
    for (const { name, meaning } of cases) {
      const ours = new Map(registry.getMessage(name)?.fields.map((field) => [field.number, field]));
      if (registry.getMessage(name) === undefined) missing.push(name);
      for (const { number, name: theirs, type, oneof, repeated = false } of meaning as readonly Field[]) {
        const field = ours.get(number);
        const told =
          field === undefined ? "none" : `${field.name.toLowerCase()} ${typeOf(field)} ${field.oneof?.name} ${field.fieldKind === "list"}`;
        const wish = `${theirs.toLowerCase()} ${type.startsWith("map<") ? "map" : type} ${oneof} ${repeated && !type.startsWith("map<")}`;
        if (told !== wish) missing.push(`${name}.${number}: ${told}, not ${wish}`);
      }
    }

    expect(missing).toEqual([]);
  });

  it.each(["proto-fields", "proto-fields-2.5"])("have the enums that ours have (%s)", (file) => {
    for (const { name, meaning } of vectorCases<FieldsCase>(file).filter(
      (vector) => vector.kind === "enum" && !notOurs.includes(vector.name),
    )) {
      const ours = Object.fromEntries((registry.getEnum(name)?.values ?? []).map((value) => [value.name, value.number]));

      expect({ name, ...ours }).toMatchObject({ name, ...(meaning as Readonly<Record<string, number>>) });
    }
  });
});

describe("types of the log", () => {
  interface TypeMeaning {
    readonly number: number;
    readonly bodyType: string | null;
    readonly headerType: string | null;
    readonly version: number | null;
    readonly system: boolean;
  }

  it("are Milvus's, with its headers, bodies, versions and system types", () => {
    const cases = vectorCases<VectorCase<TypeMeaning>>("message-types");
    expect(cases.length).toBeGreaterThan(40);
    for (const { name, meaning } of cases) {
      const type = messageTypeOf(meaning.number);
      if (meaning.headerType === null || meaning.bodyType === null) {
        // "Txn" is no record, and none of ours.
        expect([name, type]).toEqual([name, "unknown"]);
        continue;
      }
      expect(type).toBe((name.slice(0, 1).toLowerCase() + name.slice(1)) as MessageType);
      if (!isProtoType(type)) throw new Error(name);
      expect([messageTypeNumber[type], versionOf(type)]).toEqual([meaning.number, meaning.version]);
      expect([headerSchema(type).typeName, payloadSchema(type).typeName]).toEqual([meaning.headerType, meaning.bodyType]);
      expect([name, isSystemType(type)]).toEqual([name, meaning.system]);
    }
  });
});

describe("texts of property values", () => {
  interface TextCase extends VectorCase<{
    readonly value: string & JsonValue;
    readonly type: string;
    readonly int64?: string;
    readonly uint64?: string;
  }> {
    readonly text: string;
  }
  const texts = (prefix: string): readonly TextCase[] => startingWith<TextCase>("encodings", prefix);

  it("are Milvus's base 36", () => {
    for (const { text, meaning } of texts("int64/"))
      expect([int64FromBase36(text), BigInt(meaning.value).toString(36)]).toEqual([BigInt(meaning.value), text]);
    for (const { text, meaning } of texts("uint64/"))
      expect([uint64FromBase36(text), BigInt(meaning.value).toString(36)]).toEqual([BigInt(meaning.value), text]);
  });

  it.each(texts("decode/"))("are read as Milvus reads them: $name", ({ text, meaning }) => {
    expect([int64FromBase36(text)?.toString(), uint64FromBase36(text)?.toString()]).toEqual([meaning.int64, meaning.uint64]);
  });

  it.each(texts("proto/"))("are its base64 of protobuf, both ways: $name", ({ text, meaning }) => {
    const schema = registry.getMessage(meaning.type);
    const bytes = fromBase64(text);
    if (schema === undefined || bytes === undefined) throw new Error(meaning.type);

    const message = decodeProto(schema, bytes, "text");

    expect(message).toEqual(fromJson(schema, protoJson(meaning.value)));
    expect(toBase64(encodeProto(schema, message, "text"))).toBe(text);
  });
});

describe("back-ends by Milvus's numbers", () => {
  interface IdCase extends VectorCase<{ readonly number: number; readonly text: string; readonly walNumber: number }> {
    readonly marshalled: string;
    readonly proto: string;
  }

  it.each(startingWith<IdCase>("message-ids", "wal-name/"))("are those of its names: $name", ({ meaning }) => {
    const ours = meaning.text === "walimplstest" ? "memory" : meaning.text === "unknown" ? undefined : meaning.text;

    expect(backendOf(meaning.number as WALName)).toBe(ours);
  });

  it("go along with an id, both ways", () => {
    const ids = startingWith<IdCase>("message-ids", "id/");
    expect(ids.length).toBe(45);
    for (const { name, marshalled, proto } of ids) {
      const id = idFromProto("id", decodeProto(MessageIDSchema, unhex(proto), "id"));

      expect([name, id.toString()]).toEqual([name, marshalled]);
      expect([name, hex(encodeProto(MessageIDSchema, idToProto(id), "id"))]).toEqual([name, proto]);
    }
  });

  it.each(startingWith<IdCase>("message-ids", "WAL number 0"))("of 0 is none: a default of a process that is not ours ($name)", () => {
    expect(backendOf(WALName.Unknown)).toBeUndefined();
  });

  it.each(startingWith<IdCase>("message-ids", "decode for an unregistered"))(
    "of a number that nobody has is corrupt, where Milvus panics: $name",
    () => {
      const read = (walName: WALName) => () => idFromProto("id", create(MessageIDSchema, { id: "1", walName }));

      expect(read(99 as WALName)).toThrow(expect.objectContaining({ code: "corrupt" }));
      expect(read(WALName.Unknown)).toThrow(expect.objectContaining({ code: "corrupt" }));
    },
  );

  it.each(startingWith<IdCase>("message-ids", "cross-wal"))("tell ids apart that never compare, where Milvus panics: $name", () => {
    expect(() => messageIdFromString("kafka", "1").compare(messageIdFromString("rocksmq", "1"))).toThrow(
      expect.objectContaining({ code: "backend-mismatch" }),
    );
  });
});

describe("small functions of Milvus", () => {
  interface HashCase extends VectorCase<{
    readonly value: string;
    readonly hash: number;
    readonly keys: readonly string[];
    readonly partitions: number;
    readonly partitionIndexes: readonly number[];
  }> {
    readonly bytes: string;
  }

  it.each(startingWith<HashCase>("hash-keys", "uint64/"))("hash 64 bits without their sign: $name", ({ meaning }) => {
    expect(hashInt64(BigInt.asIntN(64, BigInt(meaning.value)))).toBe(meaning.hash);
  });

  it.each(startingWith<HashCase>("hash-keys", "bytes/").filter(({ bytes }) => bytes.length === 16))(
    "hash 8 bytes as the number in them: $name",
    ({ bytes, meaning }) => {
      expect(hashInt64(Buffer.from(bytes, "hex").readBigInt64LE())).toBe(meaning.hash);
    },
  );

  it.each(startingWith<HashCase>("hash-keys", "key2partitions/"))("choose partitions by the same keys: $name", ({ name, meaning }) => {
    const keys = meaning.keys.map((key) => (name.includes("/int/") ? BigInt(key) : key));

    expect(hashToBuckets(keys, meaning.partitions)).toEqual(meaning.partitionIndexes);
  });

  it.each(startingWith<VectorCase<{ readonly ts1: string; readonly ts2: string; readonly milliseconds: string }>>("tso", "difference/"))(
    "take ticks from each other: $name",
    ({ meaning }) => {
      const [one, other] = [meaning.ts1, meaning.ts2].map((ts) => physicalMs(timeTickFrom(BigInt(ts)))) as [number, number];

      expect(one - other).toBe(Number(meaning.milliseconds));
    },
  );

  it.each(
    startingWith<VectorCase<{ readonly pchannel: string; readonly collectionId: string; readonly index: number; readonly result: string }>>(
      "channel-names",
      "virtual/",
    ),
  )("name virtual channels, those that can be read again: $name", ({ meaning }) => {
    const { pchannel, collectionId, index, result } = meaning;
    const parts = channelParts(result);

    if (pchannel === "" || index < 0) expect(parts).toBeUndefined();
    else expect(parts).toEqual({ pchannel, collectionId: BigInt(collectionId), shard: BigInt(index) });
  });
});

describe("how a consumer takes odd records", () => {
  interface ConsumeCase extends VectorCase<{
    readonly type?: { readonly number: number };
    readonly typeError?: true;
    readonly droppedAsStreaming: boolean;
    readonly decoded: { readonly error?: true; readonly timestamp?: string; readonly msgId?: string };
  }> {
    readonly bytes: string;
    readonly properties: Readonly<Record<string, string>> | null;
    readonly kind: string;
  }
  const dispatcher = protoUnmarshal.newUnmarshalDispatcher();

  it.each(vectorCases<ConsumeCase>("legacy-msgs").filter(({ kind }) => kind === "consume"))(
    "as Milvus does: $name",
    ({ bytes, properties, meaning }) => {
      const record = { properties: properties ?? {}, payload: unhex(bytes) };
      const read = () => unmarshalRecord(record, dispatcher);

      expect(isStreamingRecord(record)).toBe(meaning.droppedAsStreaming);
      if (meaning.decoded.error === true) {
        expect(read).toThrow(expect.objectContaining({ code: "corrupt" }));
        return;
      }
      expect(msgTypeNumber[read().type]).toBe(meaning.type?.number);
      expect(read().id).toBe(BigInt(meaning.decoded.msgId ?? 0));
      // A body without a time of its own (rows that are none) has that of the property; Milvus leaves it 0.
      if (meaning.decoded.timestamp !== "0") expect(read().endTs).toBe(BigInt(meaning.decoded.timestamp ?? 0));
      expect(msgTypeName(meaning.type?.number ?? -1)).toBe(read().type);
    },
  );
});
