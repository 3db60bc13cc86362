import { describe, expect, it } from "vitest";
import { copyBytes } from "./copy-bytes.js";

const memories = {
  own: (size: number) => Buffer.alloc(size, 9),
  shared: (size: number) => Buffer.from(new SharedArrayBuffer(size)).fill(9),
};

describe.each(Object.entries(memories))("copying into %s memory", (_kind, make) => {
  it.each([0, 1, 100, 255, 256, 257, 1024, 100_000])("puts %i bytes where they belong, and nothing beside them", (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) % 256);
    for (const at of [0, 1, 3, 8]) {
      const into = make(length + 16);

      copyBytes(into, at, bytes);

      expect(into.subarray(at, at + length).equals(bytes)).toBe(true);
      expect([...into.subarray(0, at), ...into.subarray(at + length)].every((byte) => byte === 9)).toBe(true);
    }
  });

  it("copies out of a part of other memory, shared or not", () => {
    const into = make(600);
    for (const source of [Buffer.alloc(1000, 5), Buffer.from(new SharedArrayBuffer(1000)).fill(5)]) {
      copyBytes(into.fill(9), 100, source.subarray(300, 700));

      expect([into[99], into[100], into[499], into[500]]).toEqual([9, 5, 5, 9]);
    }
  });
});
