import { describe, expect, it } from "vitest";
import { engineRuns } from "./engine-run.js";
import { Explorer } from "./explorer.js";
import { hosts } from "./hosts.js";
import { randomLife } from "./random-life.js";
import { everything, failing, fullDisk, partialGroups, shortAfterlife, shortLife } from "./scripts.js";
import { seedOf, tell } from "./seed.js";

const seed = seedOf(1);
const durabilities = ["sync", "os", { everyMs: 50 }] as const;

/** A log written inline without prefill is `explorer.deep.ts`. */
describe.each(hosts)("A log written $name", ({ name, open }) => {
  it("shows what was acked after a cut at every other operation, and after a cut in its recovery", async () => {
    const explorer = new Explorer(engineRuns(open), seed);
    for (const durability of durabilities) {
      await explorer.explore([{ script: everything(durability), stride: 2, powerCuts: 3 }]);
      await explorer.explore([
        { script: shortLife(durability), stride: 4, powerCuts: 2 },
        { script: shortAfterlife(durability), stride: 5, powerCuts: 2 },
      ]);
    }

    tell(name, explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(5_000);
  });

  it("has lost nothing on a full disk, with an operation that failed, and in lives that nobody thought of", async () => {
    const explorer = new Explorer(engineRuns(open), seed);
    for (const room of [0, 400, 1000, 2000]) await explorer.explore([{ script: fullDisk(room), stride: 3, powerCuts: 3 }]);
    await explorer.explore([{ script: partialGroups(), stride: 2, powerCuts: 10 }]);
    for (const op of ["write", "sync", "syncDir", "open"] as const) {
      for (let after = 0; after < 10; after += 2) await explorer.explore([{ script: failing(op, after), stride: 5, powerCuts: 2 }]);
    }
    for (let walk = 0; walk < 60; walk += 1) {
      const durability = durabilities[walk % 3] ?? "sync";
      const walker = new Explorer(engineRuns(open), seed + walk, explorer.figures);
      await walker.walk(5, (life) => randomLife(life, durability, { failure: 0.3, fullDisk: 0.2 }));
    }

    tell(`${name}, failures`, explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(2_000);
  });
});
