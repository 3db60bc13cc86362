import { describe, expect, it } from "vitest";
import { isTidemarkError } from "../../base/errors.js";
import { silentLogger } from "../../base/logger.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import type { TestStore } from "../conformance/test-store.js";
import { bytesOf, checkpointOf, dir, filesOf, openOn, pass, pathOf, textOfBytes } from "../../../test/segment/segment-store.js";
import { Reserve } from "./reserve.js";

const mebibyte = 1024 * 1024;

async function diskWithDirectory(): Promise<MemoryVfs> {
  const disk = new MemoryVfs();
  await disk.makeDirectory(dir);
  return disk;
}

/** Appends until nothing fits any more; how many fitted. */
async function fill(store: TestStore, bytes: number): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await store.append("a", textOfBytes(bytes));
    } catch (error) {
      if (isTidemarkError(error, "disk-full")) return count;
      throw error;
    }
  }
}

/** A store with `messages` of 1,000 bytes in channel "a", on a disk without room for one more. */
async function fullStore(messages: number): Promise<{ disk: MemoryVfs; store: TestStore; ids: bigint[] }> {
  const disk = new MemoryVfs();
  const store = await openOn(disk, { segmentBytes: 8192 });
  await store.create("a");
  const ids: bigint[] = [];
  for (let left = messages; left > 0; left--) ids.push((await store.append("a", textOfBytes(1000))).firstId);
  disk.setCapacity(disk.usedBytes);
  await fill(store, 1000);
  await fill(store, 1);
  return { disk, store, ids };
}

describe("the reserve", () => {
  it("is a mebibyte, or two checkpoints and 704 KiB where that is more", async () => {
    const disk = await diskWithDirectory();
    const reserve = await Reserve.find(disk, dir, silentLogger);

    await reserve.refill(1000);
    expect(bytesOf(disk, "reserve").length).toBe(mebibyte);
    await reserve.refill(mebibyte);
    expect(bytesOf(disk, "reserve").length).toBe(2 * mebibyte + 704 * 1024);
  });

  it("takes its space from the disk, and gives it back once", async () => {
    const disk = await diskWithDirectory();
    const reserve = await Reserve.find(disk, dir, silentLogger);
    await reserve.refill(0);
    expect(disk.usedBytes).toBe(mebibyte);

    expect(await reserve.giveUp()).toBe(true);
    expect(disk.usedBytes).toBe(0);
    expect(await reserve.giveUp()).toBe(false);
  });

  it("is whole or not there: half of one would be in the way of those who need it now", async () => {
    const disk = await diskWithDirectory();
    disk.setCapacity(mebibyte - 512);
    const reserve = await Reserve.find(disk, dir, silentLogger);

    await reserve.refill(0);

    expect(filesOf(disk)).toEqual([]);
    expect(await reserve.giveUp()).toBe(false);
  });

  it("that a crash left short is filled up", async () => {
    const disk = await diskWithDirectory();
    disk.setFileBytes(pathOf("reserve"), Buffer.alloc(5000));

    await (await Reserve.find(disk, dir, silentLogger)).refill(0);

    expect(bytesOf(disk, "reserve").length).toBe(mebibyte);
  });

  it("is there after an open that finds none", async () => {
    const disk = new MemoryVfs();
    await (await openOn(disk)).close();
    disk.removeFile(pathOf("reserve"));

    await openOn(disk);

    expect(bytesOf(disk, "reserve").length).toBe(mebibyte);
  });
});

describe("a full disk", () => {
  it("refuses messages and channels, and takes trims, destroys, keys and cursors out of the reserve", async () => {
    const { disk, store, ids } = await fullStore(20);
    const [, second = 0n] = ids;

    await store.put("group/a", textOfBytes(5000), { ack: "written" });

    expect(filesOf(disk)).not.toContain("reserve");
    await store.put("key", textOfBytes(5000));
    await store.trim("a", second);
    await expect(store.create("b")).rejects.toMatchObject({ code: "disk-full", effect: "none" });
    await expect(store.append("a", "text")).rejects.toMatchObject({ code: "disk-full", effect: "none" });
    await store.destroy("a");
  });

  it("keeps what the reserve gave from messages, so that there is always room for the next trim", async () => {
    const { store, ids } = await fullStore(20);

    for (const id of ids.slice(1)) {
      await store.trim("a", id);
      await fill(store, 400);
    }

    expect(store.view("a").beginId).toBe(ids.at(-1));
  });

  it("has its reserve again, and room for messages, once a trim let segments go", async () => {
    const { disk, store, ids } = await fullStore(40);
    await store.put("large", textOfBytes(3000));
    expect(filesOf(disk)).not.toContain("reserve");

    await store.trim("a", ids.at(-1) ?? 0n);

    await store.append("a", "again");
    expect(bytesOf(disk, "reserve").length).toBe(mebibyte);
  });

  it("has its reserve again, and room for messages, once somebody else made room", async () => {
    const { disk, store } = await fullStore(10);
    await store.put("large", textOfBytes(3000));

    disk.setCapacity(disk.usedBytes + 2 * mebibyte);

    await store.append("a", "again");
    expect(bytesOf(disk, "reserve").length).toBe(mebibyte);
  });

  it("keeps the rest of a reserve that was given up from messages after a crash, too", async () => {
    const { disk, store, ids } = await fullStore(10);
    await store.put("large", textOfBytes(3000));
    const later = await openOn(disk.kill(), { segmentBytes: 8192 });

    await fill(later, 400);

    await later.trim("a", ids[5] ?? 0n);
    expect(later.view("a").beginId).toBe(ids[5]);
  });

  it("does not keep a store from closing cleanly", async () => {
    const { disk, store } = await fullStore(10);

    await store.close();

    expect(checkpointOf(disk).clean).toBe(true);
    expect((await openOn(disk)).engine.recovered).toBeUndefined();
  });

  it("takes messages again once little of it lives, however large its checkpoints are", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: mebibyte });
    await store.create("a", "b");
    await store.put("makes checkpoints large", textOfBytes(700_000));
    await store.append("b", textOfBytes(100));
    // With the next segment there is a checkpoint of that size, and a reserve beside it.
    for (let at = 0; at < 60; at++) await store.append(at % 3 === 0 ? "b" : "a", textOfBytes(20_000));
    disk.setCapacity(disk.usedBytes);
    await fill(store, 20_000);

    await store.destroy("a");
    const taken: number[] = [];
    for (let round = 0; round < 40; round++) {
      await pass(store, 250);
      taken.push(
        await store.append("b", textOfBytes(10_000)).then(
          () => 1,
          () => 0,
        ),
      );
    }

    expect(taken).toContain(1);
    expect(disk.usedBytes).toBeLessThan(disk.capacity - mebibyte / 2);
  });

  it("does not spend the reserve on a checkpoint that lets nothing go", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 8192 });
    await store.create("a");
    await store.put("makes checkpoints large", textOfBytes(100_000));
    await store.append("a", textOfBytes(1000));
    disk.setCapacity(disk.usedBytes + 13_000);

    await store.append("a", textOfBytes(7000));
    await store.append("a", textOfBytes(2000));

    expect(filesOf(disk)).toContain("0000000003.seg");
    expect(bytesOf(disk, "reserve").length).toBe(mebibyte);
  });
});
