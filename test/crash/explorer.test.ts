import { describe, expect, it } from "vitest";
import { openMemoryEngine, openSegmentEngine } from "../../src/storage/index.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { engineRuns, type OpenEngine } from "./engine-run.js";
import { Explorer } from "./explorer.js";
import { FaultFound } from "./fault-found.js";
import { randomLife } from "./random-life.js";
import { compaction, everything, failing, fullDisk, leftAlone, lifeGoesOn, partialGroups, shortAfterlife, shortLife } from "./scripts.js";
import { seedOf, tell } from "./seed.js";

const seed = seedOf(1);
const durabilities = ["sync", "os", { everyMs: 50 }] as const;

/** A sample of what `explorer.deep.ts` goes through. */
describe("After a cut anywhere, a store", () => {
  for (const durability of durabilities) {
    it(`shows what was acked, whole groups, ids of its own and nothing refused (${JSON.stringify(durability)})`, async () => {
      const figures = await new Explorer(engineRuns(openSegmentEngine), seed).explore([
        { script: everything(durability), stride: 29, powerCuts: 1 },
        { script: lifeGoesOn(durability), stride: 83, powerCuts: 1 },
      ]);

      tell(`everything, ${JSON.stringify(durability)}`, figures);
      expect(figures.recoveries).toBeGreaterThan(50);
    });

    it(`shows the same however often its recovery is cut (${JSON.stringify(durability)})`, async () => {
      const figures = await new Explorer(engineRuns(openSegmentEngine), seed).explore([
        { script: shortLife(durability), stride: 37, powerCuts: 1 },
        { script: shortAfterlife(durability), stride: 13, powerCuts: 1 },
        { script: shortAfterlife(durability), stride: 37, powerCuts: 1 },
      ]);

      tell(`short lives, ${JSON.stringify(durability)}`, figures);
      expect(figures.recoveries).toBeGreaterThan(100);
    });
  }

  it("shows the same before, while and after its segments are compacted", async () => {
    const figures = await new Explorer(engineRuns(openSegmentEngine), seed).explore([
      { script: compaction("sync"), stride: 17, powerCuts: 2 },
      { script: lifeGoesOn("sync"), stride: 97, powerCuts: 1 },
    ]);

    tell("compaction", figures);
    expect(figures.recoveries).toBeGreaterThan(50);
  });

  it("shows the same before, while and after a segment that is mostly dead is left for another, where nobody writes", async () => {
    const figures = await new Explorer(engineRuns(openSegmentEngine), seed).explore([
      { script: leftAlone("sync"), stride: 37, powerCuts: 2 },
      { script: lifeGoesOn("sync"), stride: 97, powerCuts: 1 },
    ]);

    tell("left alone", figures);
    expect(figures.recoveries).toBeGreaterThan(50);
  });

  it("on a full disk has lost nothing that was acked, kept nothing that was refused, and goes on once there is room", async () => {
    const explorer = new Explorer(engineRuns(openSegmentEngine), seed);
    for (const room of [0, 200, 700, 2000]) await explorer.explore([{ script: fullDisk(room), stride: 23, powerCuts: 2 }]);
    await explorer.explore([{ script: partialGroups(), stride: 1, before: /^sync .*seg/, powerCuts: 10 }]);

    tell("full disks", explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(100);
  });

  it("with an operation that failed has lost nothing that was acked", async () => {
    const explorer = new Explorer(engineRuns(openSegmentEngine), seed);
    for (const op of ["write", "sync", "syncDir", "rename", "open", "unlink"] as const) {
      for (const after of [0, 5]) await explorer.explore([{ script: failing(op, after), stride: 29, powerCuts: 2 }]);
    }

    tell("failing operations", explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(100);
  });

  it("lives on through lives that nobody thought of", async () => {
    const figures = { cuts: 0, recoveries: 0, opens: 0 };
    for (let walk = 0; walk < 21; walk += 1) {
      const durability = durabilities[walk % 3] ?? "sync";
      const explorer = new Explorer(engineRuns(openSegmentEngine), seed + walk, figures);
      await explorer.walk(5, (life) => randomLife(life, durability, { failure: 0.3, fullDisk: 0.2 }));
    }

    tell("random lives", figures);
    expect(figures.cuts).toBe(105);
  });
});

describe("The explorer", () => {
  it("does the same for the same seed, operation by operation", async () => {
    const trace = async (): Promise<string[]> => {
      const operations: string[] = [];
      const openWatched: OpenEngine = (options) => {
        if (options.vfs instanceof MemoryVfs) {
          options.vfs.observe(({ number, op, path, detail }) => operations.push(`${number} ${op} ${path} ${detail}`));
        }
        return openSegmentEngine(options);
      };
      const explorer = new Explorer(engineRuns(openWatched), 7);
      await explorer.walk(4, (life) => randomLife(life, "os", { failure: 0.5, fullDisk: 0.5 }));
      return operations;
    };
    const once = await trace();

    expect(once.length).toBeGreaterThan(300);
    expect(await trace()).toEqual(once);
  });

  it("finds fault with a store that forgets, and says where", async () => {
    const explorer = new Explorer(engineRuns(openMemoryEngine), 3);
    const exploring = explorer.explore([{ script: shortLife("sync"), stride: 1, powerCuts: 1 }]);

    await expect(exploring).rejects.toThrow(FaultFound);
    await expect(exploring).rejects.toThrow(/SEED=3 > short life \(sync\).*\n[^]*channel a is missing/);
  });
});
