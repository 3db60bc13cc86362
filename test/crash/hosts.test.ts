import { describe, expect, it } from "vitest";
import { engineRuns } from "./engine-run.js";
import { Explorer } from "./explorer.js";
import { hosts } from "./hosts.js";
import { everything, fullDisk, partialGroups, shortAfterlife, shortLife } from "./scripts.js";
import { seedOf, tell } from "./seed.js";

const seed = seedOf(1);

/** A sample of what `hosts.deep.ts` goes through; a log written inline without prefill is `explorer.test.ts`. */
describe.each(hosts)("A log written $name", ({ name, open }) => {
  it("shows what was acked after a cut anywhere, and after a cut in its recovery", async () => {
    const explorer = new Explorer(engineRuns(open), seed);
    await explorer.explore([{ script: everything("sync"), stride: 23, powerCuts: 2 }]);
    await explorer.explore([
      { script: shortLife("os"), stride: 17, powerCuts: 1 },
      { script: shortAfterlife("os"), stride: 29, powerCuts: 1 },
    ]);

    tell(name, explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(60);
  });

  it("has lost nothing on a full disk", async () => {
    const explorer = new Explorer(engineRuns(open), seed);
    for (const room of [200, 2000]) await explorer.explore([{ script: fullDisk(room), stride: 23, powerCuts: 2 }]);
    await explorer.explore([{ script: partialGroups(), stride: 3, before: /^sync .*seg/, powerCuts: 6 }]);

    tell(`${name}, full disks`, explorer.figures);
    expect(explorer.figures.recoveries).toBeGreaterThan(20);
  });
});
