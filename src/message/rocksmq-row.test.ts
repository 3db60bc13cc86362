import { describe, expect, it } from "vitest";
import { hex, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { int64MessageId } from "./int64-message-id.js";
import { MilvusViewer } from "./milvus-view.js";
import { legacyRow, openStreamEnvelope, streamEnvelope } from "./rocksmq-row.js";

interface RowCase extends VectorCase<{ readonly payloadHex: string; readonly properties: Readonly<Record<string, string>> | null }> {
  readonly kind: string;
  readonly bytes: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly rocksmqRow: string;
  readonly rocksmqRowPropertiesSorted: boolean;
}

const cases = (kind: string, file = "legacy-msgs"): readonly RowCase[] =>
  vectorCases<RowCase>(file).filter((vector) => vector.kind === kind);

describe("a row of Milvus's RocksMQ", () => {
  it.each(cases("stream-envelope"))("of the log is its envelope, both ways: $name", ({ bytes, meaning }) => {
    const record = { payload: unhex(meaning.payloadHex), properties: meaning.properties ?? {} };

    expect(openStreamEnvelope(unhex(bytes))).toEqual(record);
    expect(hex(streamEnvelope(record))).toBe(bytes);
  });

  it("that does not begin as an envelope is none, and one that ends too early is corrupt", () => {
    expect(openStreamEnvelope(unhex("fffefdfc53545245414e"))).toBeUndefined();
    expect(openStreamEnvelope(new Uint8Array(0))).toBeUndefined();
    expect(() => openStreamEnvelope(unhex("fffefdfc53545245414d0a03"))).toThrow(
      expect.objectContaining({ code: "corrupt", details: { file: "message", field: "row.payload", offset: 1 } }),
    );
  });

  it.each(cases("legacy-row"))("of the stream has its properties in its base: $name", ({ bytes, meaning }) => {
    expect(hex(legacyRow({ payload: unhex(meaning.payloadHex), properties: meaning.properties ?? {} }))).toBe(bytes);
  });

  it.each(["legacy-msgs", "legacy-msgs-2.5"])("is what Milvus makes of each of its messages (%s)", (file) => {
    const rows = cases("message", file).filter(({ rocksmqRowPropertiesSorted }) => rocksmqRowPropertiesSorted);

    expect(rows.length).toBeGreaterThan(80);
    for (const { name, bytes, properties, rocksmqRow } of rows)
      expect(hex(legacyRow({ payload: unhex(bytes), properties })), name).toBe(rocksmqRow);
  });

  it("of the log is shown as what is in it", () => {
    const properties = { _v: "2", _t: "10001", _tt: "ya", _lcs: "", _vc: "v" };
    const row = streamEnvelope({ payload: new Uint8Array([7]), properties });

    const view = new MilvusViewer().view({ payload: row, properties: {} }, int64MessageId("rocksmq", 1n));

    expect(view).toMatchObject({ type: "user", vchannel: "v", timestamp: 1234n, payload: new Uint8Array([7]) });
  });
});
