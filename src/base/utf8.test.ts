import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8Bytes, writeUtf8 } from "./utf8.js";

const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ unit: "binary-ascii", maxLength: 200 }));

describe("utf8", () => {
  it("knows the bytes of a text, and writes them and nothing else", () => {
    fc.assert(
      fc.property(anyText, fc.nat(9), (text, at) => {
        const expected = Buffer.from(text);
        const into = Buffer.alloc(at + expected.length + 3, 0xee);

        expect(utf8Bytes(text)).toBe(expected.length);
        expect(writeUtf8(into, at, text, expected.length)).toBe(at + expected.length);

        expect(into.equals(Buffer.concat([Buffer.alloc(at, 0xee), expected, Buffer.alloc(3, 0xee)]))).toBe(true);
      }),
    );
  });
});
