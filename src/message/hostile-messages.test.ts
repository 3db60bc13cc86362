/**
 * Odd property maps, and what Milvus makes of them: the same value here, and an error with the field where it panics.
 */
import { describe, expect, it } from "vitest";
import { unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { decodeMessage } from "./decode-message.js";
import { encodeMessage } from "./encode-message.js";
import { messageIdFromString } from "./message-id-forms.js";
import { type AnyPlainMessage } from "./stored-message.js";
import { protoUnmarshal } from "./unmarshal.js";

type Outcome<Value> = { readonly value: Value } | { readonly panics: true };
interface HostileCase extends VectorCase<{
  readonly version: Outcome<number>;
  readonly messageType: Outcome<number>;
  readonly vchannel: Outcome<string>;
  readonly timeTick: Outcome<string>;
  readonly barrierTimeTick: Outcome<string>;
  readonly lastConfirmed: Outcome<string>;
  readonly txnContext: Outcome<{ readonly txnId: string; readonly keepaliveMilliseconds: string } | null>;
  readonly broadcastId: Outcome<string | null>;
  readonly replicateHeaderPresent: Outcome<boolean>;
  readonly asInsertHeader: { readonly value: { readonly error?: true } };
}> {
  readonly messageId: { readonly marshalled: string };
  readonly payload: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** The property that each reading is of. */
const fields = {
  version: "_v",
  timeTick: "_tt",
  barrierTimeTick: "_btt",
  lastConfirmed: "_lc",
  txnContext: "_tx",
  broadcastId: "_bh",
  replicateHeaderPresent: "_rh",
} as const;

/** The fields that Milvus panics at; but we read an id with its sign. */
function panicsAt({ name, meaning }: HostileCase): string[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const outcome: Outcome<unknown> = meaning[key as keyof typeof fields];
    return "panics" in outcome && name !== "lc-negative" ? [field] : [];
  });
}

const cases = vectorCases<HostileCase>("streaming-hostile");
const decoded = ({ payload, properties, messageId }: HostileCase): AnyPlainMessage =>
  decodeMessage({ payload: unhex(payload), properties }, messageIdFromString("rocksmq", messageId.marshalled));

describe("a hostile record", () => {
  it.each(cases.filter((vector) => panicsAt(vector).length > 0))(
    "is corrupt where Milvus panics, and the error says the field: $name",
    (vector) => {
      const field = expect.toSatisfy((name: string) => panicsAt(vector).includes(name)) as string;

      expect(() => decoded(vector)).toThrow(expect.objectContaining({ code: "corrupt", details: { file: "message", offset: 0, field } }));
    },
  );

  it.each(cases.filter((vector) => panicsAt(vector).length === 0))("reads as in Milvus, and is written back as it was: $name", (vector) => {
    const { meaning, properties, payload } = vector;
    const m = decoded(vector);

    expect({ value: m.version }).toEqual(meaning.version);
    expect({ value: m.typeNumber }).toEqual(meaning.messageType);
    expect({ value: m.vchannel }).toEqual(meaning.vchannel);
    expect({ value: m.timeTick.toString() }).toEqual(meaning.timeTick);
    expect({ value: (m.barrierTimeTick ?? 0n).toString() }).toEqual(meaning.barrierTimeTick);
    if (vector.name === "lc-negative") expect(m.lastConfirmedMessageId.toString()).toBe("-2");
    else expect({ value: Number.parseInt(m.lastConfirmedMessageId.toString(), 36).toString() }).toEqual(meaning.lastConfirmed);
    expect({
      value: m.txn === undefined ? null : { txnId: m.txn.txnId.toString(), keepaliveMilliseconds: m.txn.keepaliveMs.toString() },
    }).toEqual(meaning.txnContext);
    expect(encodeMessage(m)).toEqual({ properties, payload: unhex(payload) });
  });

  it.each(cases.filter((vector) => panicsAt(vector).length === 0))(
    "has an insert's header, or says what is wrong with it: $name",
    (vector) => {
      const m = decoded(vector);
      const isInsert = m.type === "insert";

      expect(isInsert || vector.meaning.asInsertHeader.value.error === true).toBe(true);
      if (!isInsert) expect(m.header).toEqual(new Uint8Array(0));
      else if (vector.meaning.asInsertHeader.value.error !== true) expect(m.header).toMatchObject({ collectionId: 0n, partitions: [] });
      else expect(() => m.header).toThrow(expect.objectContaining({ code: "corrupt", message: expect.stringContaining("_h") as string }));
    },
  );

  it("has a body that says where it does not read, when it is asked for", () => {
    // the base ends where the number of base.timestamp should begin
    const m = decodeMessage(
      { payload: unhex("0a030801180500"), properties: { _v: "1", _t: "2", _tt: "1", _lcs: "", _h: "" } },
      messageIdFromString("memory", "1"),
    );

    expect(() => m.body).toThrow(
      expect.objectContaining({ code: "corrupt", details: { file: "message", field: "body.base.timestamp", offset: 5 } }),
    );
  });

  it.each([
    ["a number as bytes, in the base", "0a030a0105", "body.base.msg_type", 3],
    ["a text as a number", "1005", "body.shardName", 1],
    ["a message as 8 bytes", "090000000000000000", "body.base", 1],
    ["a text as a number, in a list of messages", "6a021005", "body.fields_data.field_name", 3],
    ["a packed list as 4 bytes", "5500000000", "body.timestamps", 1],
  ])("has a body in which a field of a wrong wire type is found: %s", (_, payload, field, offset) => {
    const corrupt: unknown = expect.objectContaining({ code: "corrupt", details: { file: "message", field, offset } });
    const m = decodeMessage(
      { payload: unhex(payload), properties: { _v: "1", _t: "2", _tt: "1", _lcs: "", _h: "" } },
      messageIdFromString("memory", "1"),
    );

    expect(() => m.body).toThrow(corrupt);
    expect(() => protoUnmarshal.newUnmarshalDispatcher().unmarshal(unhex(payload), "insert")).toThrow(corrupt);
  });

  it("has a header and a transaction of which the same holds", () => {
    const properties = { _v: "1", _t: "2", _tt: "1", _lcs: "", _h: "" };
    const wrong = Buffer.from("0a0105", "hex");
    const text = wrong.toString("base64");
    const at = (field: string): unknown => expect.objectContaining({ code: "corrupt", details: { file: "message", field, offset: 1 } });
    const read = (more: Readonly<Record<string, string>>) =>
      decodeMessage({ payload: wrong, properties: { ...properties, ...more } }, messageIdFromString("memory", "1"));

    expect(() => read({ _h: text }).header).toThrow(at("_h.collection_id"));
    expect(() => read({ _tx: text })).toThrow(at("_tx.txn_id"));
  });

  it("is not decoded where it is encrypted", () => {
    const m = decodeMessage(
      { payload: unhex("ff"), properties: { _v: "1", _t: "2", _tt: "1", _lcs: "", _h: "", _ch: "" } },
      messageIdFromString("memory", "1"),
    );

    expect(() => m.body).toThrow(expect.objectContaining({ code: "unsupported-format" }));
    expect(m.payload).toEqual(unhex("ff"));
  });
});
