import { describe, expect, it } from "vitest";
import { jsonReplacer } from "../../base/json.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import type { TestStore } from "../conformance/test-store.js";
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
import { inspectSegmentStore } from "./inspect.js";
import type { InspectedBatch, StoreReport } from "./store-report.js";

/** Three segments, two channels, one of them trimmed. */
async function filledStore(disk: MemoryVfs): Promise<TestStore> {
  const store = await openOn(disk, { segmentBytes: 4096 });
  await store.create("a", "b");
  const { firstId } = await store.append("b", "b1", "b2", "b3");
  for (let count = 3; count > 0; count--) await store.append("a", textOfBytes(3000));
  await store.trim("b", firstId + 1n);
  return store;
}

async function closedStore(): Promise<MemoryVfs> {
  const disk = new MemoryVfs();
  await (await filledStore(disk)).close();
  return disk;
}

function inspect(disk: MemoryVfs, verify = true): Promise<StoreReport> {
  return inspectSegmentStore(disk, dir, { verify });
}

/** The places of a report's problems, as `file@offset`. */
function places({ problems }: StoreReport): string[] {
  return problems.map(({ file, offset }) => `${file.slice(dir.length + 1)}@${offset}`);
}

describe("inspecting a sound store", () => {
  it("tells of its channels and segments, and finds no problem", async () => {
    const disk = await closedStore();

    const report = await inspect(disk);

    expect(report).toMatchObject({ dir, term: 1n, closedCleanly: true, unfinishedBytes: 0, problems: [] });
    expect(report.channels.map(({ name, messages }) => [name, messages])).toEqual([
      ["a", 3],
      ["b", 2],
    ]);
    expect(report.segments.map(({ number, role, batches, messages }) => [number, role, batches, messages])).toEqual([
      [1, "sealed", 2, 4],
      [2, "sealed", 1, 1],
      [3, "last", 1, 1],
    ]);
    expect(report.segments.map(({ end }) => end)).toEqual([1, 2, 3].map((segment) => groupsOf(disk, segment).at(-1)?.end));
  });

  it("writes nothing, not even a file that an open would make", async () => {
    const disk = await closedStore();
    const before = [disk.operations, filesOf(disk)];

    await inspect(disk);

    expect([disk.operations, filesOf(disk)]).toEqual(before);
  });

  it("counts messages only when it reads every byte", async () => {
    const report = await inspect(await closedStore(), false);

    expect(report.segments.map(({ batches, messages }) => [batches, messages])).toEqual(Array(3).fill([undefined, undefined]));
    expect(report.channels.map(({ messages }) => messages)).toEqual([3, 2]);
  });

  it("gives a report that JSON can hold", async () => {
    const report = await inspect(await closedStore());

    const back = JSON.parse(JSON.stringify(report, jsonReplacer)) as { channels: { beginId: string }[]; term: string };

    expect(back.term).toBe("1");
    expect(back.channels[0]?.beginId).toBe(String(report.channels[0]?.beginId));
  });

  it("shows the batches of one channel, trimmed ones too while their segment is there", async () => {
    const disk = await closedStore();
    const told: InspectedBatch[] = [];

    await inspectSegmentStore(disk, dir, { verify: false, batchesOf: { channel: "b", tell: (batch) => told.push(batch) } });

    const frame = groupsOf(disk, 1)[2]?.frames[0];
    expect(told).toEqual([
      {
        segment: 1,
        offset: frame?.offset,
        bytes: frame?.bytes.length,
        firstId: frame?.baseId,
        lastId: (frame?.baseId ?? 0n) + 2n,
        timeMs: frame?.timeMs,
      },
    ]);
  });

  it("tells how far it is", async () => {
    const seen: string[] = [];

    await inspectSegmentStore(await closedStore(), dir, { verify: true, onProgress: ({ segments, of }) => seen.push(`${segments}/${of}`) });

    expect(seen).toEqual(["1/3", "2/3", "3/3"]);
  });

  it("finds no problem in what an unclean stop left: torn bytes are unfinished, a file that holds nothing is void", async () => {
    const disk = new MemoryVfs();
    await filledStore(disk);
    const killed = disk.kill();
    killed.setFileBytes(pathOf(segmentFile(3)), Buffer.concat([bytesOf(killed, segmentFile(3)), Buffer.alloc(77, 1)]));
    killed.setFileBytes(pathOf(segmentFile(4)), Buffer.alloc(10));

    const report = await inspect(killed);

    expect(report).toMatchObject({ closedCleanly: false, unfinishedBytes: 77, problems: [] });
    expect(report.segments.at(-1)).toMatchObject({ number: 4, role: "void", messages: undefined });
  });

  it("calls dead what is below the checkpoint and not listed", async () => {
    const disk = new MemoryVfs();
    const store = await filledStore(disk);
    const old = bytesOf(disk, segmentFile(1));
    for (const name of ["a", "b"]) await store.trim(name, store.view(name).endId);
    await store.close();
    disk.setFileBytes(pathOf(segmentFile(1)), old);

    const report = await inspect(disk);

    expect(report.segments.map(({ number, role }) => [number, role])).toEqual([
      [1, "dead"],
      [3, "last"],
    ]);
    expect(report.problems).toEqual([]);
  });
});

