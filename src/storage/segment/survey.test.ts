import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import {
  bytesOf,
  dir,
  filesOf,
  flipBit,
  groupsOf,
  longChain,
  openOn,
  pathOf,
  segmentFile,
  textOfBytes,
} from "../../../test/segment/segment-store.js";
import { surveyStore, type Survey } from "./survey.js";

async function survey(disk: MemoryVfs): Promise<Survey> {
  const found = await surveyStore(disk, dir);
  if (found === undefined) throw new Error("there is no store");
  return found;
}

/** What a survey says is damaged. */
function damage(name: string, offset: number, text: string): object {
  return { code: "corrupt", details: { file: pathOf(name), offset }, message: expect.stringContaining(text) as string };
}

/** A store that was closed, with sealed segments 1 and 2 and the last one 3. */
async function closedStore(): Promise<MemoryVfs> {
  const disk = new MemoryVfs();
  const store = await openOn(disk, { segmentBytes: 4096 });
  await store.create("a");
  for (let count = 3; count > 0; count--) await store.append("a", textOfBytes(3000));
  await store.close();
  return disk;
}

describe("a survey of the chain", () => {
  it("goes from the last segment back to the checkpoint's, and takes each one's end from the header after it", async () => {
    const disk = await longChain(4);

    const { chain, checkpoint, highestSegment } = await survey(disk);

    expect(checkpoint.position).toEqual({ segment: 1, offset: 96 });
    expect(highestSegment).toBe(4);
    expect(chain.map(({ header, end }) => [header.segment, end])).toEqual([
      [1, groupsOf(disk, 1).at(-1)?.end],
      [2, groupsOf(disk, 2).at(-1)?.end],
      [3, groupsOf(disk, 3).at(-1)?.end],
      [4, undefined],
    ]);
  });

  it("finds no store in an empty directory, and one that was never written to", async () => {
    const disk = new MemoryVfs();
    await disk.makeDirectory(dir);
    expect(await surveyStore(disk, dir)).toBeUndefined();

    await openOn(disk);

    expect((await survey(disk)).chain).toEqual([]);
  });

  it("is corrupt without a checkpoint when there is a segment", async () => {
    const disk = await closedStore();
    disk.removeFile(pathOf("checkpoint"));

    await expect(survey(disk)).rejects.toMatchObject(damage("checkpoint", 0, "there is no checkpoint, but there is 0000000001.seg"));
  });

  it("is corrupt with a bad checkpoint, also when an older one would be at hand", async () => {
    const disk = await closedStore();
    disk.setFileBytes(pathOf("checkpoint.tmp"), bytesOf(disk, "checkpoint"));
    flipBit(disk, "checkpoint", 100);

    await expect(survey(disk)).rejects.toMatchObject(damage("checkpoint", 20, "checksum"));
  });

  it.each([1, 2])("is corrupt when segment %i of a chain of three is missing", async (missing) => {
    const disk = await longChain(3);
    disk.removeFile(pathOf(segmentFile(missing)));

    await expect(survey(disk)).rejects.toMatchObject(damage(segmentFile(missing), 0, "the file is missing"));
  });

  it.each([1, 2])("is corrupt when a sealed segment is missing that the checkpoint lists: %i", async (missing) => {
    const disk = await closedStore();
    disk.removeFile(pathOf(segmentFile(missing)));

    await expect(survey(disk)).rejects.toMatchObject(damage(segmentFile(missing), 0, "the checkpoint lists it as live"));
  });

  it("is corrupt when the checkpoint's own segment is missing", async () => {
    const disk = await closedStore();
    disk.removeFile(pathOf(segmentFile(3)));

    await expect(survey(disk)).rejects.toMatchObject(damage(segmentFile(3), 0, "the file is missing"));
  });

  it("is corrupt when a header on the chain is bad, wherever its bit is turned over", async () => {
    for (const offset of [0, 4, 16, 64, 75, 80, 85, 95]) {
      const disk = await longChain(3);
      flipBit(disk, segmentFile(2), offset, 3);

      await expect(survey(disk), `offset ${offset}`).rejects.toMatchObject(damage(segmentFile(2), 0, "its header is bad"));
    }
  });
});

