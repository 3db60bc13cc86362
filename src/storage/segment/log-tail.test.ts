import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { bytesOf, dir, filesOf, journalOf, pathOf, segmentFile } from "../../../test/segment/segment-store.js";
import { packMessage } from "./batch-body.js";
import { segmentSeed } from "./frame.js";
import { Group } from "./group.js";
import { GroupScan, type ScannedGroup } from "./group-scan.js";
import { LogTail, type TailStart } from "./log-tail.js";
import { InlineLogWriter } from "./log-writer.js";
import { origin } from "./position.js";
import { decodeSegmentHeader, type FoundHeader } from "./segment-header.js";

const storeId = 77n;
const newLog: TailStart = {
  storeId,
  term: 3n,
  end: origin,
  lastLimit: undefined,
  nextSegment: 1,
  unclean: false,
  keeps: "queue",
  segmentBytes: 64 * 2 ** 20,
};

async function tailOn(disk: MemoryVfs, over: Partial<TailStart> = {}): Promise<LogTail> {
  await disk.makeDirectory(dir);
  return new LogTail(new InlineLogWriter(disk, dir), { ...newLog, ...over }, undefined);
}

function groupOf(text: string, firstId = 1n): Group {
  const group = new Group();
  group.add(1, firstId, [packMessage({ payload: Buffer.from(text) })]);
  return group;
}

function headerOf(disk: MemoryVfs, segment: number): FoundHeader | undefined {
  return decodeSegmentHeader(bytesOf(disk, segmentFile(segment)), segment, storeId);
}

function groupsIn(disk: MemoryVfs, segment: number): ScannedGroup[] {
  const scan = new GroupScan({ buffer: bytesOf(disk, segmentFile(segment)), base: 0, segment, seed: segmentSeed(storeId, segment) });
  const groups: ScannedGroup[] = [];
  for (let group = scan.next(); group !== undefined; group = scan.next()) groups.push(group);
  return groups;
}

describe("a roll", () => {
  it("syncs the old segment, makes the new file and its name durable, and writes and syncs the header, in this order", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    await tail.roll(1);
    await tail.write(groupOf("not synced"), 1, { sync: false });
    const journal = journalOf(disk);

    await tail.roll(2);
    await tail.write(groupOf("first"), 2, { sync: false });

    expect(journal.slice(0, 5)).toEqual([
      "sync 0000000001.seg",
      "open 0000000002.seg create",
      "syncDir .",
      "write 0000000002.seg 96@0",
      "sync 0000000002.seg",
    ]);
    expect(journal.slice(5)).toEqual([expect.stringMatching(/^write 0000000002\.seg \d+@96$/)]);
  });

  it("does not sync an old segment that is durable already", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    await tail.roll(1);
    await tail.write(groupOf("synced"), 1, { sync: false });
    await tail.sync();
    const journal = journalOf(disk);

    await tail.roll(2);

    expect(journal[0]).toBe("open 0000000002.seg create");
  });

  it("records in the new header where the old segment ends, and that all of it is durable", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    await tail.roll(1);
    await tail.write(groupOf("one"), 1, { sync: false });
    const { end } = tail;

    expect(await tail.roll(2)).toEqual({ previous: end, segment: 2 });
    expect(headerOf(disk, 2)).toMatchObject({ previous: end, frame: { durableThrough: end }, term: 3n });
    expect(headerOf(disk, 1)).toMatchObject({ previous: origin });
  });

  it("tells of an unclean stop in the first header of an open only", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk, { unclean: true, end: { segment: 4, offset: 800 }, lastLimit: 2 ** 20, nextSegment: 5 });

    await tail.roll(1);
    await tail.roll(2);

    expect(headerOf(disk, 5)).toMatchObject({ unclean: true, previous: { segment: 4, offset: 800 } });
    expect(headerOf(disk, 6)).toMatchObject({ unclean: false });
  });

  it("makes segments of 1 MiB first and then up to four times larger, and none above the limit", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk, { segmentBytes: 20 * 2 ** 20 });
    for (let time = 1; time <= 5; time++) await tail.roll(time);

    expect([1, 2, 3, 4, 5].map((segment) => (headerOf(disk, segment)?.limit ?? 0) / 2 ** 20)).toEqual([1, 4, 16, 20, 20]);
  });

  it("makes none larger than an eighth of what is free, down to 1 MiB", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    const limits: number[] = [];
    for (const [time, free] of [Infinity, 400, 400, 80, 16, 4, 0, 800].entries()) {
      const { segment } = await tail.roll(time, free * 2 ** 20);
      limits.push((headerOf(disk, segment)?.limit ?? 0) / 2 ** 20);
    }

    expect(limits).toEqual([1, 4, 16, 10, 2, 1, 1, 4]);
  });

  it("is due when a group does not fit any more, and a fresh segment takes any group", async () => {
    const tail = await tailOn(new MemoryVfs(), { segmentBytes: 4096 });
    expect(tail.needsRoll(1)).toBe(true);

    await tail.roll(1);

    expect(tail.needsRoll(1_000_000)).toBe(false);
    await tail.write(groupOf("x".repeat(1000)), 1, { sync: false });
    expect(tail.needsRoll(4096 - tail.end.offset)).toBe(false);
    expect(tail.needsRoll(4097 - tail.end.offset)).toBe(true);
  });

  it("appends nothing to a segment that an earlier open made", async () => {
    const tail = await tailOn(new MemoryVfs(), { end: { segment: 1, offset: 200 }, lastLimit: 2 ** 20, nextSegment: 2 });

    expect(tail.needsRoll(1)).toBe(true);
  });
});

