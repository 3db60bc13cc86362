import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import type { TestStore } from "../conformance/test-store.js";
import {
  bytesOf,
  checkpointOf,
  filesOf,
  groupsOf,
  indexFile,
  journalOf,
  openOn,
  pass,
  pathOf,
  segmentFile,
  textOfBytes,
} from "../../../test/segment/segment-store.js";

/** Each message fills a segment. */
async function storeOfSegments(disk: MemoryVfs, segments: number): Promise<{ store: TestStore; ids: bigint[] }> {
  const store = await openOn(disk, { segmentBytes: 4096 });
  await store.create("a", "b");
  const ids: bigint[] = [];
  for (let left = segments; left > 0; left--) ids.push((await store.append("a", textOfBytes(3000))).firstId);
  await store.engine.settled();
  return { store, ids };
}

function segmentsOf(disk: MemoryVfs): string[] {
  return filesOf(disk).filter((name) => name.endsWith(".seg"));
}

describe("a segment that nothing lives in", () => {
  it("goes only after a checkpoint that does not list it is durable under its name", async () => {
    const disk = new MemoryVfs();
    const { store, ids } = await storeOfSegments(disk, 3);
    const journal = journalOf(disk);

    await store.trim("a", ids[1] ?? 0n);
    await pass(store, 0);

    const steps = journal.map((line) => line.replace(/ \d+@\d+$/, ""));
    expect(steps).toEqual([
      "write 0000000003.seg",
      "sync 0000000003.seg",
      "unlink checkpoint.tmp",
      "open checkpoint.tmp create",
      "write checkpoint.tmp",
      "sync checkpoint.tmp",
      "rename checkpoint.tmp checkpoint",
      "syncDir .",
      "unlink 0000000001.seg",
      "unlink 0000000001.idx",
    ]);
    expect(
      checkpointOf(disk)
        .state.segments.sealed()
        .map(({ number }) => number),
    ).toEqual([2]);
  });

  it("goes when its channels are destroyed, and stays while one message of any channel is left in it", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a", "b");
    await store.append("b", "one small message");
    for (let left = 3; left > 0; left--) await store.append("a", textOfBytes(3000));

    await store.destroy("a");
    await pass(store, 0);
    expect(segmentsOf(disk)).toEqual([1, 3].map(segmentFile));
    await store.destroy("b");
    await pass(store, 0);

    expect(segmentsOf(disk)).toEqual([segmentFile(3)]);
  });

  it("is still there after a power cut at any operation between the trim and its end, or the trim is there without it", async () => {
    for (let operations = 0; operations <= 10; operations++) {
      for (const policy of ["nothing", "prefix", "suffix", "everything"] as const) {
        const disk = new MemoryVfs();
        const { store, ids } = await storeOfSegments(disk, 3);
        const halted = disk.haltAfter(operations);
        await Promise.race([halted, store.trim("a", ids[2] ?? 0n).then(() => pass(store, 0))]);

        const later = await openOn(disk.crash({ policy, seed: operations }), { segmentBytes: 4096 });

        const left = (await later.messages("a")).map(({ id }) => id);
        expect([ids, ids.slice(2)], `${operations} operations, ${policy}`).toContainEqual(left);
      }
    }
  });

  it("found dead at open goes with the first checkpoint of this process, not before", async () => {
    const disk = new MemoryVfs();
    const { store, ids } = await storeOfSegments(disk, 3);
    const old = bytesOf(disk, segmentFile(1));
    await store.trim("a", ids[1] ?? 0n);
    await store.close();
    disk.setFileBytes(pathOf(segmentFile(1)), old);
    disk.setFileBytes(pathOf(indexFile(1)), Buffer.from("left over"));
    const journal = journalOf(disk);

    await openOn(disk, { segmentBytes: 4096 });

    expect(journal.indexOf("unlink 0000000001.seg")).toBeGreaterThan(journal.lastIndexOf("syncDir ."));
    expect(journal.indexOf("unlink 0000000001.idx")).toBeGreaterThan(journal.indexOf("rename checkpoint.tmp checkpoint"));
    expect(filesOf(disk).filter((name) => name.startsWith("0000000001"))).toEqual([]);
  });

  it("whose trim a crash left unfinished goes at the next open", async () => {
    const disk = new MemoryVfs();
    const { store, ids } = await storeOfSegments(disk, 3);
    const halted = disk.haltAfter(2);
    await Promise.race([halted, store.trim("a", ids[1] ?? 0n).then(() => halted)]);
    const killed = disk.kill();
    expect(segmentsOf(killed)).toContain(segmentFile(1));

    await openOn(killed, { segmentBytes: 4096 });

    expect(segmentsOf(killed)).not.toContain(segmentFile(1));
  });

  it("stays when the disk has no room for the checkpoint, and goes once it has", async () => {
    const disk = new MemoryVfs();
    const { store, ids } = await storeOfSegments(disk, 4);
    const noRoom = [0, 1].map(() => disk.failNext({ op: "write", path: /checkpoint\.tmp$/, code: "ENOSPC" }));

    await store.trim("a", ids[1] ?? 0n);
    await pass(store, 0);
    expect(noRoom.map((fault) => fault.fired())).toEqual([true, true]);
    expect(segmentsOf(disk)).toContain(segmentFile(1));
    await store.trim("a", ids[2] ?? 0n);
    await pass(store, 0);

    expect(segmentsOf(disk)).toEqual([3, 4].map(segmentFile));
  });
});