describe("a file above the last segment", () => {
  it.each([
    ["is empty", Buffer.alloc(0)],
    ["holds zeros", Buffer.alloc(5000)],
    ["holds half a header", Buffer.from("0123456789abcdef", "hex")],
  ])("is void when it %s: ignored, and gone once the store is opened", async (_, bytes) => {
    const disk = await closedStore();
    disk.setFileBytes(pathOf(segmentFile(4)), bytes);
    disk.setFileBytes(pathOf(segmentFile(7)), bytes);

    expect(await survey(disk)).toMatchObject({ voids: [4, 7], dead: [], highestSegment: 7 });
    const store = await openOn(disk);

    expect(filesOf(disk).filter((name) => name.endsWith(".seg"))).toEqual([1, 2, 3].map(segmentFile));
    await store.append("a", "next");
    expect(filesOf(disk)).toContain(segmentFile(8));
  });

  it("is corrupt when it holds anything of the log behind a bad header", async () => {
    const disk = await longChain(3);
    flipBit(disk, segmentFile(3), 70);

    await expect(survey(disk)).rejects.toMatchObject(damage(segmentFile(3), 0, "there is data behind it, at 96"));
  });

  it("is corrupt when it is another store's", async () => {
    const [disk, other] = [await closedStore(), await closedStore()];
    disk.setFileBytes(pathOf(segmentFile(4)), bytesOf(other, segmentFile(1)));

    await expect(survey(disk)).rejects.toMatchObject(damage(segmentFile(4), 0, "the file belongs to another store"));
  });

  it("is corrupt when it is another segment of this store", async () => {
    const disk = await closedStore();
    disk.setFileBytes(pathOf(segmentFile(4)), bytesOf(disk, segmentFile(2)));

    await expect(survey(disk)).rejects.toMatchObject(damage(segmentFile(4), 0, "the file belongs to segment 2 of this store"));
  });
});

describe("a file between the checkpoint's segment and the last that is not on the chain", () => {
  /** Segments 1 and 3; the disk was full when 2 was to be made. */
  async function withGap(): Promise<MemoryVfs> {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a");
    await store.append("a", textOfBytes(3000));
    disk.failNext({ op: "open", path: /2\.seg$/, code: "ENOSPC" });
    await expect(store.append("a", textOfBytes(3000))).rejects.toMatchObject({ code: "disk-full" });
    const noRoom = disk.failNext({ op: "open", path: /checkpoint\.tmp$/, code: "ENOSPC" });
    await store.append("a", textOfBytes(3000));
    expect(noRoom.fired()).toBe(true);
    return disk.kill();
  }

  it("is void when it holds nothing", async () => {
    const disk = await withGap();
    disk.setFileBytes(pathOf(segmentFile(2)), Buffer.alloc(4096));

    const { chain, voids, dead } = await survey(disk);

    expect(chain.map(({ header }) => header.segment)).toEqual([1, 3]);
    expect({ voids, dead }).toEqual({ voids: [2], dead: [] });
  });

  it("is corrupt when it holds anything", async () => {
    const [disk, other] = [await withGap(), await closedStore()];
    disk.setFileBytes(pathOf(segmentFile(2)), bytesOf(other, segmentFile(2)));

    await expect(survey(disk)).rejects.toMatchObject(damage(segmentFile(2), 0, "the file belongs to another store"));
  });
});

describe("a file below the checkpoint's segment", () => {
  it("is dead when the checkpoint does not list it, and stays until this process has written a checkpoint", async () => {
    const disk = await closedStore();
    const old = bytesOf(disk, segmentFile(1));
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.trim("a", store.view("a").endId);
    await store.close();
    disk.setFileBytes(pathOf(segmentFile(1)), old);
    disk.setFileBytes(pathOf("0000000001.idx"), Buffer.from("index"));

    expect(await survey(disk)).toMatchObject({ dead: [1], deadIndexes: [1] });
  });
});
