/** A disk that is full of what somebody then lets go of: its space comes back, and messages find room again. */
import { describe, expect, it } from "vitest";
import { isTidemarkError, openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";

const mebibyte = 1024 * 1024;
const channels = Array.from({ length: 8 }, (_, at) => `c${at}`);
const small = Buffer.alloc(20_000, 1);
const large = Buffer.alloc(100_000, 2);

/** Whether there was room. */
async function produced(mq: RocksMq, channel: string, payload = small): Promise<boolean> {
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

async function fillWith(mq: RocksMq, channel: (at: number) => string): Promise<void> {
  for (let at = 0; await produced(mq, channel(at), large);) at += 1;
}

/** What a message is refused with. */
async function refusal(mq: RocksMq): Promise<string> {
  for (;;) {
    try {
      await mq.produce("c2", [{ payload: small }]);
    } catch (error) {
      if (isTidemarkError(error, "disk-full")) return error.message;
      throw error;
    }
  }
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

  it.each([
    ["twelfth", "together"],
    ["twentieth", "among the others"],
  ] as const)("takes messages again, and has its space back, once all but a %s is gone that stands %s", async (_part, where) => {
    const [vfs, clock] = [new MemoryVfs(3), new ManualClock(1_700_000_000_000)];
    vfs.setCapacity(24 * mebibyte);
    const mq = await openRocksMq({ dir: "/d", vfs, clock, prefill: "off" });
    for (const channel of channels) await mq.createChannel(channel);
    await fillWith(mq, () => "c0");
    await mq.trim("c0", (await mq.describeChannel("c0")).endId);
    if (where === "together") for (let at = 0; at < 20; at += 1) await mq.produce("c1", [{ payload: large }]);
    await fillWith(mq, (at) => (where === "together" || at % 20 > 0 ? "c0" : "c1"));

    await mq.destroyChannel("c0");
    await untilRoom(mq, clock, "c2");

    for (let ms = 0; ms < 5_000; ms += 250) await later(clock);
    const live = Number((await mq.describeChannel("c1")).bytes);
    expect(live).toBeGreaterThan(mebibyte / 2);
    // The reserve, and the segment that is written.
    expect(vfs.usedBytes).toBeLessThan(2 * live + 2 * mebibyte);
    await mq.close();
  });

  it("says how much more it needs for what is dead to come back, and takes messages again by itself once there is as much", async () => {
    const [vfs, clock] = [new MemoryVfs(4), new ManualClock(1_700_000_000_000)];
    let mq = await openRocksMq({ dir: "/d", vfs, clock });
    for (const channel of channels) await mq.createChannel(channel);
    // With room for large segments each of them has more that lives than the reserve holds; then somebody else fills the disk.
    for (let at = 0; at < 200; at += 1) await mq.produce(at > 10 && at % 3 === 0 ? "c1" : "c0", [{ payload: large }]);
    await mq.destroyChannel("c0");
    await later(clock);
    vfs.setCapacity(vfs.usedBytes);

    const refused = await refusal(mq);
    const needed = Number(/dead, the \d+ bytes in segment \d+ come back by themselves once (\d+) bytes more are free/.exec(refused)?.[1]);

    expect(needed).toBeGreaterThan(100_000);
    // A page less than that, and it stays as it is, reopened too.
    const full = vfs.capacity;
    vfs.setCapacity(full + needed - 4096);
    for (let ms = 0; ms < 10_000; ms += 250) await later(clock);
    await mq.close();
    mq = await openRocksMq({ dir: "/d", vfs, clock });
    for (let ms = 0; ms < 10_000; ms += 250) await later(clock);
    expect(vfs.usedBytes).toBeGreaterThan(full - 4096);
    vfs.setCapacity(full + needed);
    await untilRoom(mq, clock, "c2");
    expect(vfs.usedBytes).toBeLessThan(full - 2 * mebibyte);
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
