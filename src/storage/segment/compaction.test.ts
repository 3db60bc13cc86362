import { describe, expect, it } from "vitest";
import { type Logger, silentLogger } from "../../base/logger.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import type { TestStore } from "../conformance/test-store.js";
import type { EngineEvent } from "../engine.js";
import { quietMs } from "./compactor.js";
import {
  checkpointOf,
  filesOf,
  flipBit,
  groupsOf,
  indexFile,
  journalOf,
  openOn,
  pass,
  pathOf,
  segmentFile,
  textOfBytes,
} from "../../../test/segment/segment-store.js";

const channels = Array.from({ length: 16 }, (_, at) => `c${at}`);

/** Sixteen channels whose batches stand between each other in segments of 64 KiB, and a small message all alone. */
async function interleaved(disk: MemoryVfs, rounds = 24, logger: Logger = silentLogger): Promise<TestStore> {
  const store = await openOn(disk, { logger });
  await store.create("lonely", ...channels);
  await store.append("lonely", textOfBytes(20));
  for (let round = 0; round < rounds; round++) {
    await Promise.all(channels.map((name) => store.append(name, `${name} ${round} ${textOfBytes(1000)}`)));
  }
  return store;
}

/** Lets compaction come to its end. */
async function compacted(store: TestStore): Promise<void> {
  for (let round = 0; round < 40; round++) await pass(store, quietMs / 8);
}

/** Bytes of the segment files but the one that is written to. */
function sealedBytes(disk: MemoryVfs): number {
  const names = filesOf(disk).filter((name) => name.endsWith(".seg"));
  return names.slice(0, -1).reduce((sum, name) => sum + disk.fileBytes(`/store/${name}`).length, 0);
}

