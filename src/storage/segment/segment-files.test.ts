import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { dir, journalOf, pathOf, segmentFile } from "../../../test/segment/segment-store.js";
import { SegmentFiles } from "./segment-files.js";

function diskWith(segments: number): MemoryVfs {
  const disk = new MemoryVfs();
  for (let segment = 1; segment <= segments; segment++) disk.setFileBytes(pathOf(segmentFile(segment)), Buffer.from(`segment ${segment}`));
  return disk;
}

async function opens(disk: MemoryVfs, use: () => Promise<unknown>): Promise<number> {
  const journal = journalOf(disk, { reads: true });
  await use();
  return journal.filter((line) => line.startsWith("open")).length;
}

describe("the open segment files", () => {
  it("are shared by all readers, and opened once", async () => {
    const disk = diskWith(1);
    const files = new SegmentFiles(disk, dir);

    const read = (): Promise<Buffer> => files.read(1, 8, 100);
    expect(await opens(disk, () => Promise.all([read(), read(), read()]))).toBe(1);
    expect((await read()).toString()).toBe("1");
  });

  it("are 32 at most: the one that was not used longest is closed", async () => {
    const disk = diskWith(40);
    const files = new SegmentFiles(disk, dir);
    for (let segment = 1; segment <= 32; segment++) await files.read(segment, 0, 9);
    await files.read(1, 0, 9);
    await files.read(33, 0, 9);

    expect(await opens(disk, () => files.read(1, 0, 9))).toBe(0);
    expect(await opens(disk, () => files.read(2, 0, 9))).toBe(1);
  });

  it("that are dropped can be read to the end by whoever has begun", async () => {
    const disk = diskWith(1);
    const files = new SegmentFiles(disk, dir);
    const reading = files.read(1, 0, 7);

    await files.drop(1);
    await disk.unlink(pathOf(segmentFile(1)));

    expect((await reading).toString()).toBe("segment");
    await expect(files.read(1, 0, 7)).rejects.toMatchObject({ code: "ENOENT" });
    expect(disk.usedBytes).toBe(0);
  });

  it("that can't be opened are tried again the next time", async () => {
    const disk = diskWith(1);
    const files = new SegmentFiles(disk, dir);
    disk.failNext({ op: "open", code: "EIO" });
    await expect(files.read(1, 0, 7)).rejects.toMatchObject({ code: "EIO" });

    expect((await files.read(1, 0, 7)).toString()).toBe("segment");
  });
});
