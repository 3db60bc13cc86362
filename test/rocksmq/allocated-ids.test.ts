import { describe, expect, it } from "vitest";
import { EngineMetaStore } from "../../src/meta/embedded/engine-meta-store.js";
import { type IdAllocator, openIdAllocator } from "../../src/meta/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { numbered, readAll } from "./stores.js";
import { openMetaEngine } from "../meta/meta-engine.js";

async function allocatorOn(vfs: MemoryVfs, clock: ManualClock): Promise<IdAllocator> {
  const engine = await openMetaEngine(vfs, clock);
  return openIdAllocator({ meta: new EngineMetaStore(engine), clock });
}

describe("a queue with ids from an allocator", () => {
  it("has ids that no channel shares, consecutive in a batch", async () => {
    const [vfs, clock] = [new MemoryVfs(), new ManualClock()];
    const mq = await openRocksMq({ dir: "/queue", vfs, clock, ids: await allocatorOn(vfs, clock) });
    await mq.createChannel("a");
    await mq.createChannel("b");

    const produced = ["a", "b", "a", "b"].map((channel, at) => mq.produce(channel, numbered(0, at + 1)));
    const results = await Promise.all(produced);

    const first = results[0]?.firstId ?? 0n;
    expect(results.map(({ firstId, lastId }) => [Number(firstId - first), Number(lastId - first)])).toEqual([
      [0, 0],
      [1, 2],
      [3, 5],
      [6, 9],
    ]);
    await mq.close();
  });

  it("never sees an id again, though the power goes and the clock goes back each time", async () => {
    const clock = new ManualClock();
    let vfs = new MemoryVfs();
    const seen: bigint[] = [];

    for (let life = 0; life < 10; life++) {
      const mq = await openRocksMq({ dir: "/queue", vfs, clock, ids: await allocatorOn(vfs, clock) });
      await mq.createChannel("c", { ifNotExists: true });
      const { firstId, lastId } = await mq.produce("c", numbered(0, 5));
      seen.push(firstId, lastId);
      expect((await readAll(mq, "c")).length).toBe(5 * (life + 1));
      vfs = vfs.crash();
      clock.setNowMs(clock.nowMs() - 86_400_000);
    }

    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => (a < b ? -1 : 1)));
  });
});
