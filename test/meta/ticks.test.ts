import { describe, expect, it } from "vitest";
import { openIdAllocator, openTimestampOracle } from "../../src/meta/index.js";
import { seedOf, tell } from "../crash/seed.js";
import { liveThrough, type Plan } from "./ticks.js";

const sources: readonly { readonly name: string; readonly open: Plan["open"] }[] = [
  {
    name: "timestamps",
    open: async (options) => {
      const oracle = await openTimestampOracle(options);
      return Object.assign(oracle, { take: (count: number) => oracle.allocate(count) });
    },
  },
  {
    name: "ids",
    open: async (options) => {
      const ids = await openIdAllocator(options);
      return Object.assign(ids, { take: async (count: number) => (await ids.alloc(count))[1] - 1n });
    },
  },
];

describe.each(sources)("a million $name", ({ name, open }) => {
  it("of 8 callers, over 20 crashes and clocks that jump by days, strictly increase and are never 3 s ahead of the highest clock", async () => {
    const seed = seedOf(1);

    const figures = await liveThrough({ open, seed, callers: 8, crashes: 20, numbers: 1_000_000 });

    tell(name, { seed, ...figures });
    expect(figures).toMatchObject({ crashes: 20, back: 0 });
    expect(figures.numbers).toBeGreaterThanOrEqual(1_000_000);
    expect(figures.aheadMs).toBeLessThanOrEqual(3_000);
    expect(figures.jumps).toBeGreaterThan(100);
    expect(figures.jumpsBack).toBeGreaterThan(100);
    expect(figures.inWrites).toBeGreaterThan(0);
  });
});
