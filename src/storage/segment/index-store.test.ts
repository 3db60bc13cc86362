import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import {
  bytesOf,
  checkpointOf,
  dir,
  filesOf,
  flipBit,
  indexFile,
  journalOf,
  openOn,
  pathOf,
  segmentFile,
  textOfBytes,
} from "../../../test/segment/segment-store.js";
import { segmentSeed } from "./frame.js";
import { IndexStore } from "./index-store.js";
import { SegmentIndex } from "./segment-index.js";
import { encodeIndex } from "./stored-index.js";

/** A closed store: two channels in two sealed segments and the last one. */
async function closedStore(): Promise<MemoryVfs> {
  const disk = new MemoryVfs();
  const store = await openOn(disk, { segmentBytes: 8192 });
  await store.create("a", "b");
  for (let count = 0; count < 9; count++) {
    await store.append("a", `a${count}`, textOfBytes(1000, "a"));
    await store.append("b", `b${count}`, textOfBytes(1000, "b"));
  }
  await store.close();
  return disk;
}

async function readAll(disk: MemoryVfs): Promise<string[][]> {
  const store = await openOn(disk.kill(), { segmentBytes: 8192 });
  const views = [store.view("a"), store.view("b")];
  const counts = await Promise.all(views.map(async (view) => String(await store.engine.countFrom(view, view.beginId + 5n))));
  return [await store.texts("a"), await store.texts("b"), counts];
}

describe("an index file", () => {
  it("stands beside every sealed segment, and none beside the last", async () => {
    expect(filesOf(await closedStore()).filter((name) => name.endsWith(".idx"))).toEqual([1, 2].map(indexFile));
  });

  it("is written once the end that it names is durable", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a");
    await store.append("a", textOfBytes(3000));
    const journal = journalOf(disk);

    await store.append("a", textOfBytes(3000));

    expect(journal.indexOf("open 0000000001.idx create")).toBeGreaterThan(journal.indexOf("sync 0000000002.seg"));
  });

  it("is a help, never the truth: missing, bad or for another end, the same is read", async () => {
    const disk = await closedStore();
    const expected = await readAll(disk);
    expect(expected[0]).toHaveLength(18);
    const file = pathOf(indexFile(1));
    const good = bytesOf(disk, indexFile(1));
    const { state, storeId } = checkpointOf(disk);
    const { end = 0 } = state.segments.get(1) ?? {};

    flipBit(disk, indexFile(1), 20);
    expect(await readAll(disk)).toEqual(expected);
    disk.setFileBytes(file, good.subarray(0, 30));
    expect(await readAll(disk)).toEqual(expected);
    disk.setFileBytes(file, Buffer.alloc(0));
    expect(await readAll(disk)).toEqual(expected);
    disk.setFileBytes(file, Buffer.from(encodeIndex(new SegmentIndex(), { end: end - 8, seed: segmentSeed(storeId, 1) })));
    expect(await readAll(disk)).toEqual(expected);
    disk.removeFile(file);
    expect(await readAll(disk)).toEqual(expected);
  });

  it("that can't be opened or read is not missed: what is stored is read all the same", async () => {
    const disk = await closedStore();
    const texts = (await readAll(disk))[0];
    for (const op of ["open", "read"] as const) {
      const left = disk.kill();
      const store = await openOn(left, { segmentBytes: 8192 });
      const fault = left.failNext({ op, code: "EIO", path: /idx$/ });

      expect(await store.texts("a")).toEqual(texts);
      expect(fault.fired()).toBe(true);
    }
  });

  it("that is gone, with a segment that can't be opened, ends in corrupt with the segment's file", async () => {
    const left = (await closedStore()).kill();
    const store = await openOn(left, { segmentBytes: 8192 });
    left.removeFile(pathOf(indexFile(1)));
    const fault = left.failNext({ op: "open", code: "EIO", path: /seg$/ });

    await expect(store.texts("a")).rejects.toMatchObject({ code: "corrupt", details: { file: pathOf(segmentFile(1)) } });
    expect(fault.fired()).toBe(true);
  });

  it("of another segment is no help either, though both end at the same place", async () => {
    const disk = new MemoryVfs();
    const roomy = { segmentBytes: 4 * 2 ** 20 };
    const store = await openOn(disk, roomy);
    await store.create("a");
    // The first is of one mebibyte; the two behind it are alike, and larger than what one read takes.
    for (let count = 0; count < 110; count++) await store.append("a", `${count} ${textOfBytes(100_000)}`);
    await store.close();
    const [second, third] = [2, 3].map((segment) => bytesOf(disk, indexFile(segment)));
    expect(second?.readUInt32LE(4)).toBe(third?.readUInt32LE(4));

    disk.setFileBytes(pathOf(indexFile(2)), third ?? Buffer.alloc(0));

    expect((await (await openOn(disk, roomy)).texts("a")).map((text) => Number(text.split(" ")[0]))).toEqual([...Array(110).keys()]);
  });

  it("is not missed when the disk has no room for it", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a");
    await store.append("a", textOfBytes(3000));
    const full = disk.failNext({ op: "write", path: /1\.idx$/, code: "ENOSPC" });

    await store.append("a", textOfBytes(3000));

    expect(full.fired()).toBe(true);
    expect(filesOf(disk)).not.toContain(indexFile(1));
    expect(await store.texts("a")).toHaveLength(2);
    expect(await (await openOn(disk.kill())).texts("a")).toHaveLength(2);
  });
});

describe("the indexes in memory", () => {
  it("are read once, however many ask at the same time", async () => {
    const disk = await closedStore();
    const { state, storeId } = checkpointOf(disk);
    const indexes = new IndexStore(disk, dir, storeId, new Map());
    const end = state.segments.get(1)?.end ?? 0;
    const journal = journalOf(disk, { reads: true });

    const [first, second] = await Promise.all([indexes.load(1, end), indexes.load(1, end)]);
    await indexes.load(1, end);

    expect(first).toBe(second);
    expect(journal.filter((line) => line.startsWith("read"))).toHaveLength(1);
  });

  it("of a damaged segment without an index file say where it is bad", async () => {
    const disk = await closedStore();
    const { state, storeId } = checkpointOf(disk);
    disk.removeFile(pathOf(indexFile(1)));
    flipBit(disk, segmentFile(1), 5000);

    const loading = new IndexStore(disk, dir, storeId, new Map()).load(1, state.segments.get(1)?.end ?? 0);

    await expect(loading).rejects.toMatchObject({ code: "corrupt", details: { file: pathOf(segmentFile(1)) } });
  });
});
