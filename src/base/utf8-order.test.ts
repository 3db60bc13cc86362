import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareUtf8 } from "./utf8-order.js";

describe("compareUtf8", () => {
  it("puts what lies beyond the basic plane behind U+FFFF, as its bytes do", () => {
    expect(["\u{1f600}", "\uffff", "a"].sort(compareUtf8)).toEqual(["a", "\uffff", "\u{1f600}"]);
  });

  it("agrees with comparing the bytes, for any two texts", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 6 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
