import { describe, expect, it } from "vitest";
import { openSegmentEngine, type Engine } from "../../src/storage/index.js";
import { MemoryVfs, type Fault } from "../../src/testing/index.js";
import { openOn } from "./damaged-store.js";
import { readEngine } from "./engine-state.js";
import { describeState, payloadOf, tagOf } from "./store-state.js";

const faults: readonly Fault[] = [
  { op: "write", code: "EIO", path: /\.seg$/ },
  { op: "sync", code: "EIO", path: /\.seg$/ },
  { op: "sync", code: "ENOSPC", path: /\.seg$/ },
  { op: "sync", code: "EIO", path: /0000000002\.seg$/ },
  { op: "sync", code: "EIO", path: /checkpoint/ },
  { op: "syncDir", code: "EIO" },
  { op: "syncDir", code: "ENOSPC", after: 1 },
  { op: "rename", code: "EIO" },
  { op: "open", code: "EIO", path: /\.seg$/ },
];

/** Appends until one fails. Returns how many were acked, and what the last one met. */
async function appendUntilFailure(engine: Engine): Promise<{ acked: number; error: unknown }> {
  for (let acked = 0; ; acked += 1) {
    try {
      await engine.write((draft) => draft.append("a", [{ payload: payloadOf(tagOf("a", acked, 200)) }]));
    } catch (error) {
      return { acked, error };
    }
  }
}

describe("After an operation of the log has failed", () => {
  for (const fault of faults) {
    const name = `${fault.op} of ${fault.path?.source ?? "the directory"}, ${fault.code}${fault.after === undefined ? "" : ", the second one"}`;
    it(`it acks nothing more until it is opened again, shows what was acked, and has it then (${name})`, async () => {
      for (let seed = 1; seed <= 12; seed += 1) {
        const disk = new MemoryVfs(seed);
        const engine = await openOn(disk, openSegmentEngine);
        await engine.write((draft) => void draft.createChannel("a"));
        const planned = disk.failNext(fault);

        const { acked, error } = await appendUntilFailure(engine);
        const shown = await readEngine(engine);
        const next = engine.write((draft) => draft.append("a", [{ payload: payloadOf(tagOf("a", 99, 50)) }]));

        expect(planned.fired()).toBe(true);
        expect(error).toMatchObject({ code: "io-failed", effect: "unknown" });
        await expect(next).rejects.toMatchObject({ code: "io-failed", effect: "none" });
        expect(shown.channels.get("a")?.messages.length).toBe(acked);
        await engine.close();
        // In this process or another one, or after a power cut.
        for (const left of [disk.kill(), disk.crash({ seed })]) await expectNothingLost(left, acked);
      }
    });
  }
});

/** What was acked is there; the one in flight may be; it works again. */
async function expectNothingLost(disk: MemoryVfs, acked: number): Promise<void> {
  const engine = await openOn(disk, openSegmentEngine);
  const tags = (await readEngine(engine)).channels.get("a")?.messages.map(({ tag }) => tag) ?? [];
  expect([acked, acked + 1]).toContain(tags.length);
  expect(tags).toEqual(tags.map((_, n) => tagOf("a", n, 200)));
  await engine.write((draft) => draft.append("a", [{ payload: payloadOf(tagOf("a", 100, 50)) }]));
  const state = describeState(await readEngine(engine));
  // Not only in the cache: what a failed sync has left there must have been written again.
  expect(describeState(await readEngine(await openOn(disk.crash({ policy: "nothing" }), openSegmentEngine)))).toBe(state);
}
