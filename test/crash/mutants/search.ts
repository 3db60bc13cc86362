/**
 * Looks for a fault in a build of the engine: the same scripts, cuts and damages as the tests of the real one, until the first fault.
 */
import { flipBits } from "../damage.js";
import { makeSpecimen } from "../damaged-store.js";
import { engineRuns, type EngineRun, type OpenEngine } from "../engine-run.js";
import { Explorer, type Level } from "../explorer.js";
import { FaultFound } from "../fault-found.js";

import { compaction, everything, failing, fullDisk, longTail, partialGroups, shortAfterlife, shortLife } from "../scripts.js";
import type { Mutant } from "./mutants.js";

const searches: Record<Mutant["seenBy"], (openEngine: OpenEngine) => Promise<void>> = {
  cuts: async (openEngine) => {
    for (const script of [shortLife("sync"), shortLife("os"), longTail(), everything("sync"), everything("os")]) {
      await cut(openEngine, [{ script, stride: 1, powerCuts: 6 }]);
    }
  },
  "second lives": async (openEngine) => {
    for (const script of [shortLife("os"), shortLife("sync"), everything("os")]) {
      await cut(openEngine, [
        { script, stride: 1, powerCuts: 3 },
        { script: shortAfterlife(script.durability), stride: Infinity, powerCuts: 0 },
      ]);
    }
  },
  "cuts of second lives": async (openEngine) => {
    for (const script of [longTail(), shortLife("os"), shortLife("sync")]) {
      await cut(openEngine, [
        { script, stride: 3, powerCuts: 3, policy: "some" },
        { script: shortAfterlife(script.durability), stride: 2, powerCuts: 3 },
      ]);
    }
  },
  names: async (openEngine) => {
    await cut(openEngine, [
      { script: shortLife("sync"), stride: 1, before: /^syncDir/, powerCuts: 2 },
      { script: shortAfterlife("sync"), stride: 1, before: /^syncDir/, powerCuts: 10 },
    ]);
  },
  "failed syncs": async (openEngine) => {
    // Of the second segment's header; whether a page is let go between two reads is the disk's whim.
    for (let seed = 1; seed < 30; seed += 1) {
      await cut(openEngine, [{ script: failing("sync", 0, /0000000002\.seg$/), stride: 1, before: /^rename/, powerCuts: 0 }], seed);
    }
    for (let after = 0; after < 12; after += 1) await cut(openEngine, [{ script: failing("sync", after), stride: 1, powerCuts: 6 }]);
  },
  "full disks": async (openEngine) => {
    for (const room of [200, 0, 700]) await cut(openEngine, [{ script: fullDisk(room), stride: 5, powerCuts: 2 }]);
  },
  "partial groups": async (openEngine) => {
    for (let seed = 1; seed < 12; seed += 1) {
      await cut(openEngine, [{ script: partialGroups(), stride: 1, before: /^sync .*seg/, powerCuts: 120, policy: "some" }], seed);
    }
  },
  copies: async (openEngine) => {
    for (const durability of ["sync", "os"] as const) await cut(openEngine, [{ script: compaction(durability), stride: 2, powerCuts: 3 }]);
  },
  damage: async (openEngine) => {
    for (const end of ["closed", "killed"] as const) await flipBits(await makeSpecimen(end, openEngine), 29);
  },
};

/** The first fault that is found; undefined when the build seems sound. */
export async function findFault(openEngine: OpenEngine, seenBy: Mutant["seenBy"]): Promise<string | undefined> {
  try {
    await searches[seenBy](openEngine);
    return undefined;
  } catch (error) {
    // A fault found, or a build so broken that it can't even run the script.
    if (error instanceof FaultFound) return error.message;
    throw error;
  }
}

async function cut(openEngine: OpenEngine, levels: readonly Level<EngineRun>[], seed = 1): Promise<void> {
  await new Explorer(engineRuns(openEngine), seed).explore(levels);
}
