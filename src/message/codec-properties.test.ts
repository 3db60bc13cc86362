/**
 * Laws over random input: every type comes back as it was, and any bytes are a message or a typed error.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTidemarkError } from "../base/errors.js";
import { arbitraryFields } from "../../test/message/arbitrary-message.js";
import { toBase64 } from "./base64.js";
import { decodeMessage } from "./decode-message.js";
import { draftMessage, message } from "./draft-message.js";
import { encodeDraft, encodeMessage, stampMessage } from "./encode-message.js";
import { int64MessageId } from "./int64-message-id.js";
import { marshal } from "./marshal.js";
import { bodySchema } from "./msg-bodies.js";
import { type MsgTypeName, msgTypeNumber } from "./msg-type.js";
import { headerSchema, isProtoType, messageTypeNumber, payloadSchema, type ProtoType } from "./message-type.js";
import { unmarshalRecord } from "./stream-message.js";
import { timeTickFrom } from "../base/time-tick.js";
import { type TsMsg, tsMsg } from "./ts-msg.js";
import { protoUnmarshal } from "./unmarshal.js";
import type { WireMessage } from "./wire-message.js";

const protoTypes = Object.keys(messageTypeNumber).filter(isProtoType);
const dispatcher = protoUnmarshal.newUnmarshalDispatcher();
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const ticks = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(timeTickFrom);
const texts = fc.string({ unit: "grapheme", maxLength: 6 });
const ownProperties = fc.dictionary(
  texts.filter((key) => !key.startsWith("_")),
  texts,
  { maxKeys: 4 },
);
const stamps = fc.record({
  timeTick: ticks,
  lastConfirmedMessageId: fc.option(
    int64.map((value) => int64MessageId("kafka", value)),
    { nil: undefined },
  ),
  term: fc.option(int64, { nil: undefined }),
  barrierTimeTick: fc.option(ticks, { nil: undefined }),
  txn: fc.option(fc.record({ txnId: int64, keepaliveMs: fc.integer() }), { nil: undefined }),
});
const id = int64MessageId("kafka", 77n);
const defined = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Partial<T>;

/** A valid record of any type. */
const records = fc.constantFrom<ProtoType>(...protoTypes).chain((type) =>
  fc.record({
    type: fc.constant(type),
    header: arbitraryFields(headerSchema(type)),
    body: arbitraryFields(payloadSchema(type)),
    properties: ownProperties,
    stamp: stamps,
  }),
);

