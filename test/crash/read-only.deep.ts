import { describe, expect, it } from "vitest";
import * as storage from "../../src/storage/index.js";
import { readerMutants } from "./mutants/reader-mutants.js";
import { buildRoom } from "./mutants/test-build.js";
import { findFault, interleave, noFigures } from "./read-only/interleaving.js";

const seed = Number(process.env["SEED"] ?? 1_000_000);

describe("readers beside a writer", () => {
  it.each(["any", "full disk", "forgetful", "tidy"] as const)(
    "see all that was acked and nothing else, in three hundred orders (writer: %s)",
    async (habit) => {
      const figures = noFigures();

      for (let run = 0; run < 300; run++) await interleave(storage, seed + run, figures, habit);

      console.log(`${habit}: ${JSON.stringify(figures)}`);
      expect(figures.runs).toBe(300);
    },
  );

  // A reader meets the half group that V7 needs a few times in 100,000 orders: too rare to be asked for. `mutants.deep.ts` sees the rule's other half.
  const tooRare = readerMutants.filter(({ trace }) => trace === "V7");
  for (const { trace, rule } of tooRare) console.log(`not run: readers with a broken rule that only chance shows: ${rule} (${trace})`);

  for (const { trace, rule, beside, edits } of readerMutants.filter((mutant) => !tooRare.includes(mutant))) {
    it(`are seen to err when a rule is broken: ${rule} (${trace})`, async () => {
      expect(await findFault(await buildRoom(edits), beside, 2000)).toBeDefined();
    });
  }
});
