import { equals, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { hex, protoJson, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { hashInt64 } from "./hash-keys.js";
import { marshal } from "./marshal.js";
import { bodySchema } from "./msg-bodies.js";
import { fromWireName, msgTypeName, type MsgTypeName, msgTypeNumber } from "./msg-type.js";
import { unmarshalRecord } from "./stream-message.js";
import { timeTick, timeTickFrom } from "../base/time-tick.js";
import { tsMsg, withPosition } from "./ts-msg.js";
import { memUnmarshal, protoUnmarshal } from "./unmarshal.js";

interface LegacyCase extends VectorCase<{
  readonly msgType: { readonly name: string; readonly number: number };
  readonly msgId: string;
  readonly sourceId: string;
  readonly beginTs: string;
  readonly endTs: string;
  readonly encodingOrder: string;
  readonly fields: JsonValue;
  readonly decoded: JsonValue;
  readonly panics?: boolean;
}> {
  readonly kind: string;
  readonly bytes: string;
  readonly bytesAgain: string;
  readonly msgType: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly rocksmqRow: string;
}

const dispatcher = protoUnmarshal.newUnmarshalDispatcher();
const cases = (file: string, kind: string): readonly LegacyCase[] => vectorCases<LegacyCase>(file).filter((vector) => vector.kind === kind);
const typeOf = (vector: LegacyCase): MsgTypeName => fromWireName(vector.meaning.msgType.name) ?? "undefined";

describe.each(["legacy-msgs", "legacy-msgs-2.5"])("Milvus's stream messages (%s)", (file) => {
  it.each(cases(file, "message"))("mean what Milvus says, and are written as it writes them: $name", (vector) => {
    const { meaning, bytes, properties } = vector;
    const type = typeOf(vector);

    const msg = dispatcher.unmarshal(unhex(bytes), type);
    const again = marshal(msg);

    expect(msgTypeNumber[type]).toBe(meaning.msgType.number);
    expect(msg).toMatchObject({ type, id: BigInt(meaning.msgId), sourceId: BigInt(meaning.sourceId) });
    expect([msg.beginTs, msg.endTs]).toEqual([BigInt(meaning.beginTs), BigInt(meaning.endTs)]);
    expect(equals(bodySchema(type), msg.body, fromJson(bodySchema(type), protoJson(meaning.fields)))).toBe(true);
    // Elsewhere the order of bytes is free: members of a oneof, entries of a map.
    if (meaning.encodingOrder === "exact") expect(hex(again.payload)).toBe(bytes);
    else expect(dispatcher.unmarshal(again.payload, type)).toEqual(msg);
    // 2.5 attaches the type only.
    expect(again.properties).toMatchObject(properties);
  });

  it("are the same from a row of RocksMQ, where the properties lie in the base", () => {
    for (const vector of cases(file, "message")) {
      const msg = unmarshalRecord({ properties: {}, payload: unhex(vector.rocksmqRow) }, dispatcher);

      expect(msg.type, vector.name).toBe(typeOf(vector));
      expect(msg.body.base?.properties, vector.name).toEqual(vector.properties);
      expect(msg.properties, vector.name).toEqual({});
    }
  });

  it.each(cases(file, "normalised"))("are brought up to date as Milvus does: $name", (vector) => {
    const msg = dispatcher.unmarshal(unhex(vector.bytes), "delete");

    expect(equals(bodySchema("delete"), msg.body, fromJson(bodySchema("delete"), protoJson(vector.meaning.decoded)))).toBe(true);
    expect(hex(marshal(msg).payload)).toBe(vector.bytesAgain);
  });

  it.each(cases(file, "decode"))("may be empty where Milvus takes that, and are corrupt where it panics: $name", (vector) => {
    const read = (): unknown => dispatcher.unmarshal(new Uint8Array(0), msgTypeName(vector.msgType) ?? "undefined");

    if (vector.meaning.panics === true) expect(read).toThrow(expect.objectContaining({ code: "corrupt" }));
    else expect(read).not.toThrow();
  });
});

describe("a message of the stream", () => {
  it("round-trips, whatever its type", () => {
    for (const type of Object.keys(msgTypeNumber) as MsgTypeName[]) {
      const draft = tsMsg({ type, timestamp: timeTick(1_000, 5), id: -7n, sourceId: 3n, properties: { trace: "a", constructor: "b" } });

      const read = unmarshalRecord(marshal(draft), dispatcher);

      expect(read, type).toEqual(draft);
      expect(Object.keys(read.properties)).toEqual(["trace", "constructor"]);
    }
  });

  it("has one timestamp as a draft, and gives it to each row that has none", () => {
    const timestamp = timeTick(2_000);
    const insert = tsMsg({ type: "insert", timestamp, hashKeys: [hashInt64(1n), hashInt64(2n)], body: { rowIDs: [1n, 2n], numRows: 2n } });
    const del = tsMsg({
      type: "delete",
      timestamp,
      body: { primaryKeys: { idField: { case: "strId", value: { data: ["a"] } } }, numRows: 1n },
    });

    expect(insert).toMatchObject({ beginTs: timestamp, endTs: timestamp, body: { timestamps: [timestamp, timestamp] } });
    expect(del).toMatchObject({ beginTs: timestamp, endTs: timestamp, body: { timestamps: [timestamp] } });
    expect(insert.body.base).toMatchObject({ msgType: 400, timestamp });
  });

  it("carries anybody's bytes", () => {
    const payload = new Uint8Array([255, 0, 1]);
    const user = tsMsg({ type: "user", timestamp: timeTick(1), payload });

    const { properties, payload: bytes } = marshal(user);
    const read = dispatcher.unmarshal(bytes, "user");

    expect(properties["msg_type"]).toBe("User");
    expect(read).toMatchObject({ type: "user", endTs: timeTick(1), body: { payload } });
  });

  it("gets its position without being changed", () => {
    const msg = tsMsg({ type: "timeTick", timestamp: timeTick(1) });
    const position = { channelName: "c", msgId: undefined, msgGroup: "", timestamp: timeTick(1) };

    expect(withPosition(msg, position)).toEqual({ ...msg, position });
    expect("position" in msg).toBe(false);
  });

  it("leaves the caller's own objects as they were", () => {
    const made = tsMsg({ type: "insert", timestamp: timeTick(1), id: 1n, body: { rowIDs: [1n], numRows: 1n } });
    const before = structuredClone(made.body);

    tsMsg({ type: "insert", timestamp: timeTick(9), id: 9n, body: made.body });

    expect(made.body).toEqual(before);
  });

  it.each([
    ["a type that is none", { type: "inzert" }, "type must be the name of a message type"],
    ["a timestamp that is a number", { timestamp: 5 }, "timestamp must be a bigint"],
    ["an id out of range", { id: 2n ** 63n }, "id must be a bigint from -2^63"],
    ["a hash key out of range", { hashKeys: [1, -1] }, "hashKeys[1] must be a whole number"],
    [
      "a body of another type",
      { body: tsMsg({ type: "delete", timestamp: timeTick(1) }).body },
      "body must be a milvus.proto.msg.InsertRequest",
    ],
    ["a field that there is not", { body: { numRowz: 1n } }, "body.numRowz is no field"],
    ["a number for 64 bits", { body: { numRows: 1 } }, "body.numRows must be a bigint from 0"],
    ["a list with one of them", { body: { rowIDs: [1n, 2 ** 60] } }, "body.rowIDs[1] must be a bigint"],
    ["a lone surrogate", { body: { shardName: "a\ud800" } }, "body.shardName must be a text in well-formed Unicode"],
    ["one in a map's key", { body: { base: { properties: { "\udc00": "" } } } }, 'body.base.properties["\\udc00"] must be a key'],
    ["a reserved property", { properties: { _v: "1" } }, 'properties["_v"] must be left out'],
    ["a property that is attached", { properties: { msg_type: "Insert" } }, 'properties["msg_type"] must be left out'],
    ["a property that is no text", { properties: { a: 1 } }, 'properties["a"] must be a text'],
    ["a payload where none belongs", { payload: new Uint8Array(1) }, "payload must be left out"],
    ["an option that there is not", { beginTs: 1n }, "beginTs is not an option"],
  ])("is refused with %s, by name", (_, wrong, text) => {
    const draft = { type: "insert", timestamp: timeTick(1), ...wrong };

    expect(() => void Reflect.apply(tsMsg, undefined, [draft])).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(text) as string }),
    );
  });
});

