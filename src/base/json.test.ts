import { expect, it } from "vitest";
import { jsonReplacer } from "./json.js";

const json = (value: unknown): string => JSON.stringify(value, jsonReplacer);

it("writes 64-bit numbers as decimal text, to the last digit", () => {
  expect(json({ id: 2n ** 64n - 1n, ids: [-1n] })).toBe('{"id":"18446744073709551615","ids":["-1"]}');
});

it("writes bytes as base64, Buffers and views into larger ones too", () => {
  const bytes = Uint8Array.of(0, 1, 2, 0);

  expect(json({ a: bytes.subarray(1, 3), b: Buffer.from([1, 2]), c: [Buffer.from([1, 2])], d: new Uint8Array() })).toBe(
    '{"a":"AQI=","b":"AQI=","c":["AQI="],"d":""}',
  );
});

it("takes bytes and bigints at the top as well", () => {
  expect([json(5n), json(Buffer.from([1, 2]))]).toEqual(['"5"', '"AQI="']);
});

it("lets whoever knows its own form have it", () => {
  const id = { toJSON: () => ({ backend: "rocksmq", id: 7n }) };

  expect(json({ id, at: new Date(0) })).toBe('{"id":{"backend":"rocksmq","id":"7"},"at":"1970-01-01T00:00:00.000Z"}');
});

it("leaves everything else alone", () => {
  const plain = { text: "a", number: 1.5, nothing: null, list: [true, { type: "Buffer", data: [1] }] };

  expect(json(plain)).toBe(JSON.stringify(plain));
});

it("works when it is called by hand", () => {
  expect(jsonReplacer("id", 5n)).toBe("5");
});