describe("inspecting a damaged store", () => {
  it("finds every bad place, in segments that an open does not read too", async () => {
    const disk = await closedStore();
    const starts = [1, 2].map((segment) => groupsOf(disk, segment).at(-1)?.start ?? 0);
    const header = groupsOf(disk, 1)[1]?.start ?? 0;
    flipBit(disk, segmentFile(1), header + 66);
    flipBit(disk, segmentFile(1), (starts[0] ?? 0) + 500);
    flipBit(disk, segmentFile(2), (starts[1] ?? 0) + 30);

    expect(places(await inspect(disk))).toEqual([
      `${segmentFile(1)}@${header}`,
      `${segmentFile(1)}@${starts[0]}`,
      `${segmentFile(2)}@${starts[1]}`,
    ]);
    expect((await inspect(disk, false)).problems).toEqual([]);
  });

  it("finds one bit turned over in any sealed byte of a closed store", async () => {
    const disk = await closedStore();
    const size = bytesOf(disk, segmentFile(2)).length;
    for (let offset = 0; offset < size; offset += 37) {
      flipBit(disk, segmentFile(2), offset, offset % 8);
      const report = await inspect(disk);
      expect(report.problems.length, `offset ${offset}`).toBeGreaterThan(0);
      expect(report.problems.every(({ file }) => file === pathOf(segmentFile(2)))).toBe(true);
      flipBit(disk, segmentFile(2), offset, offset % 8);
    }
  });

  it("names a place once, though an open would find it too", async () => {
    const disk = await closedStore();
    const { start = 0 } = groupsOf(disk, 3).at(-1) ?? {};
    flipBit(disk, segmentFile(3), start + 10);

    expect(places(await inspect(disk))).toEqual([`${segmentFile(3)}@${start}`]);
  });

  it("goes on with the segments when the checkpoint is bad or gone", async () => {
    const damages = [(disk: MemoryVfs) => flipBit(disk, "checkpoint", 50), (disk: MemoryVfs) => disk.removeFile(pathOf("checkpoint"))];
    for (const damage of damages) {
      const disk = await closedStore();
      const { start = 0 } = groupsOf(disk, 1).at(-2) ?? {};
      flipBit(disk, segmentFile(1), start + 70);
      damage(disk);

      const report = await inspect(disk);

      expect(report.segments.map(({ role }) => role)).toEqual(["unknown", "unknown", "unknown"]);
      expect(report.problems.map(({ file }) => file)).toEqual([pathOf("checkpoint"), pathOf(segmentFile(1))]);
      expect(report.term).toBeUndefined();
    }
  });

  it("finds missing, cut-off and foreign files", async () => {
    const missing = await closedStore();
    missing.removeFile(pathOf(segmentFile(1)));
    expect(places(await inspect(missing))).toEqual([`${segmentFile(1)}@0`]);

    const cut = await closedStore();
    cut.setFileBytes(pathOf(segmentFile(2)), bytesOf(cut, segmentFile(2)).subarray(0, 1000));
    expect((await inspect(cut)).problems).toMatchObject([{ what: expect.stringContaining("the file ends at offset 1000") as string }]);

    const foreign = await closedStore();
    foreign.setFileBytes(pathOf(segmentFile(4)), bytesOf(await longChain(1), segmentFile(1)));
    expect((await inspect(foreign)).problems).toMatchObject([{ what: expect.stringContaining("belongs to another store") as string }]);
  });
});

describe("a store that somebody has open", () => {
  it("is inspected beside its writer, and the same when it is closed", async () => {
    const disk = new MemoryVfs();
    const store = await filledStore(disk);

    const open = await inspect(disk);
    await store.close();
    const closed = await inspect(disk);

    expect([open.closedCleanly, closed.closedCleanly]).toEqual([false, true]);
    expect(open.problems).toEqual([]);
    expect(open.channels).toEqual(closed.channels);
  });
});

describe("what can't be inspected", () => {
  it("is a directory without a store", async () => {
    const disk = new MemoryVfs();
    await disk.makeDirectory(dir);

    await expect(inspect(disk)).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "dir" } });
  });
});
