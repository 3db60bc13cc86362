import { expect, it } from "vitest";
import * as fc from "fast-check";
import { decodeStarts, encodeStarts } from "./append-starts.js";

it("A frame that is one append says nothing of where appends begin", () => {
  expect(encodeStarts([0], 5)).toHaveLength(0);
  expect(decodeStarts(new Uint8Array(0), 5)).toEqual([0]);
});

it("Where appends begin is laid out as docs/log-format.md says", () => {
  expect(Buffer.from(encodeStarts([3, 5, 8], 9)).toString("hex")).toBe("030203");
  expect(Buffer.from(encodeStarts([0, 300], 301)).toString("hex")).toBe("00ac02");
  expect(Buffer.from(encodeStarts([], 4)).toString("hex")).toBe("04");
});

it("Where appends begin comes back as it was", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.uniqueArray(fc.nat(499)), (count, picks) => {
      const starts = picks.filter((pick) => pick < count).sort((a, b) => a - b);

      expect(decodeStarts(encodeStarts(starts, count), count)).toEqual(starts);
    }),
  );
});
