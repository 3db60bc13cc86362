import { expect, it } from "vitest";
import { silentLogger } from "../base/logger.js";
import { noMetrics } from "../base/metrics.js";
import { ManualClock } from "../testing/manual-clock.js";
import { MemoryVfs } from "../testing/memory-vfs.js";
import type { Draft } from "./engine.js";
import { openMemoryEngine } from "./memory/memory-engine.js";
import { WaitingChange } from "./waiting-change.js";

/** Runs a change as often as it says, in a turn of its own. */
async function turnOf(run: (draft: Draft) => void): Promise<void> {
  const parts = { vfs: new MemoryVfs(), dir: "/nowhere", clock: new ManualClock(), logger: silentLogger, metrics: noMetrics };
  const how = { ids: "internal", durability: "sync", segmentBytes: 1024 * 1024, prefill: "off" } as const;
  await using engine = await openMemoryEngine({ ...parts, ...how });
  await engine.write(run);
}

it("a change that ran again is told what its last run came to", async () => {
  const outcomes = [new Error("the first"), "the second", "the third", new Error("the fourth")];
  const next = (): string => {
    const outcome = outcomes.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome ?? "nothing";
  };
  const threwThenReturned = new WaitingChange(next, {});
  const returnedThenThrew = new WaitingChange(next, {});

  await turnOf((draft) => {
    expect([threwThenReturned.run(draft), threwThenReturned.run(draft)]).toEqual([true, false]);
    expect([returnedThenThrew.run(draft), returnedThenThrew.run(draft)]).toEqual([false, true]);
  });
  threwThenReturned.settle();
  returnedThenThrew.settle();

  await expect(threwThenReturned.promise).resolves.toBe("the second");
  await expect(returnedThenThrew.promise).rejects.toThrow("the fourth");
});