describe("a roll that a full disk stops", () => {
  it("goes on in the same file, and the old segment is closed for good", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    await tail.roll(1);
    await tail.write(groupOf("one"), 1, { sync: false });
    const full = disk.failNext({ op: "write", path: /2\.seg$/, code: "ENOSPC" });
    await expect(tail.roll(2)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(full.fired()).toBe(true);
    expect(tail.needsRoll(1)).toBe(true);

    await tail.roll(3);

    expect(filesOf(disk)).toEqual([segmentFile(1), segmentFile(2)]);
    expect(tail.nextSegment).toBe(3);
    expect(headerOf(disk, 2)).toMatchObject({ previous: { segment: 1 } });
  });

  it("before the file was there takes another number: none is used twice", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    disk.failNext({ op: "open", path: /1\.seg$/, code: "ENOSPC" });
    await expect(tail.roll(1)).rejects.toMatchObject({ code: "ENOSPC" });

    expect(await tail.roll(2)).toMatchObject({ segment: 2 });
  });

  it.each([
    ["the directory's sync", { op: "syncDir" }],
    ["the header's sync", { op: "sync", path: /1\.seg$/ }],
  ] as const)("is no full disk but the log's end when %s fails, whatever the system says", async (_, fault) => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    disk.failNext({ ...fault, code: "ENOSPC" });

    await expect(tail.roll(1)).rejects.toMatchObject({ name: "FatalFailure" });
  });
});

describe("a group that does not fit on the disk", () => {
  it("is cut away, and the next one is written at the same offset", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const disk = new MemoryVfs(seed);
      const tail = await tailOn(disk);
      await tail.roll(1);
      await tail.write(groupOf("one"), 1, { sync: false });
      const before = tail.end;
      const full = disk.failNext({ op: "write", code: "ENOSPC" });

      await expect(tail.write(groupOf("does not fit", 2n), 2, { sync: false })).rejects.toMatchObject({ code: "ENOSPC" });

      expect(full.fired()).toBe(true);
      expect(tail.end).toEqual(before);
      expect(bytesOf(disk, segmentFile(1)).length).toBe(before.offset);
      await tail.write(groupOf("fits", 2n), 3, { sync: false });
      expect(groupsIn(disk, 1).map(({ start }) => start)).toEqual([0, 96, before.offset]);
    }
  });

  it("is the log's end when it can't be cut away", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    await tail.roll(1);
    disk.failNext({ op: "write", code: "ENOSPC" });
    disk.failNext({ op: "truncate", code: "EIO" });

    await expect(tail.write(groupOf("one"), 1, { sync: false })).rejects.toMatchObject({ name: "FatalFailure" });
  });
});

describe("what a group says was durable", () => {
  it("is the end of what was written when the last sync began, not when it ended", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    await tail.roll(1);
    await tail.write(groupOf("one", 1n), 1, { sync: false });
    const { end } = tail;

    const sync = tail.sync();
    await tail.write(groupOf("two", 2n), 1, { sync: false });
    await sync;
    await tail.write(groupOf("three", 3n), 1, { sync: false });

    expect(tail.durable).toEqual(end);
    expect(tail.isDirty).toBe(true);
    expect(groupsIn(disk, 1).map(({ frames }) => frames[0]?.durableThrough.offset)).toEqual([0, 96, 96, end.offset]);
  });

  it("does not rise by a sync that fails", async () => {
    const disk = new MemoryVfs();
    const tail = await tailOn(disk);
    await tail.roll(1);
    await tail.write(groupOf("one"), 1, { sync: false });
    disk.failNext({ op: "sync", code: "EIO" });

    await expect(tail.sync()).rejects.toMatchObject({ name: "FatalFailure" });

    expect(tail.durable).toEqual({ segment: 1, offset: 96 });
  });
});

describe("the writer", () => {
  it("breaks an invariant when it is to write before there is a segment", async () => {
    await expect(new InlineLogWriter(new MemoryVfs(), dir).write(new Uint8Array(1), 0, false)).rejects.toThrow("before it has a segment");
  });

  it("keeps one file open, and closes it at the end", async () => {
    const disk = new MemoryVfs();
    await disk.makeDirectory(dir);
    const writer = new InlineLogWriter(disk, dir);
    await writer.open(1, "create");
    await writer.open(2, "create");
    await writer.write(Buffer.from("two"), 0, false);
    await writer.close();
    await writer.close();

    expect(disk.fileBytes(pathOf(segmentFile(1))).length).toBe(0);
    expect(bytesOf(disk, segmentFile(2)).toString()).toBe("two");
    await expect(writer.write(new Uint8Array(1), 0, false)).rejects.toThrow("before it has a segment");
  });
});
