import { expect, it } from "vitest";
import { crc32c } from "./crc32c.js";

it("is what RFC 3720 has for its examples, in one part or more", () => {
  const ascending = Buffer.from(Array.from({ length: 32 }, (_, at) => at));

  expect(crc32c(Buffer.alloc(32))).toBe(0x8a91_36aa);
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8_ab43);
  expect(crc32c(ascending)).toBe(0x46dd_794e);
  expect(crc32c(ascending.subarray(0, 7), ascending.subarray(7))).toBe(0x46dd_794e);
});
