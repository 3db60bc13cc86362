import { describe, expect, it } from "vitest";
import { Explorer } from "./explorer.js";
import { queueRuns } from "./queue-run.js";
import { queueAfterlife, queueLife, retainingLife } from "./queue-scripts.js";
import { seedOf, tell } from "./seed.js";

const seed = seedOf(1);

describe("After a cut at every operation, a queue", () => {
  for (const durability of ["sync", "os", { everyMs: 50 }] as const) {
    it(`has its channels, messages, groups and cursors as far as was acked, each whole or absent (${JSON.stringify(durability)})`, async () => {
      const explorer = new Explorer(queueRuns, seed);
      await explorer.explore([{ script: queueLife(durability), stride: 1, powerCuts: 10 }]);
      await explorer.explore([
        { script: queueLife(durability), stride: 2, powerCuts: 2 },
        { script: queueAfterlife(durability), stride: 7, powerCuts: 2 },
      ]);

      tell(`a queue, ${JSON.stringify(durability)}`, explorer.figures);
      expect(explorer.figures.recoveries).toBeGreaterThan(5_000);
    });

    it(`has let go of what was to go as far as was told, and kept the rest (${JSON.stringify(durability)})`, async () => {
      const explorer = new Explorer(queueRuns, seed);
      await explorer.explore([{ script: retainingLife(durability), stride: 1, powerCuts: 6 }]);
      await explorer.explore([
        { script: retainingLife(durability), stride: 5, powerCuts: 1 },
        { script: queueAfterlife(durability), stride: 13, powerCuts: 1 },
      ]);

      tell(`a queue with retention, ${JSON.stringify(durability)}`, explorer.figures);
      expect(explorer.figures.recoveries).toBeGreaterThan(2_000);
    });
  }
});
