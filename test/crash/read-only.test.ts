import { describe, expect, it } from "vitest";
import * as storage from "../../src/storage/index.js";
import { readerMutants } from "./mutants/reader-mutants.js";
import { buildRoom } from "./mutants/test-build.js";
import { findFault, interleave, noFigures } from "./read-only/interleaving.js";
import type { Habit } from "./read-only/writer.js";

const seed = Number(process.env["SEED"] ?? 1);
const runs: readonly [Habit, number][] = [
  ["any", 8],
  ["full disk", 4],
  ["forgetful", 4],
  ["tidy", 4],
];
/** Those that are seen soonest; `read-only.deep.ts` has them all, and `read-only-live.deep.ts` readers in processes of their own. */
const quick = ["V6"];

describe("readers beside a writer", () => {
  it.each(runs)("see all that was acked and nothing else, whoever's operation is next (writer: %s)", async (habit, count) => {
    const figures = noFigures();

    for (let run = 0; run < count; run++) await interleave(storage, seed + run, figures, habit);

    expect(figures).toMatchObject({ runs: count, powerCuts: count });
    expect(figures.kills).toBeGreaterThan(habit === "any" ? count / 2 : 0);
    expect(figures.looks).toBeGreaterThan(count * 5);
  });

  for (const { trace, rule, beside, edits } of readerMutants.filter((mutant) => quick.includes(mutant.trace))) {
    it(`are seen to err when a rule is broken: ${rule} (${trace})`, async () => {
      expect(await findFault(await buildRoom(edits), beside, 60)).toBeDefined();
    });
  }
});
