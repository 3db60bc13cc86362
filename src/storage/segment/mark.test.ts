import { describe, expect, it } from "vitest";
import type { Logger } from "../../base/logger.js";
import { silentLogger } from "../../base/logger.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { bytesOf, dir, filesOf, flipBit } from "../../../test/segment/segment-store.js";
import { Mark, readMark } from "./mark.js";

const storeId = 3n;

async function markOn(
  disk: MemoryVfs,
  clock = new ManualClock(),
  logger: Logger = silentLogger,
): Promise<{ mark: Mark; clock: ManualClock }> {
  await disk.makeDirectory(dir);
  return { mark: new Mark({ vfs: disk, dir, storeId, clock, logger }), clock };
}

/** Writes of the mark so far. */
function countWrites(disk: MemoryVfs): { readonly count: number; readonly synced: number } {
  const seen = { count: 0, synced: 0 };
  disk.observe(({ op }) => {
    if (op === "write") seen.count++;
    if (op === "sync") seen.synced++;
  });
  return seen;
}

/** What is under way in the background comes to an end. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe("the mark", () => {
  it("says what was noted last, to its own store", async () => {
    const disk = new MemoryVfs();
    const { mark } = await markOn(disk);

    mark.note({ segment: 4, offset: 4096 });
    await settle();

    expect(await readMark(disk, dir, storeId)).toEqual({ segment: 4, offset: 4096 });
    expect(await readMark(disk, dir, storeId + 1n)).toBeUndefined();
  });

  it("is twelve bytes: a crc, the segment, the offset", async () => {
    const disk = new MemoryVfs();
    const { mark } = await markOn(disk);
    mark.note({ segment: 4, offset: 4096 });
    await settle();

    const bytes = bytesOf(disk, "mark");

    expect(bytes.length).toBe(12);
    expect([bytes.readUInt32LE(4), bytes.readUInt32LE(8)]).toEqual([4, 4096]);
  });

  it("says nothing when any bit of it is turned over", async () => {
    const disk = new MemoryVfs();
    const { mark } = await markOn(disk);
    mark.note({ segment: 4, offset: 4096 });
    await settle();

    for (let bit = 0; bit < 96; bit++) {
      flipBit(disk, "mark", bit >> 3, bit & 7);
      expect(await readMark(disk, dir, storeId), `bit ${bit}`).toBeUndefined();
      flipBit(disk, "mark", bit >> 3, bit & 7);
    }
  });

  it("is written at most once in 100 ms, and the last position lands when nothing more comes", async () => {
    const disk = new MemoryVfs();
    const { mark, clock } = await markOn(disk);
    const seen = countWrites(disk);
    for (let ms = 0; ms < 1000; ms += 5) {
      mark.note({ segment: 1, offset: ms + 1 });
      await clock.advance(5);
    }

    await settle();
    expect(seen.count).toBeLessThanOrEqual(11);
    expect(seen.count).toBeGreaterThanOrEqual(9);
    await clock.advance(100);
    await settle();

    expect(await readMark(disk, dir, storeId)).toEqual({ segment: 1, offset: 996 });
  });

  it("is never synced: it can't be ahead of the log then", async () => {
    const disk = new MemoryVfs();
    const { mark, clock } = await markOn(disk);
    const seen = countWrites(disk);

    mark.note({ segment: 1, offset: 8 });
    await clock.advance(200);
    await settle();

    expect(seen).toEqual({ count: 1, synced: 0 });
  });

  it("that can't be written is none: the log goes on", async () => {
    const disk = new MemoryVfs();
    const lines: string[] = [];
    const { mark, clock } = await markOn(disk, new ManualClock(), { ...silentLogger, debug: (_, text) => lines.push(text) });
    const failed = disk.failNext({ op: "write", path: /mark$/, code: "EIO" });

    mark.note({ segment: 1, offset: 8 });
    await settle();
    expect(failed.fired()).toBe(true);
    expect(lines).toEqual(["the mark could not be written"]);
    mark.note({ segment: 1, offset: 16 });
    await clock.advance(100);
    await settle();

    expect(await readMark(disk, dir, storeId)).toEqual({ segment: 1, offset: 16 });
  });

  it("writes nothing more once it is closed", async () => {
    const disk = new MemoryVfs();
    const { mark, clock } = await markOn(disk);
    mark.note({ segment: 1, offset: 8 });
    await settle();
    mark.note({ segment: 1, offset: 16 });

    await mark.close();
    await clock.advance(1000);
    await settle();

    expect(await readMark(disk, dir, storeId)).toEqual({ segment: 1, offset: 8 });
    expect(filesOf(disk)).toEqual(["mark"]);
  });
});