describe("a checkpoint", () => {
  it("stands at the end of the log, all of which is durable, in every mode", async () => {
    for (const durability of ["sync", "os", { everyMs: 1000 }] as const) {
      const disk = new MemoryVfs();
      const store = await openOn(disk, { durability, segmentBytes: 4096 });
      await store.create("a");
      for (let left = 3; left > 0; left--) await store.append("a", textOfBytes(3000));
      await store.append("a", "not synced");
      const journal = journalOf(disk);

      await store.trim("a", store.view("a").endId);
      await pass(store, 0);

      const lastWrite = journal.findLastIndex((line) => /^write .*seg/.test(line));
      const sync = journal.indexOf("sync 0000000003.seg");
      expect(lastWrite).toBeLessThan(sync);
      expect(sync).toBeLessThan(journal.indexOf("open checkpoint.tmp create"));
      expect(checkpointOf(disk).position).toEqual({ segment: 3, offset: groupsOf(disk, 3).at(-1)?.end });
    }
  });

  it("is made at each roll, at the start of the new segment", async () => {
    const disk = new MemoryVfs();
    await storeOfSegments(disk, 3);

    expect(checkpointOf(disk)).toMatchObject({ position: { segment: 3, offset: 96 }, nextSegment: 4, clean: false });
  });

  it("of a clean close says so, and the first one after it does not", async () => {
    const disk = new MemoryVfs();
    const { store } = await storeOfSegments(disk, 1);
    await store.close();
    expect(checkpointOf(disk)).toMatchObject({ clean: true, position: { segment: 1 } });

    const next = await openOn(disk, { segmentBytes: 4096 });
    await next.put("key", "value");

    expect(checkpointOf(disk)).toMatchObject({ clean: false, position: { segment: 2, offset: 96 } });
  });

  it("replaces the one before it whole or not at all, wherever the power is cut", async () => {
    for (let operations = 0; operations <= 8; operations++) {
      for (let seed = 0; seed < 8; seed++) {
        const disk = new MemoryVfs(seed + 1);
        const { store } = await storeOfSegments(disk, 1);
        const halted = disk.haltAfter(operations, { torn: true });
        await Promise.race([halted, store.append("a", textOfBytes(3000)).then(() => pass(store, 0))]);

        const after = disk.crash({ seed });

        expect([1, 2]).toContain(checkpointOf(after).position.segment);
        await openOn(after, { segmentBytes: 4096 });
      }
    }
  });
});
