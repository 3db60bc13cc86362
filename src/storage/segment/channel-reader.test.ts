import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../engine.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import type { TestStore } from "../conformance/test-store.js";
import {
  bytesOf,
  checkpointOf,
  flipBit,
  groupsOf,
  indexFile,
  journalOf,
  openOn,
  pathOf,
  segmentFile,
  textOfBytes,
} from "../../../test/segment/segment-store.js";
import { segmentSeed } from "./frame.js";
import { decodeIndex, encodeIndex } from "./stored-index.js";

const roomy = { segmentBytes: 64 * 2 ** 20 };
const all = 64 * 2 ** 20;

async function openedStore(disk = new MemoryVfs(), segmentBytes = roomy.segmentBytes): Promise<TestStore> {
  const store = await openOn(disk, { segmentBytes });
  await store.create("a", "b");
  return store;
}

function textsOf(messages: readonly StoredMessage[]): string[] {
  return messages.map(({ payload }) => Buffer.from(payload).toString().replace(/x+$/, ""));
}

/** Reads of segment files, as `length@offset`. */
function readsOf(journal: readonly string[]): string[] {
  return journal.filter((line) => /^read \d+\.seg/.test(line)).map((line) => line.split(" ")[2] ?? "");
}

function lengthsOf(journal: readonly string[]): number[] {
  return readsOf(journal).map((read) => Number(read.split("@")[0]));
}

describe("a channel's reader", () => {
  it("takes about a mebibyte at a time, and hands out of it what is asked for", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk);
    for (let count = 0; count < 30; count++) await store.append("a", textOfBytes(100_000));
    const reader = store.engine.reader(store.view("a"));
    const journal = journalOf(disk, { reads: true });

    let from = store.view("a").beginId;
    for (let count = 0; count < 30; count++) from = ((await reader.read(from, 1, all))[0]?.id ?? 0n) + 1n;

    const lengths = lengthsOf(journal);
    expect(lengths.length).toBeLessThanOrEqual(4);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1024 * 1024);
    expect(await reader.read(from, 1, all)).toEqual([]);
  });

  it("steps over what other channels wrote between", async () => {
    const store = await openedStore();
    for (let count = 0; count < 50; count++) {
      await store.append("b", textOfBytes(200));
      await store.append("a", `a${count}`);
    }

    expect(await store.texts("a")).toEqual(Array.from({ length: 50 }, (_, count) => `a${count}`));
  });

  it("rather reads twice than over a large hole", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk);
    await store.append("a", "before");
    for (let count = 0; count < 10; count++) await store.append("b", textOfBytes(20_000));
    await store.append("a", "behind");
    const journal = journalOf(disk, { reads: true });

    expect(await store.texts("a")).toEqual(["before", "behind"]);

    expect(lengthsOf(journal).every((length) => length < 1000)).toBe(true);
  });

  it("that keeps up reads only what was added since", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk);
    const reader = store.engine.reader(store.view("a"));
    let from = store.view("a").beginId;
    const journal = journalOf(disk, { reads: true });
    for (let count = 0; count < 10; count++) {
      await store.append("a", `m${count}`, textOfBytes(1000));
      const read = await reader.read(from, 10, all);
      expect(textsOf(read)).toEqual([`m${count}`, ""]);
      from += 2n;
    }

    const lengths = lengthsOf(journal);
    expect(lengths).toHaveLength(10);
    expect(Math.max(...lengths)).toBeLessThan(1200);
  });

  it("goes from segment to segment, the one being written too", async () => {
    const store = await openedStore(new MemoryVfs(), 4096);
    for (let count = 0; count < 7; count++) await store.append("a", `${count}${textOfBytes(1500)}`);

    const read = await store.engine.reader(store.view("a")).read(store.view("a").beginId, 100, all);

    expect(textsOf(read)).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
  });

  it("begins at the first id that is there, where ids have gaps", async () => {
    const store = await openOn(new MemoryVfs(), { ids: "external" });
    await store.create("a");
    for (const id of [100n, 200n, 5000n]) await store.appendAt("a", id, `at ${id}`, "next");
    const reader = store.engine.reader(store.view("a"));

    for (const [from, first] of [
      [1n, 100n],
      [101n, 101n],
      [102n, 200n],
      [300n, 5000n],
      [5001n, 5001n],
    ] as const) {
      expect((await reader.read(from, 1, all))[0]?.id, `from ${from}`).toBe(first);
    }
    expect(await reader.read(5002n, 1, all)).toEqual([]);
  });

  it("goes back as well as on", async () => {
    const store = await openedStore();
    const { firstId } = await store.append("a", "0", "1", "2", "3");
    const reader = store.engine.reader(store.view("a"));

    for (const at of [3, 0, 2, 2, 1]) expect(textsOf(await reader.read(firstId + BigInt(at), 1, all))).toEqual([String(at)]);
  });

  it("gives messages that stay as they are while others are written and read", async () => {
    const store = await openedStore();
    await store.append("a", "one", "two");
    const reader = store.engine.reader(store.view("a"));
    const [one] = await reader.read(store.view("a").beginId, 1, all);

    for (let count = 0; count < 20; count++) await store.append("a", textOfBytes(5000, "y"));
    await reader.read(store.view("a").beginId, 100, all);

    expect(Buffer.from(one?.payload ?? []).toString()).toBe("one");
  });
});

