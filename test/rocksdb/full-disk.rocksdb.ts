/** A disk that is full stops the store: closing it frees all that it held, and it opens again with what was acked. */
import { readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { mountSmallDisk, whyNoSmallDisk } from "../faults/small-disk.js";

const why = whyNoSmallDisk();

it.skipIf(why !== undefined)("a store whose disk is full closes, holds nothing open, and opens again once there is room", async () => {
  const disk = mountSmallDisk("32m");
  const dir = join(disk.folder, "queue");
  const ballast = join(disk.folder, "ballast");
  try {
    writeFileSync(ballast, Buffer.alloc(16 * 1024 * 1024));
    const mq = await openRocksMq({ dir, engine: "rocksdb" });
    await mq.createChannel("c");
    const acked = await produceUntilRefused(mq);

    await mq.close();

    expect(acked.length).toBeGreaterThan(0);
    expect(openFilesIn(disk.folder)).toEqual([]);
    await expect(openRocksMq({ dir, engine: "rocksdb" })).rejects.toMatchObject({ code: "disk-full" });
    expect(openFilesIn(disk.folder)).toEqual([]);
    rmSync(ballast);
    const again = await openRocksMq({ dir, engine: "rocksdb" });
    const ids: bigint[] = [];
    for await (const messages of again.read("c", { from: "earliest" })) ids.push(...messages.map(({ id }) => id));
    await again.close();
    expect(ids).toEqual(expect.arrayContaining(acked));
    expect(openFilesIn(disk.folder)).toEqual([]);
  } finally {
    disk.remove();
  }
});

async function produceUntilRefused(mq: RocksMq): Promise<bigint[]> {
  const acked: bigint[] = [];
  for (;;) {
    try {
      acked.push((await mq.produce("c", [{ payload: Buffer.alloc(100_000, acked.length) }])).firstId);
    } catch (error) {
      expect(error).toMatchObject({ code: "disk-full" });
      return acked;
    }
  }
}

function openFilesIn(folder: string): string[] {
  return readdirSync("/proc/self/fd")
    .flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        // The one that listed the folder.
        return [];
      }
    })
    .filter((path) => path.startsWith(folder));
}
