import * as fc from "fast-check";
import { expect, it } from "vitest";
import { crc32 } from "./crc32.js";

it("is the CRC-32 that everybody knows", () => {
  expect(crc32(Buffer.from("123456789"))).toBe(0xcbf43926);
});

it("chains: the crc of the parts is the crc of the whole, wherever it is cut", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(), (bytes, seed) => {
      const cut = seed % (bytes.length + 1);

      expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(crc32(bytes));
    }),
  );
});

it("sees any one flipped bit, under any seed", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 0, max: 0xffff_ffff }), (bytes, place, seed) => {
      const before = crc32(bytes, seed);
      const bit = place % (bytes.length * 8);

      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));

      expect(crc32(bytes, seed)).not.toBe(before);
    }),
  );
});
