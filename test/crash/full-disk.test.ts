import { beforeEach, describe, expect, it } from "vitest";
import { systemError } from "../../src/base/system-error.js";
import { isTidemarkError, openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";

const mebibyte = 1024 * 1024;

describe("A queue on a disk that fills", () => {
  let disk: MemoryVfs;
  let mq: RocksMq;
  /** Acked and not trimmed, by id. */
  let acked: Map<bigint, string>;
  let highest: bigint;
  let produced: number;

  const open = (vfs: MemoryVfs): Promise<RocksMq> => openRocksMq({ dir: "queue", vfs, segmentBytes: 64 * 1024 });

  const produce = async (): Promise<void> => {
    produced += 1;
    const text = `message ${produced} `.padEnd(1024, ".");
    const { firstId } = await mq.produce("orders", [{ payload: Buffer.from(text) }]);
    expect(firstId).toBeGreaterThan(highest);
    highest = firstId;
    acked.set(firstId, text);
  };

  /** Produces until there is no room. Returns what the disk said then. */
  const fill = async (): Promise<unknown> => {
    for (;;) {
      try {
        await produce();
      } catch (error) {
        return error;
      }
    }
  };

  const trimHalf = async (): Promise<void> => {
    const ids = [...acked.keys()];
    const middle = ids[ids.length >> 1] ?? 0n;
    await mq.trim("orders", middle);
    for (const id of ids) if (id < middle) acked.delete(id);
  };

  const found = async (queue: RocksMq): Promise<Map<bigint, string>> => {
    const messages = new Map<bigint, string>();
    for await (const batch of queue.read("orders", { from: "earliest" })) {
      for (const { id, payload } of batch) messages.set(id, Buffer.from(payload).toString());
    }
    return messages;
  };

  beforeEach(async () => {
    disk = new MemoryVfs();
    acked = new Map();
    highest = 0n;
    produced = 0;
    mq = await open(disk);
    await mq.createChannel("orders");
    await mq.createConsumerGroup("readers");
    disk.setCapacity(disk.usedBytes + mebibyte);
  });

  it("refuses with disk-full and effect none, and shows all that was acked and nothing more", async () => {
    const refusal = await fill();

    expect(isTidemarkError(refusal, "disk-full")).toBe(true);
    expect(refusal).toMatchObject({ effect: "none", retry: "backoff" });
    expect(acked.size).toBeGreaterThan(500);
    expect(await found(mq)).toEqual(acked);
  });

  it("is full and no worse where the disk can't be asked what is free", async () => {
    disk.freeBytes = () => Promise.reject(systemError("ENOSYS", "statfs"));

    expect(await fill()).toMatchObject({ code: "disk-full", effect: "none" });
    await trimHalf();
    await produce();

    expect(await found(mq)).toEqual(acked);
  });

  it("still reads, moves cursors and trims", async () => {
    await fill();

    const read = await mq.consume("readers", "orders", 100);
    await trimHalf();

    expect(read.length).toBe(100);
    expect(await found(mq)).toEqual(acked);
  });

  it("goes on without a restart once a trim has freed space, again and again", async () => {
    for (let round = 0; round < 5; round += 1) {
      await fill();
      const before = acked.size;
      await trimHalf();
      await produce();
      expect(acked.size).toBeGreaterThan(before / 4);
    }

    expect(await found(mq)).toEqual(acked);
  });

  it("goes on without a restart once somebody else has freed space", async () => {
    await fill();
    disk.setCapacity(disk.usedBytes + 2 * mebibyte);

    for (let more = 0; more < 100; more += 1) await produce();

    expect(await found(mq)).toEqual(acked);
  });

  it("opens when it is full, after a close, a kill and a power cut, and trims and goes on there", async () => {
    await fill();
    const disks = [disk.kill(), disk.crash({ policy: "nothing" }), disk.crash({ policy: "some", seed: 3 })];
    for (const left of disks) {
      const [before, ids] = [new Map(acked), highest];
      mq = await open(left);
      expect(await found(mq)).toEqual(acked);
      expect(isTidemarkError(await fill(), "disk-full")).toBe(true);
      await trimHalf();
      await produce();
      await fill();
      await mq.close();
      mq = await open(left);
      expect(await found(mq)).toEqual(acked);
      [acked, highest] = [before, ids];
    }
  });

  it("has lost nothing acked, and has kept nothing refused, when the power goes while it is full", async () => {
    await fill();
    await trimHalf();
    await fill();
    for (let seed = 1; seed <= 20; seed += 1) {
      expect(await found(await open(disk.crash({ seed })))).toEqual(acked);
    }
  });
});

describe("A queue on a disk of four mebibytes", () => {
  const names = Array.from({ length: 16 }, (_, at) => `c${at}`);
  let disk: MemoryVfs;
  let clock: ManualClock;
  let mq: RocksMq;

  beforeEach(async () => {
    disk = new MemoryVfs();
    disk.setCapacity(4 * mebibyte);
    clock = new ManualClock();
    // Segments as they are usually: the one that is written never comes to its limit here.
    mq = await openRocksMq({ dir: "queue", vfs: disk, clock });
    for (const name of names) await mq.createChannel(name);
  });

  /** Produces in turns until there is no room, or so many. How many went in. */
  const fill = async (most = Infinity): Promise<number> => {
    for (let count = 0; ; count += 1) {
      if (count === most) return count;
      try {
        await mq.produce(names[count % names.length] ?? "", [{ payload: Buffer.alloc(1000, count) }]);
      } catch (error) {
        if (isTidemarkError(error, "disk-full")) return count;
        throw error;
      }
    }
  };

  const trim = async (name: string, keep: bigint): Promise<void> => {
    const { beginId, endId } = await mq.describeChannel(name);
    if (endId - keep > beginId) await mq.trim(name, endId - keep);
  };

  it("takes messages again as soon as all is trimmed, though all of it stood in the segment that is written", async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await fill()).toBeGreaterThan(500);
      for (const name of names) await trim(name, 0n);

      expect(await fill(100)).toBe(100);
      const before = await counts();
      await afterCrash(round);
      expect(await counts()).toEqual(before);
    }
  });

  it("takes messages again once compaction had its while, where a little of it lives", async () => {
    for (let round = 0; round < 4; round += 1) {
      expect(await fill()).toBeGreaterThan(500);
      for (const name of names.slice(1)) await trim(name, 0n);
      await trim("c0", 50n);
      const before = await texts("c0");

      let taken = await fill(100);
      for (let seconds = 0; seconds < 3; seconds += 1) {
        await clock.advance(1000);
        await idle();
        taken = Math.max(taken, await fill(100));
      }

      expect(taken).toBe(100);
      expect((await texts("c0")).slice(0, before.length)).toEqual(before);
      const counted = await counts();
      await afterCrash(round);
      expect(await counts()).toEqual(counted);
    }
  });

  it("copies nothing that would take the last room and give none back", async () => {
    await fill();
    // About 840 KB stay, less than half of the one segment that is left; a part of that would fit.
    for (const name of names.slice(0, 9)) await trim(name, 0n);
    for (const name of names.slice(9)) await trim(name, 120n);
    // Room for a segment's header, and not for the reserve that messages come after.
    disk.setCapacity(disk.usedBytes + 64 * 1024);
    await fill();
    disk.setCapacity(disk.usedBytes + 700_000);
    const [used, before] = [disk.usedBytes, await texts("c15")];

    await clock.advance(10_000);
    await idle();

    expect(disk.usedBytes - used).toBeLessThan(64 * 1024);
    expect(await texts("c15")).toEqual(before);
    // With room for all of it, it goes.
    disk.setCapacity(disk.usedBytes + 3 * mebibyte);
    await clock.advance(3000);
    await idle();
    expect(disk.usedBytes).toBeLessThan(used - mebibyte);
    expect(await texts("c15")).toEqual(before);
  });

  it("says how little is free, and that the reserve comes first", async () => {
    await mq.close();
    const small = new MemoryVfs();
    small.setCapacity(mebibyte - 4096);
    mq = await openRocksMq({ dir: "queue", vfs: small, clock });

    const refusal = mq.createChannel("c");

    await expect(refusal).rejects.toMatchObject({ code: "disk-full", effect: "none" });
    await expect(refusal).rejects.toThrow(
      /^the disk under queue is full, with 104\d{4} bytes free, and messages come after the reserve of 1048576 bytes, which trims need and which does not fit/,
    );
  });

  it("opens a store that has no segment yet where nothing at all is free", async () => {
    await mq.close();
    const full = new MemoryVfs();
    full.setCapacity(mebibyte / 2);
    await (await openRocksMq({ dir: "queue", vfs: full, clock })).close();
    const left = full.kill();
    left.setCapacity(left.usedBytes);

    mq = await openRocksMq({ dir: "queue", vfs: left, clock });

    expect(await mq.channels()).toEqual([]);
    await expect(mq.createChannel("c")).rejects.toMatchObject({ code: "disk-full" });
    left.setCapacity(4 * mebibyte);
    await mq.createChannel("c");
    await mq.close();
    for (const seed of [1, 2, 3]) {
      const later = await openRocksMq({ dir: "queue", vfs: left.crash({ seed }), clock });
      expect(await later.channels()).toEqual(["c"]);
      await later.close();
    }
  });

  /** The power goes, and the queue is opened again. */
  async function afterCrash(seed: number): Promise<void> {
    disk = disk.crash({ seed });
    mq = await openRocksMq({ dir: "queue", vfs: disk, clock });
  }

  function counts(): Promise<bigint[]> {
    return Promise.all(names.map(async (name) => (await mq.describeChannel(name)).messages));
  }

  async function texts(channel: string): Promise<string[]> {
    const all: string[] = [];
    for await (const batch of mq.read(channel, { from: "earliest" }))
      for (const { payload } of batch) all.push(`${payload.length} of ${payload[0]}`);
    return all;
  }
});

/** Lets everything go on that can without time. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 300; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
