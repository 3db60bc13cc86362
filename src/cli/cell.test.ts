import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fit, padded, printable, widthOf } from "./cell.js";

describe("printable", () => {
  it("leaves no way to play with the terminal", () => {
    expect(printable("a\u001b[2Jb\n\r\t\u0007\u009b")).toBe("a\\u{1b}[2Jb\\n\\r\\t\\u{7}\\u{9b}");
    expect(printable("\u202Eevil\u2028")).toBe("\\u{202e}evil\\u{2028}");
  });

  it("leaves text alone", () => {
    expect(printable("grüße 日本 👋 «ok»")).toBe("grüße 日本 👋 «ok»");
  });
});

describe("fit", () => {
  it("counts columns, not characters", () => {
    expect(widthOf("日本")).toBe(4);
    expect(widthOf("e\u0301")).toBe(1);
    expect(fit("日本語", 5)).toBe("日本…");
    expect(fit("hello", 5)).toBe("hello");
    expect(fit("hello!", 5)).toBe("hell…");
  });

  it("never gives more columns than there are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), (text, columns) => {
        expect(widthOf(fit(printable(text), columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe("padded", () => {
  it("fills up to the left or to the right", () => {
    expect(padded("7", 3, "left")).toBe("  7");
    expect(padded("日", 3, "right")).toBe("日 ");
    expect(padded("long", 2, "right")).toBe("long");
  });
});