function liveBytes(store: TestStore): number {
  return [...store.engine.channels()].reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Everything that readers see, with ids and times. */
async function contents(store: TestStore): Promise<unknown> {
  const all: unknown[] = [];
  for (const name of store.names()) {
    const view = store.view(name);
    const messages = await store.messages(name);
    const counted = await store.engine.countFrom(view, view.beginId);
    const shown = messages.map(({ id, timeMs, payload }) => [id, timeMs, Buffer.from(payload).toString()]);
    const found = await store.engine.idAt(view, messages.at(-1)?.timeMs ?? 0);
    all.push([name, view.beginId, view.endId, counted, found, shown]);
  }
  return all;
}

async function destroyMost(store: TestStore): Promise<void> {
  for (const name of channels.slice(1)) await store.destroy(name);
}

describe("compaction", () => {
  it("gives back what fifteen of sixteen interleaved channels held, ids unchanged", async () => {
    const disk = new MemoryVfs();
    const store = await interleaved(disk);
    const told: EngineEvent[] = [];
    await destroyMost(store);
    store.engine.listen((event) => told.push(event));
    const before = { contents: await contents(store), bytes: sealedBytes(disk), live: liveBytes(store) };
    expect(before.bytes).toBeGreaterThan(5 * before.live);

    await compacted(store);

    expect(sealedBytes(disk)).toBeLessThanOrEqual(2 * before.live);
    expect(await contents(store)).toEqual(before.contents);
    expect(liveBytes(store)).toBe(before.live);
    const freed = told.flatMap((event) => (event.type === "compacted" ? [event] : []));
    expect(freed.reduce((sum, { segments }) => sum + segments, 0)).toBeGreaterThan(4);
    expect(freed.reduce((sum, { bytesFreed }) => sum + bytesFreed, 0)).toBeGreaterThan(before.bytes / 2);
    expect(told.some(({ type }) => type === "appended")).toBe(false);
  });

  it("that a full disk refused goes on once there is room, without a write", async () => {
    const disk = new MemoryVfs();
    const store = await interleaved(disk);
    const before = sealedBytes(disk);
    await destroyMost(store);
    // Full even without the reserve.
    disk.setCapacity(disk.usedBytes - 2 * 1024 * 1024);
    await compacted(store);
    expect(sealedBytes(disk)).toBeGreaterThan(before / 2);

    disk.setCapacity(Infinity);
    await compacted(store);

    expect(sealedBytes(disk)).toBeLessThanOrEqual(2 * liveBytes(store));
  });

  it("is the same when it is opened again, cleanly and after a kill, and goes on giving out higher ids", async () => {
    const disk = new MemoryVfs();
    const store = await interleaved(disk);
    await destroyMost(store);
    const before = await contents(store);
    await compacted(store);

    await store.reopen();
    expect(await contents(store)).toEqual(before);
    const { endId } = store.view("c0");
    expect((await store.append("c0", "new")).firstId).toBe(endId);
    await compacted(store);
    const later = await contents(store);
    const killed = await openOn(disk.kill());

    expect(await contents(killed)).toEqual(later);
    expect((await killed.append("c0", "newer")).firstId).toBeGreaterThan(endId);
    await killed.close();
  });

  it("copies batches as they are: frames of ordinary groups that say so, with ids and times of the originals", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a", "b");
    const kept = await store.append("a", "kept", "too");
    const { timeMs } = (await store.messages("a"))[0] ?? { timeMs: 0 };
    for (let at = 0; at < 2; at++) await store.append("b", textOfBytes(3000));
    await store.clock.advance(1000);
    // Enough that the segment is not mostly dead.
    await store.append("a", textOfBytes(3000));
    await store.destroy("b");

    await compacted(store);

    const last = Number(
      filesOf(disk)
        .findLast((name) => name.endsWith(".seg"))
        ?.slice(0, 10),
    );
    const copies = groupsOf(disk, last).flatMap(({ frames }) => frames.filter(({ rest }) => rest !== undefined));
    expect(copies).toMatchObject([{ kind: "batch", baseId: kept.firstId, count: 2, timeMs, rest: 0, first: true, last: true }]);
    expect((await store.texts("a")).slice(0, 2)).toEqual(["kept", "too"]);
  });

  it("unlinks the source only after a checkpoint that does not list it", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a", "b");
    await store.append("a", "kept");
    for (let at = 0; at < 2; at++) await store.append("b", textOfBytes(3000));
    await store.trim("b", store.view("b").endId - 1n);
    const journal = journalOf(disk);

    await compacted(store);

    const unlinked = journal.findIndex((line) => line === `unlink ${segmentFile(1)}`);
    expect(unlinked).toBeGreaterThan(0);
    expect(journal.slice(0, unlinked).map((line) => line.replace(/ \d+@\d+$/, ""))).toEqual([
      "write 0000000002.seg",
      "sync 0000000002.seg",
      "unlink checkpoint.tmp",
      "open checkpoint.tmp create",
      "write checkpoint.tmp",
      "sync checkpoint.tmp",
      "rename checkpoint.tmp checkpoint",
      "syncDir .",
    ]);
    expect(journal).toContain(`unlink ${indexFile(1)}`);
    expect(checkpointOf(disk).state.segments.get(1)).toBeUndefined();
  });

  it("leaves a segment alone while it still loses batches, and once more than half of it lives", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 16 * 1024 });
    await store.create("a");
    const ids: bigint[] = [];
    for (let at = 0; at < 20; at++) ids.push((await store.append("a", textOfBytes(1400))).firstId);
    const copied = (): boolean => filesOf(disk).some((name) => name.endsWith(".seg") && copiesIn(disk, name) > 0);

    for (const id of ids.slice(6, 10)) {
      await store.trim("a", id);
      await pass(store, quietMs - 1);
    }
    expect(copied()).toBe(false);
    await compacted(store);

    expect(copied()).toBe(true);
    expect(await store.messages("a")).toHaveLength(11);
  });

  it("takes copies for appends nowhere: what a reader holds stays valid, one beside it goes on without a gap", async () => {
    const disk = new MemoryVfs();
    const store = await interleaved(disk);
    const reader = store.engine.reader(store.view("c0"));
    const first = await reader.read(store.view("c0").beginId, 3, 1e6);
    await destroyMost(store);

    await compacted(store);

    const ids = first.map(({ id }) => id);
    for (let next = (ids.at(-1) ?? 0n) + 1n; ;) {
      const some = await reader.read(next, 2, 1e6);
      const last = some.at(-1);
      if (last === undefined) break;
      ids.push(...some.map(({ id }) => id));
      next = last.id + 1n;
    }
    expect(ids).toEqual((await store.messages("c0")).map(({ id }) => id));
    expect(Buffer.from(first[0]?.payload ?? []).toString()).toBe(`c0 0 ${textOfBytes(1000)}`);
  });

  it("leaves a segment with a bad place as it is, and says so when it is read", async () => {
    const disk = new MemoryVfs();
    const store = await interleaved(disk);
    await destroyMost(store);
    const frame = groupsOf(disk, 2)
      .flatMap(({ frames }) => frames)
      .find(({ channel }) => channel === 2);
    flipBit(disk, segmentFile(2), (frame?.offset ?? 0) + 500);

    await compacted(store);

    expect(filesOf(disk)).toContain(segmentFile(2));
    expect(filesOf(disk)).not.toContain(segmentFile(3));
    await expect(store.messages("c0")).rejects.toMatchObject({ code: "corrupt", details: { offset: frame?.offset } });
  });

  it("calls a segment that went by itself before it was read nothing bad", async () => {
    const errors: object[] = [];
    const disk = new SlowDisk();
    const store = await interleaved(disk, 24, { ...silentLogger, error: (fields: object) => void errors.push(fields) });
    await destroyMost(store);
    disk.hold(segmentFile(2));
    for (let round = 0; round < 40 && disk.letGo === undefined; round++) await pass(store, quietMs / 8);

    await store.trim("c0", store.view("c0").endId);
    // Each begins a segment, after a checkpoint.
    for (let at = 0; at < 2; at++) await store.append("c0", textOfBytes(60_000));
    expect(filesOf(disk)).not.toContain(segmentFile(2));
    disk.letGo?.();
    await compacted(store);

    expect(errors).toEqual([]);
    expect(disk.letGo).toBeDefined();
  });

  it("takes no space that those need who free some", async () => {
    const disk = new MemoryVfs();
    const store = await interleaved(disk);
    await destroyMost(store);
    const before = await contents(store);
    disk.setCapacity(disk.usedBytes);

    await compacted(store);
    expect(await contents(store)).toEqual(before);
    disk.setCapacity(Infinity);
    await store.append("lonely", "room again");
    await compacted(store);

    expect(sealedBytes(disk)).toBeLessThanOrEqual(2 * liveBytes(store));
  });

  it("ends with the store, wherever it is", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const disk = new MemoryVfs();
      const store = await interleaved(disk, 12);
      await destroyMost(store);
      const before = await contents(store);
      await store.clock.advance(quietMs);
      for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      await store.reopen();

      expect(await contents(store)).toEqual(before);
      await store.close();
    }
  });
});

/** A disk on which one file can't be opened for reading until it is let go. */
class SlowDisk extends MemoryVfs {
  #held: string | undefined;
  /** Undefined until somebody waits for the file. */
  letGo: (() => void) | undefined;

  hold(name: string): void {
    this.#held = pathOf(name);
  }

  override async open(path: string, mode: "read" | "write" | "create"): ReturnType<MemoryVfs["open"]> {
    if (path === this.#held && mode === "read") await new Promise<void>((resolve) => (this.letGo = resolve));
    return super.open(path, mode);
  }
}

function copiesIn(disk: MemoryVfs, name: string): number {
  return groupsOf(disk, Number(name.slice(0, 10))).flatMap(({ frames }) => frames.filter(({ rest }) => rest !== undefined)).length;
}
