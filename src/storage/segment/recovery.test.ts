import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import {
  bytesOf,
  checkpointOf,
  dir,
  filesOf,
  groupsOf,
  journalOf,
  longChain,
  openOn,
  pathOf,
  segmentFile,
  textOfBytes,
} from "../../../test/segment/segment-store.js";
import { recoverStore } from "./recovery.js";

/** Killed with one whole group behind W and half of another. */
async function tornStore(): Promise<MemoryVfs> {
  const disk = new MemoryVfs();
  const store = await openOn(disk);
  await store.create("a");
  await store.append("a", "one");
  await store.append("a", "two");
  const killed = disk.kill();
  killed.removeFile(pathOf("mark"));
  killed.setFileBytes(pathOf(segmentFile(1)), Buffer.concat([bytesOf(killed, segmentFile(1)), Buffer.alloc(100, 7)]));
  return killed;
}

/** All segment bytes and the checkpoint: what recovery must leave as it was. */
function logOf(disk: MemoryVfs): string[] {
  return filesOf(disk)
    .filter((name) => /seg$|^checkpoint$/.test(name))
    .map((name) => `${name} ${bytesOf(disk, name).toString("base64")}`);
}

describe("recovery", () => {
  it("syncs the directory before it reads, writes the tail again in place and syncs it before it removes anything", async () => {
    const disk = await tornStore();
    disk.setFileBytes(pathOf("checkpoint.tmp"), Buffer.from("half a checkpoint"));
    disk.setFileBytes(pathOf(segmentFile(2)), Buffer.alloc(40));
    const last = groupsOf(disk, 1).at(-1);
    const tail = `${(last?.end ?? 0) - (last?.start ?? 0)}@${last?.start}`;
    const all = journalOf(disk, { reads: true });

    await recoverStore(disk, dir);

    expect(all.filter((line) => !/^(read|open|list)/.test(line))).toEqual([
      "syncDir .",
      `write 0000000001.seg ${tail}`,
      "sync 0000000001.seg",
      "unlink checkpoint.tmp",
      "unlink 0000000002.seg",
    ]);
    expect(all[0]).toBe("syncDir .");
    const lastRead = all.findLastIndex((line) => line.startsWith("read"));
    expect(lastRead).toBeLessThan(all.findIndex((line) => line.startsWith("write")));
  });

  it("writes the whole segment again when what is known durable lies in an earlier one", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a");
    await store.append("a", textOfBytes(3000));
    const noRoom = disk.failNext({ op: "open", path: /checkpoint\.tmp$/, code: "ENOSPC" });
    const full = disk.failNext({ op: "write", path: /2\.seg$/, after: 1, code: "ENOSPC" });
    await expect(store.append("a", textOfBytes(3000))).rejects.toMatchObject({ code: "disk-full" });
    expect([noRoom.fired(), full.fired()]).toEqual([true, true]);
    const killed = disk.kill();
    killed.removeFile(pathOf("mark"));
    const journal = journalOf(killed);

    await recoverStore(killed, dir);

    expect(journal).toContain("write 0000000002.seg 96@0");
  });

  it("makes a new store with its checkpoint durable under its name before anything else", async () => {
    const disk = new MemoryVfs();
    await disk.makeDirectory(dir);
    const journal = journalOf(disk);

    await recoverStore(disk, dir);

    expect(journal.map((line) => line.replace(/ \d+@0$/, ""))).toEqual([
      "syncDir .",
      "unlink checkpoint.tmp",
      "open checkpoint.tmp create",
      "write checkpoint.tmp",
      "sync checkpoint.tmp",
      "rename checkpoint.tmp checkpoint",
      "syncDir .",
    ]);
  });

  it("writes the first checkpoint again while there is no segment: the one found may be in the cache only", async () => {
    const disk = new MemoryVfs();
    await openOn(disk);
    const killed = disk.kill();
    const { storeId } = checkpointOf(killed);
    const journal = journalOf(killed);

    await recoverStore(killed, dir);

    expect(journal.slice(-3)).toEqual(["sync checkpoint.tmp", "rename checkpoint.tmp checkpoint", "syncDir ."]);
    expect(checkpointOf(killed).storeId).toBe(storeId);
  });

  it("changes nothing of what the log says, however often it runs", async () => {
    const disk = await tornStore();
    const before = logOf(disk);

    const [first, second] = [await recoverStore(disk, dir), await recoverStore(disk, dir)];

    expect(logOf(disk)).toEqual(before);
    expect([first.end, first.droppedBytes]).toEqual([second.end, second.droppedBytes]);
    expect(first.end).toEqual({ segment: 1, offset: groupsOf(disk, 1).at(-1)?.end });
    expect(first.droppedBytes).toBe(100);
  });

  it("finds the same log after a power cut at any of its operations, any number of times", async () => {
    const start = await tornStore();
    const expected = (await recoverStore(start.kill(), dir)).end;
    for (let operations = 0; operations < 6; operations++) {
      for (const policy of ["nothing", "some", "everything"] as const) {
        let disk = (await tornStore()).kill();
        for (let round = 0; round < 3; round++) {
          const halted = disk.haltAfter(operations, { torn: true });
          await Promise.race([halted, recoverStore(disk, dir)]);
          disk = disk.crash({ policy, seed: round });
        }
        expect((await recoverStore(disk, dir)).end, `${operations} operations, ${policy}`).toEqual(expected);
      }
    }
  });

  it("makes durable what it found, also when a sync had failed before and the cache takes it for clean", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const disk = new MemoryVfs(seed);
      const store = await openOn(disk);
      await store.create("a");
      const failed = disk.failNext({ op: "sync", path: /seg$/, code: "EIO" });
      await expect(store.append("a", textOfBytes(2000))).rejects.toMatchObject({ code: "io-failed", effect: "unknown" });
      expect(failed.fired()).toBe(true);
      const next = disk.kill();
      const found = await (await openOn(next)).texts("a");

      const later = await openOn(next.crash({ policy: "nothing" }));

      expect(await later.texts("a"), `seed ${seed}`).toEqual(found);
    }
  });

  it("needs no space: a store opens, reads and trims on a disk that is full", async () => {
    const disk = await longChain(3);
    disk.setCapacity(disk.usedBytes);

    const store = await openOn(disk, { segmentBytes: 4096 });

    expect(await store.texts("a")).toHaveLength(3);
    await store.trim("a", store.view("a").endId);
    await store.append("a", "there is room again");
    expect(filesOf(disk)).not.toContain(segmentFile(1));
  });

  it("opens a store without a segment where a crash left half a reserve that fills the disk", async () => {
    const disk = new MemoryVfs();
    await (await openOn(disk)).close();
    const left = disk.kill();
    left.setFileBytes(pathOf("reserve"), Buffer.alloc(1024 * 1024 - 512));
    left.setCapacity(left.usedBytes);

    await recoverStore(left, dir);

    expect(left.usedBytes).toBeLessThan(4096);
    await expect(openOn(left)).resolves.toBeDefined();
  });

  it("makes no segment: the first write does, and its header names the end that was found and the unclean stop", async () => {
    const disk = await tornStore();
    const end = groupsOf(disk, 1).at(-1)?.end;
    const store = await openOn(disk);
    expect(filesOf(disk)).not.toContain(segmentFile(2));

    await store.append("a", "three");

    const header = groupsOf(disk, 2)[0]?.frames[0];
    expect(header?.bytes.subarray(64 + 16, 64 + 29)).toEqual(Buffer.concat([u32(1), u32(end ?? 0), u32(1024 * 64), Buffer.of(1)]));
    expect(await store.texts("a")).toEqual(["one", "two", "three"]);
  });

  it("never gives a segment a number that any file has or had", async () => {
    const disk = await tornStore();
    disk.setFileBytes(pathOf(segmentFile(41)), Buffer.alloc(0));

    expect((await recoverStore(disk, dir)).nextSegment).toBe(42);
  });

  it("says of each store what it was: new, closed, or stopped in the middle of something", async () => {
    const disk = new MemoryVfs();
    const fresh = await openOn(disk);
    expect(fresh.engine.recovered).toBeUndefined();
    await fresh.create("a");
    await fresh.close();
    expect((await openOn(disk.kill())).engine.recovered).toBeUndefined();
    expect((await openOn(await tornStore())).engine.recovered).toMatchObject({ droppedBytes: 100 });
  });
});

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
