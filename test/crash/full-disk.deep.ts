/** Power cuts at every operation by which a full disk gets out of the segment that held on to what is dead. */
import { expect, it } from "vitest";
import { isTidemarkError, openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { tell } from "./seed.js";

const mebibyte = 1024 * 1024;
const survivals = [{ policy: "everything" }, { policy: "nothing" }, { policy: "some", seed: 1 }, { policy: "some", seed: 2 }] as const;

it("A full disk that leaves the segment it writes has lost nothing live and got nothing dead back, wherever the power goes", async () => {
  const figures = { cuts: 0, opens: 0 };
  for (let cut = 0; ; cut += 1) {
    const { disk, clock, mq } = await fullOfDead();
    const { endId } = await mq.describeChannel("dead");
    const { messages } = await mq.describeChannel("live");

    const halted = disk.haltAfter(cut, { torn: cut % 2 === 0 });
    await Promise.race([halted, wayOut(mq, clock)]);
    if (!disk.halted) break;

    figures.cuts += 1;
    for (const survival of survivals) {
      const again = await openRocksMq({ dir: "queue", vfs: disk.crash(survival), clock });
      figures.opens += 1;
      let read = 0n;
      for await (const batch of again.read("live", { from: "earliest" })) read += BigInt(batch.length);
      expect(read).toBe(messages);
      expect((await again.describeChannel("dead")).beginId).toBeGreaterThanOrEqual(endId);
      await again.close();
    }
  }

  tell("cuts on the way out of a full disk", figures);
  expect(figures.cuts).toBeGreaterThan(8);
});

/** One message of eight lives. */
async function fullOfDead(): Promise<{ disk: MemoryVfs; clock: ManualClock; mq: RocksMq }> {
  const [disk, clock] = [new MemoryVfs(), new ManualClock()];
  disk.setCapacity(2 * mebibyte);
  const mq = await openRocksMq({ dir: "queue", vfs: disk, clock });
  for (const name of ["dead", "live"]) await mq.createChannel(name);
  for (let count = 0; await isTaken(mq, count % 8 === 0 ? "live" : "dead", 4000);) count += 1;
  await mq.trim("dead", (await mq.describeChannel("dead")).endId);
  return { disk, clock, mq };
}

async function isTaken(mq: RocksMq, channel: string, bytes: number): Promise<boolean> {
  try {
    await mq.produce(channel, [{ payload: new Uint8Array(bytes) }]);
    return true;
  } catch (error) {
    if (isTidemarkError(error, "disk-full")) return false;
    throw error;
  }
}

/** Messages until they are taken, compaction's while, and some more. Never settles on a disk that halted. */
async function wayOut(mq: RocksMq, clock: ManualClock): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await isTaken(mq, "dead", 10);
    await clock.advance(1500);
    for (let left = 30; left > 0; left -= 1) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