describe("readers that keep much for their next call", () => {
  it("lose the oldest of it beyond 64 MiB, and read it again without a difference", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk);
    for (let count = 0; count < 9; count++) await store.append("a", `${count}${textOfBytes(110_000)}`);
    const from = store.view("a").beginId;
    const readers = Array.from({ length: 75 }, () => store.engine.reader(store.view("a")));
    for (const reader of readers) await reader.read(from, 1, all);
    const journal = journalOf(disk, { reads: true });

    const newest = await readers.at(-1)?.read(from + 1n, 8, all);
    expect(readsOf(journal)).toEqual([]);
    const oldest = await readers[0]?.read(from + 1n, 8, all);

    expect(readsOf(journal)).toHaveLength(1);
    expect(textsOf(oldest ?? [])).toEqual(textsOf(newest ?? []));
  });

  it("count what other channels wrote between, which is kept with it", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk);
    for (let count = 0; count < 40; count++) {
      await store.append("a", `${count}`);
      await store.append("b", textOfBytes(25_000));
    }
    const from = store.view("a").beginId;
    const readers = Array.from({ length: 75 }, () => store.engine.reader(store.view("a")));
    for (const reader of readers) await reader.read(from, 1, all);
    const journal = journalOf(disk, { reads: true });

    await readers[0]?.read(from + 1n, 1, all);

    expect(lengthsOf(journal).map((length) => length > 900_000)).toEqual([true]);
  });
});

describe("a reader that reads on and on", () => {
  /** 40 messages of 100 kB in four spans, the first five read by two calls, and what is read ahead by that is there. */
  async function readingOn(disk = new MemoryVfs()) {
    const store = await openedStore(disk);
    for (let count = 0; count < 40; count++) await store.append("a", `${count}${textOfBytes(100_000)}`);
    const reader = store.engine.reader(store.view("a"));
    const from = store.view("a").beginId;
    await reader.read(from, 4, all);
    const journal = journalOf(disk, { reads: true });
    await reader.read(from + 4n, 6, all);
    await settle(store);
    return { store, reader, from, journal };
  }

  /** Lets everything that is under way come to an end. */
  async function settle(store: TestStore): Promise<void> {
    for (let turns = 0; turns < 3; turns++) await store.write(() => undefined);
  }

  it("has the next span read before it asks", async () => {
    const { reader, from, journal } = await readingOn();
    const before = readsOf(journal).length;
    expect(before).toBe(1);

    const reading = reader.read(from + 10n, 6, all);
    expect(textsOf(await reading)).toEqual(["10", "11", "12", "13", "14", "15"]);

    expect(readsOf(journal)).toHaveLength(before);
  });

  it("gets every message once and in order, whatever the size of its calls", async () => {
    const { store, reader } = await readingOn();
    for (const sizes of [[1], [3, 17], [40], [9, 1, 30], [11, 11]]) {
      let from = store.view("a").beginId;
      const texts: string[] = [];
      for (let at = 0; from < store.view("a").endId; at++) {
        const read = await reader.read(from, sizes[at % sizes.length] ?? 1, all);
        texts.push(...textsOf(read));
        from = (read.at(-1)?.id ?? 0n) + 1n;
      }
      expect(texts).toEqual(Array.from({ length: 40 }, (_, at) => String(at)));
    }
  });

  it("that jumps, or has as little left as fits into its next call, has nothing read ahead", async () => {
    const { store, reader, from, journal } = await readingOn();
    const reads = readsOf(journal).length;

    expect(textsOf(await reader.read(from + 12n, 1, all))).toEqual(["12"]);
    await settle(store);
    expect(readsOf(journal)).toHaveLength(reads + 1);

    await reader.read(from + 13n, 20, all);
    await settle(store);
    const soFar = readsOf(journal).length;
    expect(textsOf(await reader.read(from + 33n, 1, all))).toEqual(["33"]);
    await settle(store);
    expect(readsOf(journal)).toHaveLength(soFar);
  });

  it("is told of damage by the call that comes to it, and finds what is whole before", async () => {
    const disk = new MemoryVfs();
    const { store, reader, from } = await readingOn(disk);
    const fault = disk.failNext({ op: "read", path: /\.seg$/, code: "EIO" });

    expect(textsOf(await reader.read(from + 10n, 6, all))).toHaveLength(6);
    await settle(store);

    expect(fault.fired()).toBe(true);
    // What failed ahead of need is tried again when it is needed.
    expect(textsOf(await reader.read(from + 16n, 8, all))).toHaveLength(8);
  });

  it("gets nothing of what was trimmed or destroyed after it was read ahead", async () => {
    const { store, reader, from } = await readingOn();
    await store.trim("a", from + 15n);

    await expect(reader.read(from + 10n, 6, all)).rejects.toMatchObject({ code: "position-trimmed" });
    expect(textsOf(await reader.read(from + 15n, 1, all))).toEqual(["15"]);

    await store.write((draft) => draft.destroyChannel("a"));
    await expect(reader.read(from + 16n, 1, all)).rejects.toMatchObject({ code: "channel-not-found" });
  });

  it("may close its store while something is read ahead", async () => {
    const { store, reader, from } = await readingOn();
    await reader.read(from + 10n, 6, all);

    await store.close();

    await expect(reader.read(from + 16n, 6, all)).rejects.toMatchObject({ code: "closed" });
  });
});

