/** A disk that is full of what somebody then lets go of: its space comes back, and messages find room again. */
import { describe, expect, it } from "vitest";
import { isTidemarkError, openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";

const mebibyte = 1024 * 1024;
const channels = Array.from({ length: 8 }, (_, at) => `c${at}`);
const payload = Buffer.alloc(20_000, 1);

/** Whether there was room. */
async function produced(mq: RocksMq, channel: string): Promise<boolean> {
  try {
    await mq.produce(channel, [{ payload }]);
    return true;
  } catch (error) {
    if (isTidemarkError(error, "disk-full")) return false;
    throw error;
  }
}

async function fill(mq: RocksMq): Promise<void> {
  for (let at = 0; await produced(mq, `c${at % channels.length}`);) at += 1;
}

async function later(clock: ManualClock): Promise<void> {
  await clock.advance(250);
  // What the clock set off has files to read and to write.
  for (let turn = 0; turn < 30; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Lets time pass until a message finds room, for ten seconds at most. */
async function untilRoom(mq: RocksMq, clock: ManualClock, channel: string): Promise<void> {
  for (let ms = 0; ms <= 10_000; ms += 250) {
    if (await produced(mq, channel)) return;
    await later(clock);
  }
  throw new Error("no room within ten seconds");
}

describe("a full disk", () => {
  it.each([
    [8, undefined],
    [8, 1],
    [8, 2],
    [32, 8],
  ] as const)("of %i MiB takes messages again once seven of eight channels are gone (segments: %s MiB)", async (size, segment) => {
    const [vfs, clock] = [new MemoryVfs(1), new ManualClock(1_700_000_000_000)];
    vfs.setCapacity(size * mebibyte);
    const how = { dir: "/d", vfs, clock, ...(segment === undefined ? {} : { segmentBytes: segment * mebibyte }) };
    const mq = await openRocksMq(how);
    for (const channel of channels) await mq.createChannel(channel);
    await fill(mq);
    const kept = (await mq.describeChannel("c7")).messages;

    for (const channel of channels.slice(0, -1)) await mq.destroyChannel(channel);
    await untilRoom(mq, clock, "c7");
    for (let ms = 0; ms < 5_000; ms += 250) await later(clock);

    let read = 0n;
    for await (const batch of mq.read("c7", { from: "earliest" })) read += BigInt(batch.length);
    expect(read).toBe(kept + 1n);
    expect(vfs.usedBytes).toBeLessThan((size * mebibyte) / 2);
    await mq.close();
  });

  it("is left with its reserve whole, whatever copies took of it", async () => {
    const [vfs, clock] = [new MemoryVfs(2), new ManualClock(1_700_000_000_000)];
    vfs.setCapacity(8 * mebibyte);
    const mq = await openRocksMq({ dir: "/d", vfs, clock });
    for (const channel of channels) await mq.createChannel(channel);
    await fill(mq);
    for (const channel of channels.slice(0, -1)) await mq.destroyChannel(channel);

    await untilRoom(mq, clock, "c7");

    expect(vfs.fileBytes("/d/reserve").length).toBe(mebibyte);
    await mq.close();
  });
});
