/**
 * Scripts that nobody thought of: a seed decides what is called, how much of it at once, what fails, and when the store is opened again.
 */
import type { EngineOptions } from "../../src/storage/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import type { EngineRun, EngineScript } from "./engine-run.js";

/** What may go wrong besides the cut. */
export interface Trouble {
  /** The chance that an operation fails with EIO, a life. */
  readonly failure: number;
  /** The chance that the disk has little room, a life. */
  readonly fullDisk: number;
}

const names = ["a", "b", "c"];

/** A life of some twenty steps. */
export function randomLife(seed: number, durability: EngineOptions["durability"], trouble: Trouble): EngineScript {
  return {
    name: `random life ${seed}`,
    durability,
    segmentBytes: 1024,
    steps: async (run) => {
      const random = new SeededRandom(seed);
      if (random.chance(trouble.failure)) {
        run.fail(
          { op: random.pick(["write", "sync", "syncDir", "unlink", "rename", "open"]), after: random.below(25), code: "EIO" },
          "perhaps",
        );
      }
      if (random.chance(trouble.fullDisk)) run.leaveRoom(random.below(6000));
      for (let step = 0; step < 20; step += 1) await oneStep(run, random);
    },
  };
}

async function oneStep(run: EngineRun, random: SeededRandom): Promise<void> {
  if (run.engine.failure !== undefined || random.chance(0.06)) return run.reopen();
  if (random.chance(0.06)) return run.pass(random.pick([20, 150, 1500, 2500]));
  if (random.chance(0.04)) run.leaveRoom(1e9);
  const calls = Array.from({ length: 1 + random.below(3) }, (_, index) => oneCall(run, random, names[index] ?? "a"));
  await Promise.all(calls);
}

/** Calls made at once are for different channels: what a call may do must not hang on one that is under way. */
async function oneCall(run: EngineRun, random: SeededRandom, own: string): Promise<unknown> {
  const kind = random.below(20);
  const view = run.engine.channel(own);
  if (kind === 0) return run.put(`setting/${random.below(3)}x`, String(random.below(100)));
  if (kind <= 3) return run.moveCursor("g", own, random.below(1000));
  if (view === undefined) return run.create(own);
  if (kind === 4 && view.endId > view.beginId)
    return run.trim(own, view.beginId + 1n + BigInt(random.below(Number(view.endId - view.beginId))));
  if (kind === 5) return run.trimAll(own);
  if (kind === 6) return run.destroy(own);
  return run.produce(own, 1 + random.below(3), random.pick([24, 40, 120, 400, 900]));
}
