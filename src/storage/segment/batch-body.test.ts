import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import type { NewMessage, StoredMessage } from "../engine.js";
import { BatchCursor, packMessage, writeMessage } from "./batch-body.js";
import { noProperties } from "./packed-properties.js";
import { PropertiesReader } from "./properties-reader.js";

function bodyOf(messages: readonly NewMessage[]): Buffer {
  const packed = messages.map(packMessage);
  const body = Buffer.alloc(packed.reduce((sum, { size }) => sum + size, 0));
  expect(packed.reduce((at, one) => writeMessage(body, at, one), 0)).toBe(body.length);
  return body;
}

function cursorOver(messages: readonly NewMessage[], baseId = 1n): BatchCursor {
  return new BatchCursor(bodyOf(messages), baseId, messages.length, 777);
}

function rest(cursor: BatchCursor): StoredMessage[] {
  const all: StoredMessage[] = [];
  const texts = new PropertiesReader();
  while (cursor.left > 0) all.push(cursor.next(texts));
  return all;
}

const anyProperties = fc.dictionary(fc.string({ unit: "binary", maxLength: 20 }), fc.string({ unit: "binary", maxLength: 200 }));
const anyMessage = fc.record({ payload: fc.uint8Array({ maxLength: 300 }), properties: fc.option(anyProperties, { nil: undefined }) });

describe("a batch's body", () => {
  it("gives back the messages that were put in, with consecutive ids", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { minLength: 1, maxLength: 20 }), fc.bigInt(1n, 2n ** 62n), (messages, baseId) => {
        const stored = rest(cursorOver(messages, baseId));

        expect(stored.map(({ id }) => id)).toEqual(messages.map((_, at) => baseId + BigInt(at)));
        expect(stored.map(({ payload }) => Buffer.from(payload))).toEqual(messages.map(({ payload }) => Buffer.from(payload)));
        expect(stored.map(({ properties }) => Object.entries(properties))).toEqual(
          messages.map(({ properties }) => Object.entries(properties ?? {})),
        );
        expect(stored.every(({ timeMs }) => timeMs === 777)).toBe(true);
      }),
    );
  });

  it("has each message as two lengths, properties and payload", () => {
    const payload = Buffer.alloc(300, 0xab);

    const body = bodyOf([{ payload: Buffer.from("hi") }, { payload, properties: { k: "é" } }]);

    expect(body.subarray(0, 4).toString("hex")).toBe("0002" + "6869");
    expect(body.subarray(4, 12).toString("hex")).toBe("05ac02" + "016b" + "02c3a9");
    expect(body.subarray(12).equals(payload)).toBe(true);
    expect(body.length).toBe(312);
  });

  it("needs one, two and three bytes for the lengths that begin to need them", () => {
    for (const [length, bytes] of [
      [127, 1],
      [128, 2],
      [16_383, 2],
      [16_384, 3],
    ] as const) {
      expect(packMessage({ payload: Buffer.alloc(length) }).size, `${length}`).toBe(1 + bytes + length);
      expect(rest(cursorOver([{ payload: Buffer.alloc(length) }]))[0]?.payload.length).toBe(length);
    }
  });

  it("can be gone into at any id", () => {
    const messages = ["a", "bb", "", "dddd"].map((text) => ({ payload: Buffer.from(text), properties: { text } }));

    for (let id = 9n; id <= 14n; id++) {
      const cursor = cursorOver(messages, 10n);
      cursor.skipTo(id);
      const first = id < 10n ? 0 : Number(id - 10n);
      expect(rest(cursor).map(({ properties }) => properties["text"])).toEqual(["a", "bb", "", "dddd"].slice(first));
    }
  });

  it("says before each message what it takes, and 0 behind the last", () => {
    const cursor = cursorOver([{ payload: Buffer.alloc(5) }, { payload: Buffer.alloc(7), properties: { a: "b" } }]);

    expect(cursor.nextBytes).toBe(5);
    cursor.next(new PropertiesReader());
    expect(cursor.nextBytes).toBe(11);
    cursor.next(new PropertiesReader());
    expect([cursor.left, cursor.nextBytes]).toEqual([0, 0]);
  });

  it("shares one empty object among all messages without properties", () => {
    const [first, second] = rest(cursorOver([{ payload: Buffer.from("a") }, { payload: Buffer.from("b"), properties: {} }]));

    expect(first?.properties).toBe(noProperties);
    expect(second?.properties).toBe(noProperties);
    expect(Object.isFrozen(noProperties)).toBe(true);
  });

  it("takes no property for one of the object's own", () => {
    const [message] = rest(cursorOver([{ payload: Buffer.from("a"), properties: { ["__proto__"]: "p", toString: "t" } }]));

    expect(Object.getPrototypeOf(message?.properties)).toBeNull();
    expect(message?.properties["toString"]).toBe("t");
    expect(Object.entries(message?.properties ?? {})).toContainEqual(["__proto__", "p"]);
  });
});
