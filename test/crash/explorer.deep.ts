import { describe, expect, it } from "vitest";
import { openSegmentEngine } from "../../src/storage/index.js";
import { engineRuns } from "./engine-run.js";
import { Explorer } from "./explorer.js";
import { randomLife } from "./random-life.js";
import {
  compaction,
  everything,
  failing,
  fullDisk,
  leftAlone,
  lifeGoesOn,
  longTail,
  partialGroups,
  shortAfterlife,
  shortLife,
} from "./scripts.js";
import { seedOf, tell } from "./seed.js";

const seed = seedOf(1);
const durabilities = ["sync", "os", { everyMs: 50 }] as const;

describe("After a cut at every operation, a store", () => {
  for (const durability of durabilities) {
    it(`shows what was acked, whole groups, ids of its own and nothing refused (${JSON.stringify(durability)})`, async () => {
      const explorer = new Explorer(engineRuns(openSegmentEngine), seed);
      await explorer.explore([{ script: everything(durability), stride: 1, powerCuts: 6 }]);
      await explorer.explore([
        { script: everything(durability), stride: 3, powerCuts: 2 },
        { script: lifeGoesOn(durability), stride: 23, powerCuts: 2 },
      ]);

      tell(`everything, ${JSON.stringify(durability)}`, explorer.figures);
      expect(explorer.figures.recoveries).toBeGreaterThan(5_000);
    });

    it(`shows the same when recovery is cut at every operation, and that one's recovery too (${JSON.stringify(durability)})`, async () => {
      const explorer = new Explorer(engineRuns(openSegmentEngine), seed);
      for (const script of [shortLife(durability), longTail()]) {
        await explorer.explore([
          { script, stride: 1, powerCuts: 2 },
          { script: shortAfterlife(script.durability), stride: 5, powerCuts: 1 },
        ]);
      }
      await explorer.explore([
        { script: shortLife(durability), stride: 7, powerCuts: 1 },
        { script: shortAfterlife(durability), stride: 7, powerCuts: 1 },
        { script: shortAfterlife(durability), stride: 23, powerCuts: 1 },
      ]);

      tell(`short lives, ${JSON.stringify(durability)}`, explorer.figures);
      expect(explorer.figures.recoveries).toBeGreaterThan(5_000);
    });
  }

  it.each(durabilities)("shows the same before, while and after its segments are compacted (%o)", async (durability) => {
    const explorer = new Explorer(engineRuns(openSegmentEngine), seed);
    await explorer.explore([{ script: compaction(durability), stride: 1, powerCuts: 8 }]);
    await explorer.explore([
      { script: compaction(durability), stride: 5, powerCuts: 1 },
      { script: compaction(durability), stride: 29, powerCuts: 1 },
    ]);

    tell(`compaction, ${JSON.stringify(durability)}`, explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(3_000);
  });

  it("shows the same before, while and after a segment that is mostly dead is left for another, where nobody writes", async () => {
    const explorer = new Explorer(engineRuns(openSegmentEngine), seed);
    for (const durability of ["sync", "os"] as const) {
      await explorer.explore([{ script: leftAlone(durability), stride: 1, powerCuts: 6 }]);
      await explorer.explore([
        { script: leftAlone(durability), stride: 7, powerCuts: 1 },
        { script: leftAlone(durability), stride: 29, powerCuts: 1 },
      ]);
    }

    tell("left alone", explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(3_000);
  });

  it("on a full disk has lost nothing that was acked, kept nothing that was refused, and goes on once there is room", async () => {
    const explorer = new Explorer(engineRuns(openSegmentEngine), seed);
    for (const room of [0, 100, 200, 400, 700, 1000, 1500, 2000, 3000]) {
      await explorer.explore([{ script: fullDisk(room), stride: 1, powerCuts: 4 }]);
    }
    await explorer.explore([{ script: partialGroups(), stride: 1, powerCuts: 40 }]);

    tell("full disks", explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(5_000);
  });

  it("with an operation that failed has lost nothing that was acked", async () => {
    const explorer = new Explorer(engineRuns(openSegmentEngine), seed);
    for (const op of ["write", "sync", "syncDir", "rename", "open", "unlink"] as const) {
      for (let after = 0; after < 8; after += 1) await explorer.explore([{ script: failing(op, after), stride: 3, powerCuts: 4 }]);
    }

    for (let other = 1; other <= 30; other += 1) {
      const header = { script: failing("sync", 0, /0000000002\.seg$/), stride: 3, powerCuts: 1 };
      await new Explorer(engineRuns(openSegmentEngine), seed + other, explorer.figures).explore([header]);
    }

    tell("failing operations", explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(5_000);
  });

  it("lives on through lives that nobody thought of", async () => {
    const figures = { cuts: 0, recoveries: 0, opens: 0 };
    for (let walk = 0; walk < 1000; walk += 1) {
      const durability = durabilities[walk % 3] ?? "sync";
      const explorer = new Explorer(engineRuns(openSegmentEngine), seed + walk, figures);
      await explorer.walk(6, (life) => randomLife(life, durability, { failure: 0.3, fullDisk: 0.2 }));
    }

    tell("random lives", figures);
    expect(figures.cuts).toBe(6_000);
  });
});
