import { describe, expect, it } from "vitest";
import { ReadBudget, type Keeper } from "./read-budget.js";

function keepers(count: number): { keepers: Keeper[]; lost: number[] } {
  const lost: number[] = [];
  return { keepers: Array.from({ length: count }, (_, at) => ({ letGo: () => void lost.push(at) })), lost };
}

/** `keeper` keeps so many bytes from now on. */
function keep(budget: ReadBudget, keeper: Keeper | undefined, bytes: number): void {
  if (keeper !== undefined) budget.keep(keeper, bytes);
}

describe("the read budget", () => {
  it("takes from the one that kept longest unused, as many as it must", () => {
    const budget = new ReadBudget(10);
    const { keepers: all, lost } = keepers(4);
    for (const at of [0, 1, 2]) keep(budget, all[at], 3);
    keep(budget, all[0], 3);

    keep(budget, all[3], 6);

    expect(lost).toEqual([1, 2]);
  });

  it("never takes from the one that came last, also when it alone is too large", () => {
    const budget = new ReadBudget(10);
    const { keepers: all, lost } = keepers(2);
    keep(budget, all[0], 5);

    keep(budget, all[1], 50);

    expect(lost).toEqual([0]);
  });

  it("counts again what somebody gave back", () => {
    const budget = new ReadBudget(10);
    const { keepers: all, lost } = keepers(2);
    keep(budget, all[0], 10);
    keep(budget, all[0], 0);

    keep(budget, all[1], 10);

    expect(lost).toEqual([]);
  });
});
