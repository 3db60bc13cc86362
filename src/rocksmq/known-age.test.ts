import { describe, expect, it } from "vitest";
import { believable, knownAtMs } from "./known-age.js";

const batch = { firstId: 5n, lastId: 9n, timeMs: 1_000_000, bytes: 1 };

describe("the age of a message that is dated ahead of the clock", () => {
  it("is the time that it has been known, by the clock that nobody sets", () => {
    const known = { endId: 10n, monotonicMs: 100 };

    expect(knownAtMs(known, { nowMs: 5_000, monotonicMs: 700 })).toBe(4_400);
    expect(believable(batch, known, { nowMs: 5_000, monotonicMs: 700 })).toEqual({ ...batch, timeMs: 4_400 });
    expect(believable(batch, known, { nowMs: 900_000_000, monotonicMs: 700 })).toBe(batch);
  });

  it("is not told of one that came later, in part or whole", () => {
    const reading = { nowMs: 5_000, monotonicMs: 700 };

    expect(believable(batch, { endId: 9n, monotonicMs: 100 }, reading)).toBe(batch);
    expect(believable(batch, { endId: 5n, monotonicMs: 100 }, reading)).toBe(batch);
  });
});
