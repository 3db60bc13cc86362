import { describe, expect, it } from "vitest";
import { Explorer } from "./explorer.js";
import { queueRuns } from "./queue-run.js";
import { queueAfterlife, queueLife, retainingLife } from "./queue-scripts.js";
import { seedOf, tell } from "./seed.js";

const seed = seedOf(1);

/** A sample of what `queue.deep.ts` goes through. */
describe("After a cut anywhere, a queue", () => {
  for (const durability of ["sync", "os"] as const) {
    it(`has its channels, messages, groups and cursors as far as was acked, each whole or absent (${durability})`, async () => {
      const explorer = new Explorer(queueRuns, seed);
      await explorer.explore([{ script: queueLife(durability), stride: 7, powerCuts: 2 }]);
      await explorer.explore([
        { script: queueLife(durability), stride: 37, powerCuts: 1 },
        { script: queueAfterlife(durability), stride: 17, powerCuts: 1 },
      ]);

      tell(`a queue, ${durability}`, explorer.figures);
      expect(explorer.figures.recoveries).toBeGreaterThan(120);
    });
  }

  it("has let go of what was to go as far as was told, and kept the rest", async () => {
    const explorer = new Explorer(queueRuns, seed);
    await explorer.explore([{ script: retainingLife("sync"), stride: 9, powerCuts: 2 }]);

    tell("a queue with retention", explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(50);
  });
});
