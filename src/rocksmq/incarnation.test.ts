import { describe, expect, it } from "vitest";
import { type Incarnation, isStill } from "./incarnation.js";

describe("an incarnation", () => {
  it.each<[string, Incarnation, boolean]>([
    ["the same when nothing has changed", { firstId: 1n, madeAt: 7n }, true],
    ["another when it begins elsewhere", { firstId: 2n, madeAt: 7n }, false],
    ["another when it begins at the same id and was made later", { firstId: 1n, madeAt: 9n }, false],
    ["another when its record is gone", { firstId: 1n, madeAt: undefined }, false],
  ])("is %s", (_, found, still) => {
    expect(isStill({ firstId: 1n, madeAt: 7n }, found)).toBe(still);
  });

  it("whose record was lost is the same when it has one again", () => {
    expect(isStill({ firstId: 1n, madeAt: undefined }, { firstId: 1n, madeAt: 9n })).toBe(true);
  });
});
