import { beforeEach, describe, expect, it } from "vitest";
import { isTidemarkError, openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { MemoryVfs } from "../../src/testing/index.js";

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
