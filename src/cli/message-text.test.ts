import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { widthOf } from "./cell.js";
import { Failure } from "./failure.js";
import { decodeMessage, encodeMessage, messageRow } from "./message-text.js";

function message(payload: Uint8Array, properties: Readonly<Record<string, string>> = {}) {
  return { id: 263405372866560001n, timeMs: 0, payload, properties };
}

function decode(text: string) {
  return decodeMessage(Buffer.from(text), "line 1 of F");
}

describe("messages as JSON", () => {
  it("carry text as text and other bytes as base64, with the id as a string", () => {
    expect(encodeMessage(message(Buffer.from("grüße\n"), { k: "v" }))).toBe(
      '{"id":"263405372866560001","time":"1970-01-01T00:00:00.000Z","payload":"grüße\\n","properties":{"k":"v"}}',
    );
    expect(JSON.parse(encodeMessage(message(Buffer.from([0xff, 0]))))).toMatchObject({ payloadBase64: "/wA=" });
  });

  it("come back byte for byte, whatever the payload and the properties", () => {
    const wellFormed = fc.string({ unit: "grapheme" });
    const properties = fc.dictionary(fc.oneof(wellFormed, fc.constant("__proto__")), wellFormed, { noNullPrototype: false });
    fc.assert(
      fc.property(fc.uint8Array(), properties, (payload, texts) => {
        const back = decode(encodeMessage(message(payload, texts)));

        expect(Buffer.from(back.payload).equals(payload)).toBe(true);
        expect(Object.entries(back.properties ?? {})).toEqual(Object.entries(texts));
      }),
    );
  });

  it("keep a byte order mark and zero bytes of payload", () => {
    expect(Buffer.from(decode(encodeMessage(message(Buffer.from("\uFEFFx")))).payload)).toEqual(Buffer.from("\uFEFFx"));
    expect(decode('{"payload":""}').payload.length).toBe(0);
  });

  it.each([
    ["nonsense", "line 1 of F is not JSON"],
    ["", "line 1 of F is not JSON"],
    ["[]", "line 1 of F is not an object"],
    ["null", "line 1 of F is not an object"],
    ["{}", "line 1 of F needs one of payload and payloadBase64"],
    ['{"payload":"a","payloadBase64":"YQ=="}', "line 1 of F needs one of payload and payloadBase64"],
    ['{"payload":1}', "the payload of line 1 of F is not a string"],
    ['{"payload":"\\ud800"}', "the payload of line 1 of F holds half a surrogate pair"],
    ['{"payloadBase64":"a"}', "the payloadBase64 of line 1 of F is not base64"],
    ['{"payloadBase64":"YQ== "}', "the payloadBase64 of line 1 of F is not base64"],
    ['{"payload":"a","properties":[]}', "the properties of line 1 of F are not an object"],
    ['{"payload":"a","properties":{"k":1}}', 'property "k" of line 1 of F is not a string'],
    ['{"payload":"a","extra":1}', 'line 1 of F has the key "extra"'],
  ])("refuse %s", (text, expected) => {
    expect(() => decode(text)).toThrow(Failure);
    expect(() => decode(text)).toThrow(expected);
  });
});

describe("messageRow", () => {
  it("shows text, properties and binary payloads, never wider than the terminal", () => {
    expect(messageRow(message(Buffer.from("hello\u001b"), { k: "v" }), 100)).toBe(
      " 263405372866560001  1970-01-01T00:00:00.000Z  [k=v] hello\\u{1b}",
    );
    expect(messageRow(message(Buffer.from([0xff, 1])), 100)).toContain("2 bytes: ff01");
    expect(widthOf(messageRow(message(Buffer.from("日".repeat(100))), 80))).toBeLessThanOrEqual(80);
  });
});
