import { describe, expect, it } from "vitest";
import { PageCheck } from "./milvus-pages.js";

const pages = {
  closed: [
    { endId: 12n, bytes: 30 },
    { endId: 20n, bytes: 40 },
  ],
  openBytes: 5,
};

function missingOf(messages: readonly (readonly [id: bigint, bytes: number])[]): number {
  const check = new PageCheck(pages);
  for (const [id, bytes] of messages) check.take(id, bytes);
  return check.missingBytes;
}

describe("the check of Milvus's pages", () => {
  it("misses nothing where every page holds what it should, or more", () => {
    expect(
      missingOf([
        [10n, 10],
        [12n, 20],
        [13n, 39],
        [20n, 1],
        [21n, 5],
      ]),
    ).toBe(0);
    expect(
      missingOf([
        [12n, 30],
        [20n, 40],
        [21n, 5],
        [22n, 100],
      ]),
    ).toBe(0);
  });

  it("misses what stood at the end, in the middle, and all", () => {
    expect(
      missingOf([
        [12n, 30],
        [20n, 40],
      ]),
    ).toBe(5);
    expect(
      missingOf([
        [12n, 30],
        [21n, 5],
      ]),
    ).toBe(40);
    expect(missingOf([])).toBe(75);
  });
});
