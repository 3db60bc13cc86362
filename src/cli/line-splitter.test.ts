import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.js";

function split(chunks: readonly Uint8Array[], longest = 1000): string[] {
  const splitter = new LineSplitter({ longest, source: "standard input" });
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()].map((line) => Buffer.from(line).toString("latin1"));
}

describe("LineSplitter", () => {
  it("takes only the line feed away, and counts a last line without one", () => {
    expect(split([Buffer.from("ab\r\n\n c\nlast")])).toEqual(["ab\r", "", " c", "last"]);
    expect(split([Buffer.from("only\n")])).toEqual(["only"]);
    expect(split([])).toEqual([]);
    expect(split([Buffer.from("\n")])).toEqual([""]);
  });

  it("finds the same lines wherever the chunks are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "\n")), fc.array(fc.nat(20)), (letters, cuts) => {
        const bytes = Buffer.from(letters.join(""));
        const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((edge, at) => bytes.subarray(edges[at], edge));

        expect(split(chunks)).toEqual(split([bytes]));
      }),
    );
  });

  it("refuses a line that is too long as soon as it is, and names it", () => {
    const splitter = new LineSplitter({ longest: 4, source: "F" });
    splitter.push(Buffer.from("1\n2\nabc"));

    expect(() => splitter.push(Buffer.from("de"))).toThrow("line 3 of F is longer than 4 bytes");
  });

  it("takes a line of just the longest length", () => {
    expect(split([Buffer.from("abcd\nabc"), Buffer.from("d")], 4)).toEqual(["abcd", "abcd"]);
  });
});