describe("a message of the log", () => {
  it("comes back as it was made, whatever its type, and is written as it was", () => {
    fc.assert(
      fc.property(records, ({ type, header, body, properties, stamp }) => {
        const draft = draftMessage(type, { vchannel: "v", header, body, properties });
        const wire = stampMessage(draft, stamp);

        const m = decodeMessage(wire, id);

        expect(m).toMatchObject({
          type,
          vchannel: "v",
          timeTick: stamp.timeTick,
          ...defined({ term: stamp.term, txn: stamp.txn, barrierTimeTick: stamp.barrierTimeTick }),
        });
        expect(m.lastConfirmedMessageId.equals(stamp.lastConfirmedMessageId ?? id)).toBe(true);
        expect(m.properties).toEqual(properties);
        expect(encodeMessage(m)).toBe(wire);
        // What its parts decoded to is what was put in: they are the same bytes again.
        expect(encodeDraft(draftMessage(type, { vchannel: "v", header: m.header as object, body: m.body, properties }))).toEqual(
          encodeDraft(draft),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("is written the same by whoever holds only its fields", () => {
    fc.assert(
      fc.property(records, ({ type, header, body, properties, stamp }) => {
        const wire = stampMessage(draftMessage(type, { vchannel: "v", header, body, properties }), stamp);
        const { kind, typeNumber, version, vchannel, payload, timeTick, lastConfirmedMessageId, ...m } = decodeMessage(wire, id);
        const parts = decodeMessage(wire, id);

        const copy = {
          ...m,
          kind,
          typeNumber,
          version,
          vchannel,
          payload,
          timeTick,
          lastConfirmedMessageId,
          header: parts.header,
          body: parts.body,
          properties,
        };

        expect(encodeMessage(copy as typeof parts)).toEqual(wire);
      }),
      { numRuns: 10 },
    );
  });

  it("of anybody's bytes comes back as they were", () => {
    fc.assert(
      fc.property(fc.uint8Array(), ownProperties, (payload, properties) => {
        const m = decodeMessage(
          stampMessage(message.user({ vchannel: "v", payload, properties }), {
            timeTick: timeTickFrom(1n),
            lastConfirmedMessageId: undefined,
          }),
          id,
        );

        expect(m).toMatchObject({ type: "user", header: undefined, body: payload });
        expect(m.properties).toEqual(properties);
      }),
    );
  });

  it("is a message or `corrupt`, whatever the record", () => {
    const keys = fc.constantFrom("_v", "_t", "_tt", "_btt", "_wt", "_lc", "_lcs", "_vc", "_h", "_tx", "_bh", "_rh", "x");
    const values = fc.oneof(texts, fc.integer({ min: 0, max: 60 }).map(String), fc.base64String({ maxLength: 12 }));

    fc.assert(
      fc.property(fc.dictionary(keys, values), fc.uint8Array({ maxLength: 60 }), (properties, payload) => {
        expect(outcomeOf({ properties: { _tt: "1", _lcs: "", ...properties }, payload })).toMatch(/^(message|corrupt)$/);
      }),
      { numRuns: 300 },
    );
  });

  it("is a message or `corrupt`, whatever happens to its bytes", () => {
    fc.assert(
      fc.property(
        records,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
        fc.nat(),
        ({ type, header, body, properties, stamp }, changes, cut) => {
          const wire = stampMessage(draftMessage(type, { vchannel: "v", header, body, properties }), stamp);
          const payload = wire.payload.slice(0, wire.payload.length - (cut % 3));
          for (const [at, byte] of changes) if (payload.length > 0) payload[at % payload.length] = byte;

          expect(outcomeOf({ properties: wire.properties, payload })).toMatch(/^(message|corrupt)$/);
          expect(outcomeOf({ properties: { ...wire.properties, _h: toBase64(payload) }, payload })).toMatch(/^(message|corrupt)$/);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a message of the stream", () => {
  const streamTypes = Object.keys(msgTypeNumber) as MsgTypeName[];
  const drafts = fc.constantFrom(...streamTypes).chain((type) =>
    fc.record({
      type: fc.constant(type),
      timestamp: ticks,
      id: int64,
      sourceId: int64,
      body: arbitraryFields(bodySchema(type)),
      properties: ownProperties,
    }),
  );

  it("comes back as it was made, whatever its type, and is written the same again", () => {
    fc.assert(
      fc.property(drafts, ({ body, properties, ...rest }) => {
        const own = Object.fromEntries(Object.entries(properties).filter(([key]) => !["msg_type", "vchannel"].includes(key)));
        const draft: TsMsg = tsMsg({ ...rest, body, properties: own });
        const wire = marshal(draft);

        const read = unmarshalRecord(wire, dispatcher);

        expect(read).toMatchObject({ type: draft.type, id: draft.id, sourceId: draft.sourceId });
        expect(read.properties).toMatchObject(own);
        // A delete of old keeps its keys in two places from now on.
        if (draft.type !== "delete") expect(marshal(read)).toEqual({ ...wire, properties: { ...read.properties, ...wire.properties } });
      }),
      { numRuns: 60 },
    );
  });

  it("is a message or `corrupt`, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...streamTypes), fc.uint8Array({ maxLength: 60 }), (type, bytes) => {
        try {
          const msg = dispatcher.unmarshal(bytes, type);
          expect(dispatcher.unmarshal(marshal(msg).payload, type)).toEqual(msg);
        } catch (error) {
          expect(error).toMatchObject({ code: "corrupt" });
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("hostile bytes", () => {
  const insert = (payload: Uint8Array): WireMessage => ({ properties: { _v: "1", _t: "2", _tt: "1", _lcs: "", _h: "" }, payload });
  /** Field 13 (a column), in it 3, 8, 1, 3, 8, 1 … : arrays of arrays. */
  const nested = (levels: number): Uint8Array => {
    let inner: Uint8Array = new Uint8Array(0);
    for (let level = 0; level < levels; level++) inner = delimited(level % 2 === (levels - 1) % 2 ? 8 : 1, inner);
    return delimited(13, delimited(3, inner));
  };

  it.each([
    ["a thousand messages inside each other", nested(1_000)],
    ["a million groups inside each other", new Uint8Array(1_000_000).fill(0x9b)],
    ["a length of two gigabytes", new Uint8Array([0x6a, 0xff, 0xff, 0xff, 0xff, 0x07])],
    ["a packed list of two gigabytes", new Uint8Array([0x52, 0xff, 0xff, 0xff, 0xff, 0x07, 1])],
    ["a length of 2^64 - 1", new Uint8Array([0x6a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01])],
    ["a text that is not UTF-8", new Uint8Array([0x12, 0x01, 0xff])],
    ["a field that ends behind its message", new Uint8Array([0x0a, 0x02, 0x10, 0xff, 0x01])],
    ["a text where a number belongs", new Uint8Array([0x3a, 0x01, 0x61])],
  ])("with %s are corrupt, when they are looked at", (_, payload) => {
    expect(() => decodeMessage(insert(payload), id).body).toThrow(expect.objectContaining({ code: "corrupt" }));
    expect(() => dispatcher.unmarshal(payload, "insert")).toThrow(expect.objectContaining({ code: "corrupt" }));
  });

  it("may nest as deep as the runtime reads", () => {
    expect(() => dispatcher.unmarshal(nested(90), "insert")).not.toThrow();
  });
});

function delimited(field: number, bytes: Uint8Array): Uint8Array {
  const length: number[] = [];
  for (let left = bytes.length; ; left >>>= 7) {
    if (left < 0x80) {
      length.push(left);
      break;
    }
    length.push((left & 0x7f) | 0x80);
  }
  return new Uint8Array([(field << 3) | 2, ...length, ...bytes]);
}

/** "message" where the record and its parts read, else the error's code. */
function outcomeOf(wire: WireMessage): string {
  try {
    const m = decodeMessage(wire, id);
    expect(encodeMessage(m)).toBe(wire);
    return [m.header, m.body].length === 2 ? "message" : "";
  } catch (error) {
    return isTidemarkError(error) ? error.code : String(error);
  }
}