describe("a reader beside trims", () => {
  it("is told so when what it is about to read goes away under it", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk, 4096);
    const { firstId } = await store.append("a", textOfBytes(3000));
    await store.append("a", textOfBytes(3000));
    const reader = store.engine.reader(store.view("a"));

    const reading = reader.read(firstId, 1, all);
    await store.trim("a", firstId + 1n);
    const later = reader.read(firstId, 1, all);

    // The first was under way: it has it, or is told.
    await reading.catch((error: unknown) => expect(error).toMatchObject({ code: "position-trimmed" }));
    await expect(later).rejects.toMatchObject({ code: "position-trimmed", details: { firstAvailable: String(firstId + 1n) } });
    expect(await reader.read(firstId + 1n, 1, all)).toHaveLength(1);
  });

  it("goes on with a file that was unlinked while it was read", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk, 4096);
    for (let count = 0; count < 4; count++) await store.append("a", `${count}${textOfBytes(3000)}`);
    const from = store.view("a").beginId;
    const reader = store.engine.reader(store.view("a"));
    await reader.read(from, 1, 1);

    await store.trim("a", from + 2n);
    await store.engine.settled();
    await store.append("a", "4");

    expect(textsOf(await reader.read(from + 2n, 10, all))).toEqual(["2", "3", "4"]);
  });
});

describe("damage that a reader comes by", () => {
  it("is corrupt with file and offset: any byte of its frames, and of others what it steps over them by", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk, 4096);
    const { firstId } = await store.append("a", "one");
    await store.append("b", "between");
    await store.append("a", "two", textOfBytes(3000));
    await store.append("a", textOfBytes(3000, "n"));
    await store.close();
    const [, , one, between] = groupsOf(disk, 1);
    const [first, second] = [one?.start ?? 0, between?.start ?? 0];
    const length = 4;
    const version = 8;
    const places = [
      ...Array.from({ length: second - first }, (_, at) => [first + at, first] as const),
      [second + length, second] as const,
      [second + version, second] as const,
    ];

    for (const [offset, bad] of places) {
      const damaged = disk.kill();
      flipBit(damaged, segmentFile(1), offset, 3);
      // Opening does not look into sealed segments.
      const later = await openOn(damaged, { segmentBytes: 4096 });

      await expect(later.texts("a"), `offset ${offset}`).rejects.toMatchObject({
        code: "corrupt",
        details: { file: pathOf(segmentFile(1)), offset: bad },
      });
      expect(await later.texts("a", firstId + 3n)).toHaveLength(1);
    }
  });

  it("is corrupt when the file is gone, cut off or unreadable", async () => {
    const disk = new MemoryVfs();
    const store = await openedStore(disk, 4096);
    await store.append("a", textOfBytes(3000));
    await store.append("a", textOfBytes(3000));
    await store.close();

    const cut = disk.kill();
    const later = await openOn(cut, { segmentBytes: 4096 });
    cut.setFileBytes(pathOf(segmentFile(1)), cut.fileBytes(pathOf(segmentFile(1))).subarray(0, 1000));
    await expect(later.texts("a")).rejects.toMatchObject({ code: "corrupt", details: { offset: 1000 } });

    const gone = disk.kill();
    const last = await openOn(gone, { segmentBytes: 4096 });
    gone.removeFile(pathOf(segmentFile(1)));
    await expect(last.texts("a")).rejects.toMatchObject({ code: "corrupt", details: { offset: 0 } });

    const bad = disk.kill();
    const third = await openOn(bad, { segmentBytes: 4096 });
    const fault = bad.failNext({ op: "read", path: /1\.seg$/, code: "EIO" });
    await expect(third.texts("a")).rejects.toMatchObject({ code: "corrupt" });
    expect(fault.fired()).toBe(true);
  });

  it("is corrupt when an index that seems sound sends it to messages before those it wants", async () => {
    const disk = new MemoryVfs();
    const large = 4 * 2 ** 20;
    const store = await openedStore(disk, large);
    for (let count = 0; count < 110; count++) await store.append("a", textOfBytes(100_000));
    await store.close();
    const { state, storeId } = checkpointOf(disk);
    const of = (segment: number) => ({ end: state.segments.get(segment)?.end ?? 0, seed: segmentSeed(storeId, segment) });
    const later = decodeIndex(bytesOf(disk, indexFile(3)), of(3)) ?? expect.fail("the index is sound");

    disk.setFileBytes(pathOf(indexFile(2)), encodeIndex(later, of(2)));

    const damage = { code: "corrupt", details: { file: pathOf(segmentFile(2)) } };
    await expect((await openOn(disk, { segmentBytes: large })).texts("a")).rejects.toMatchObject(damage);
  });
});
