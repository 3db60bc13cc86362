import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addBatch, bytesFrom, isClosed, type Page, takeDead } from "./pages.js";
import { isDense } from "../stretches.js";

const batch = fc.record({ gap: fc.nat(2), count: fc.integer({ min: 1, max: 9_000 }), bytes: fc.integer({ min: 1, max: 2_000_000 }) });

function pagesOf(batches: readonly { gap: number; count: number; bytes: number }[]): { pages: Page[]; batches: Page[] } {
  const pages: Page[] = [];
  const all: Page[] = [];
  let lastId = 99n;
  for (const [at, { gap, count, bytes }] of batches.entries()) {
    const firstId = lastId + 1n + BigInt(gap);
    lastId = firstId + BigInt(count) - 1n;
    const one = { firstId, lastId, count, bytes, firstTimeMs: at, lastTimeMs: at };
    all.push(one);
    addBatch(pages, one);
  }
  return { pages, batches: all };
}

describe("pages", () => {
  it("hold every batch once, in order, and only the last one may take more", () => {
    fc.assert(
      fc.property(fc.array(batch), (made) => {
        const { pages, batches } = pagesOf(made);
        expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(made.reduce((sum, { count }) => sum + count, 0));
        expect(bytesFrom(pages, 0n)).toBe(made.reduce((sum, { bytes }) => sum + bytes, 0));
        expect(pages.slice(0, -1).every(isClosed)).toBe(true);
        expect(pages.map(({ firstId }) => batches.some((one) => one.firstId === firstId))).not.toContain(false);
        expect(pages.map(({ firstTimeMs, lastTimeMs }) => firstTimeMs <= lastTimeMs)).not.toContain(false);
      }),
    );
  });

  it("die once all their messages are below the begin, and not before", () => {
    fc.assert(
      fc.property(fc.array(batch, { minLength: 1 }), fc.nat(20_000), (made, ahead) => {
        const { pages } = pagesOf(made);
        const before = [...pages];
        const beginId = 100n + BigInt(ahead);

        const dead = takeDead(pages, beginId);

        expect([...dead, ...pages]).toEqual(before);
        expect(dead.every(({ lastId }) => lastId < beginId) && pages.every(({ lastId }) => lastId >= beginId)).toBe(true);
        expect(bytesFrom(before, beginId)).toBe(bytesFrom(pages, beginId));
      }),
    );
  });

  it("count by subtraction only where no id is missing", () => {
    const page = { firstId: 10n, lastId: 12n, bytes: 1, firstTimeMs: 0, lastTimeMs: 0 };

    expect([isDense({ ...page, count: 3 }), isDense({ ...page, count: 2 })]).toEqual([true, false]);
  });

  it("are cut by the share of the ids that is left", () => {
    const page = { firstId: 10n, lastId: 19n, count: 10, bytes: 1_000, firstTimeMs: 0, lastTimeMs: 0 };

    expect([0n, 10n, 15n, 19n, 20n].map((beginId) => bytesFrom([page], beginId))).toEqual([1_000, 1_000, 500, 100, 0]);
  });
});