describe("a dispatcher", () => {
  it("has a template for every type, and the last one given wins", () => {
    const own = protoUnmarshal.newUnmarshalDispatcher();
    const other = protoUnmarshal.newUnmarshalDispatcher();
    const tick = tsMsg({ type: "timeTick", timestamp: timeTick(1) });

    own.addMsgTemplate("insert", () => tsMsg({ type: "timeTick", timestamp: timeTick(2) }));
    own.addMsgTemplate("insert", () => tick);

    expect(own.unmarshal(new Uint8Array(0), "insert")).toBe(tick);
    expect(other.unmarshal(new Uint8Array(0), "insert").type).toBe("insert");
    expect(() => void Reflect.apply(own.unmarshal, own, [new Uint8Array(0), "nonsense"])).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
    expect(() => void Reflect.apply(own.addMsgTemplate, own, ["nonsense", () => tick])).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });

  it("of memory hands on messages of the type that is asked for, and nothing else", () => {
    const mem = memUnmarshal.newUnmarshalDispatcher();
    const tick = tsMsg({ type: "timeTick", timestamp: timeTick(1) });

    expect(mem.unmarshal(tick, "timeTick")).toBe(tick);
    expect(() => mem.unmarshal(tick, "insert")).toThrow("input must be a message of type insert");
    expect(() => mem.unmarshal(new Uint8Array(0), "timeTick")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  it("of protobuf takes bytes, and nothing else", () => {
    const tick = tsMsg({ type: "timeTick", timestamp: timeTickFrom(1n) });

    expect(() => dispatcher.unmarshal(tick, "timeTick")).toThrow("input must be the bytes of a message");
  });
});
