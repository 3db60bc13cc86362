import { describe, expect, it } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import { dir, filesOf, openOn, pass, segmentFile, textOfBytes } from "../../../test/segment/segment-store.js";
import { Prefill } from "./prefill.js";

const mebibyte = 1024 * 1024;

async function prefillOn(disk: MemoryVfs, o: { always?: boolean; clock?: ManualClock } = {}): Promise<Prefill> {
  await disk.makeDirectory(dir);
  return new Prefill({ vfs: disk, dir, clock: o.clock ?? new ManualClock(), logger: silentLogger, always: o.always ?? true });
}

/** Lets what it fills come to its end: every write of a memory disk takes a few microtasks. */
async function filled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe("prefill", () => {
  it("begins once the log is written at a megabyte a second for a second", async () => {
    const clock = new ManualClock();
    const prefill = await prefillOn(new MemoryVfs(), { always: false, clock });

    expect(prefill.wrote(10 * mebibyte)).toBe(false);
    await clock.advance(20_000);
    expect(prefill.wrote(1)).toBe(false);
    prefill.wrote(999_998);
    await clock.advance(1_000);
    expect(prefill.wrote(1)).toBe(false);
    prefill.wrote(999_999);
    await clock.advance(1_000);
    expect(prefill.wrote(1)).toBe(true);
  });

  it("makes the file of one segment, of zeros and of its size, and hands it over once", async () => {
    const disk = new MemoryVfs();
    const prefill = await prefillOn(disk);

    prefill.begin(7, 2.5 * mebibyte);
    await filled();

    expect(prefill.wrote(10 * mebibyte)).toBe(false);
    expect(Buffer.compare(disk.fileBytes(`${dir}/${segmentFile(7)}`), Buffer.alloc(2.5 * mebibyte))).toBe(0);
    expect(await prefill.take()).toBe(7);
    expect(await prefill.take()).toBeUndefined();
    expect(prefill.wrote(1)).toBe(true);
  });

  it("stops where it is when the file is wanted sooner", async () => {
    const disk = new MemoryVfs();
    const prefill = await prefillOn(disk);

    prefill.begin(7, 64 * mebibyte);

    expect(await prefill.take()).toBe(7);
    expect(disk.fileBytes(`${dir}/${segmentFile(7)}`).length).toBeLessThan(64 * mebibyte);
  });

  it("gives its space back when it is given up", async () => {
    const disk = new MemoryVfs();
    const prefill = await prefillOn(disk);
    prefill.begin(7, mebibyte);

    expect(await prefill.giveUp()).toBe(true);

    expect(filesOf(disk)).toEqual([]);
    expect(await prefill.giveUp()).toBe(false);
  });

  it("rests until the roll once it was given up: a full disk would have it fill and give up in turns", async () => {
    const prefill = await prefillOn(new MemoryVfs());
    prefill.begin(7, mebibyte);
    await prefill.giveUp();

    expect(prefill.wrote(10 * mebibyte)).toBe(false);
    expect(await prefill.take()).toBeUndefined();
    expect(prefill.wrote(10 * mebibyte)).toBe(true);
  });

  it("that finds no room leaves nothing behind, and says so to who asks for space", async () => {
    const disk = new MemoryVfs();
    const prefill = await prefillOn(disk);
    disk.setCapacity(3 * mebibyte);

    prefill.begin(7, 64 * mebibyte);
    await filled();

    expect(disk.usedBytes).toBe(0);
    expect(await prefill.giveUp()).toBe(true);
    expect(await prefill.giveUp()).toBe(false);
  });

  it("never hands over a file that it could not fill", async () => {
    const disk = new MemoryVfs();
    const prefill = await prefillOn(disk);
    const fault = disk.failNext({ op: "sync", code: "EIO" });

    prefill.begin(7, mebibyte);
    await filled();

    expect(fault.fired()).toBe(true);
    expect(await prefill.take()).toBeUndefined();
  });
});

describe("a store that fills segments ahead", () => {
  it("goes on, on a disk that has no room for the next one", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { prefill: "always" });
    await store.create("a");
    disk.setCapacity(disk.usedBytes + 20_000);

    for (let count = 0; count < 5; count++) {
      await store.append("a", textOfBytes(1_000));
      await pass(store, 1);
    }

    expect(await store.texts("a")).toHaveLength(5);
  });
});
