import { describe, expect, it } from "vitest";
import { MemoryVfs } from "./memory-vfs.js";
import * as fc from "fast-check";
import { bytes, diskWith, openFile, readAll, text } from "../../test/testing/sample-disk.js";

describe("MemoryVfs, as a file system", () => {
  it("reads back what was written, in parts, over the end and across a gap of zeros", async () => {
    const { file } = await openFile("hello");

    await file.write([bytes("LP!"), bytes("??")], 3);
    await file.write([bytes("x")], 10);

    const into = new Uint8Array(20);
    expect(await file.read(into, 0)).toBe(11);
    expect(text(into.subarray(0, 11))).toBe("helLP!??\0\0x");
    expect(await file.read(into, 11)).toBe(0);
  });

  it("holds what a plain array of bytes would hold, whatever is written, cut off and copied", async () => {
    const step = fc.record({
      at: fc.nat(3000),
      length: fc.nat(1200),
      byte: fc.constantFrom(0, 0, 1, 2),
      cut: fc.boolean(),
      copy: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        let disk = await diskWith({ "d/a": "" });
        let plain: number[] = [];
        for (const { at, length, byte, cut, copy } of steps) {
          const file = await disk.open("d/a", "write");
          if (cut) {
            await file.truncate(at);
            plain = Array.from({ length: at }, (_, place) => plain[place] ?? 0);
          } else {
            await file.write([new Uint8Array(length).fill(byte)], at);
            const size = length === 0 ? plain.length : Math.max(plain.length, at + length);
            plain = Array.from({ length: size }, (_, place) => (place >= at && place < at + length ? byte : (plain[place] ?? 0)));
          }
          expect(await file.size()).toBe(plain.length);
          if (copy) disk = disk.kill();
          expect([...disk.fileBytes("d/a")]).toEqual(plain);
          expect([...bytes(await readAll(disk, "d/a"))]).toEqual(plain);
        }
      }),
    );
  });

  it("shows names as they are, and the system's errors where they are not", async () => {
    const disk = await diskWith({ "d/a": "1", "d/b": "2" });

    await expect(disk.open("d/c", "write")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(disk.open("d/a", "create")).rejects.toMatchObject({ code: "EEXIST" });
    await expect(disk.open("e/a", "create")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(disk.list("e")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(disk.unlink("d/c")).rejects.toMatchObject({ code: "ENOENT" });
    await disk.rename("d/a", "d//b/");

    expect(await disk.list("./d")).toEqual(["b"]);
    expect(await readAll(disk, "d/b")).toBe("1");
  });

  it("keeps an unlinked file for whoever has it open, and its space until then", async () => {
    const { disk, file } = await openFile("still here");

    await disk.unlink("d/a");
    const into = new Uint8Array(10);
    await file.read(into, 0);
    const held = disk.usedBytes;
    await file.close();

    expect(text(into)).toBe("still here");
    expect([held, disk.usedBytes]).toEqual([512, 0]);
  });

  it("lets a reader see half of a write that is under way", async () => {
    const { file } = await openFile("........");
    const seen: string[] = [];
    const write = file.write([bytes("########")], 0);
    for (let i = 0; i < 6; i += 1) {
      const into = new Uint8Array(8);
      await file.read(into, 0);
      seen.push(text(into));
    }
    await write;

    expect(seen).toContain("####....");
    expect(seen.at(-1)).toBe("########");
  });

  it("gives a directory to one holder at a time, and names its process", async () => {
    const disk = await diskWith({});

    const lock = await disk.lock("d");
    await expect(disk.lock("d/")).rejects.toMatchObject({ code: "locked", details: { pid: process.pid } });
    expect(await disk.lockHolder("d")).toBe(process.pid);
    await lock.release();
    await lock.release();

    expect(await disk.lockHolder("d")).toBeUndefined();
    await disk.lock("d");
    expect(await disk.kill().lockHolder("d")).toBeUndefined();
  });
});

describe("MemoryVfs, when the process is killed", () => {
  it("keeps the page cache, which a power cut may still take", async () => {
    const { disk, file } = await openFile("old");
    await file.write([bytes("new")], 0);

    const next = disk.kill();

    expect(text(next.fileBytes("d/a"))).toBe("new");
    expect(text(next.crash({ policy: "nothing" }).fileBytes("d/a"))).toBe("old");
    await expect(file.sync()).rejects.toThrow("the process was killed");
  });

  it("gives another disk each time it is asked, and what is done on one is not seen on the other", async () => {
    const { disk } = await openFile("before");
    const [one, other] = [disk.kill(), disk.kill()];

    await (await one.open("d/a", "write")).write([bytes("AFTER!")], 0);
    await other.unlink("d/a");

    expect(text(one.fileBytes("d/a"))).toBe("AFTER!");
    expect(text(disk.kill().fileBytes("d/a"))).toBe("before");
    expect([...other.snapshot().keys()]).toEqual([]);
  });

  it("stops at the operation it is told to: what comes then never happens and never settles", async () => {
    const { disk, file } = await openFile("....");
    const before = disk.operations;
    const halted = disk.haltAfter(2);
    const settled: string[] = [];

    await file.write([bytes("12")], 0);
    await file.sync();
    void file.write([bytes("34")], 2).finally(() => settled.push("write"));
    await halted;
    void disk.list("d").finally(() => settled.push("list"));
    await new Promise<void>((resolve) => setImmediate(resolve));

    expect(disk.halted).toBe(true);
    expect(settled).toEqual([]);
    expect(disk.operations).toBe(before + 2);
    expect(text(disk.kill().fileBytes("d/a"))).toBe("12..");
  });

  it("does half of the write it stops at, if that is asked", async () => {
    const { disk, file } = await openFile("....");
    const halted = disk.haltAfter(0, { torn: true });
    void file.write([bytes("1234")], 0);
    await halted;
    await Promise.resolve();

    expect(text(disk.kill().fileBytes("d/a"))).toBe("12..");
  });
});

describe("MemoryVfs, with operations that fail", () => {
  it("fails the one that matches, once, and says so", async () => {
    const disk = await diskWith({ "d/a": "1", "d/b": "2" });
    const fault = disk.failNext({ op: "open", after: 1, code: "EIO", path: /b$/ });

    await disk.open("d/b", "read");
    await disk.open("d/a", "read");
    expect(fault.fired()).toBe(false);
    await expect(disk.open("d/b", "read")).rejects.toMatchObject({ code: "EIO", syscall: "open", path: "d/b" });

    expect(fault.fired()).toBe(true);
    await disk.open("d/b", "read");
  });

  it("refuses a fault that could never fire", () => {
    const wrong: readonly [argument: string, fault: object][] = [
      ["fault.op", { op: "fsync", code: "EIO" }],
      ["fault.code", { op: "sync", code: "EPERM" }],
      ["fault.after", { op: "sync", code: "EIO", after: -1 }],
      ["fault.path", { op: "sync", code: "EIO", path: "mark" }],
      ["times", { op: "sync", code: "EIO", times: 2 }],
    ];

    for (const [argument, fault] of wrong) {
      const plan = (): unknown => Reflect.apply(MemoryVfs.prototype.failNext, new MemoryVfs(), [fault]);
      expect(plan, argument).toThrow(expect.objectContaining({ code: "invalid-argument", details: { argument } }) as Error);
    }
  });

  it("after a failed sync a later one may succeed and write nothing, while reads show what a power cut takes", async () => {
    const outcomes = new Set<string>();
    for (let seed = 1; seed < 60; seed += 1) {
      const { disk, file } = await openFile("old", seed);
      await file.write([bytes("new")], 0);
      const fault = disk.failNext({ op: "sync", code: "EIO" });
      await expect(file.sync()).rejects.toMatchObject({ code: "EIO" });
      expect(fault.fired()).toBe(true);
      const shown = text(disk.fileBytes("d/a"));
      await file.sync();
      outcomes.add(`${shown} then ${text(disk.crash({ policy: "everything" }).fileBytes("d/a"))}`);
    }
    expect([...outcomes].toSorted()).toEqual(["new then new", "new then old"]);
  });

  it("writes a spoiled sector again when it is written again", async () => {
    for (let seed = 1; seed < 30; seed += 1) {
      const { disk, file } = await openFile("old", seed);
      await file.write([bytes("new")], 0);
      disk.failNext({ op: "sync", code: "EIO" });
      await expect(file.sync()).rejects.toMatchObject({ code: "EIO" });
      await file.write([bytes("NEW")], 0);
      await file.sync();

      expect(text(disk.crash({ policy: "nothing" }).fileBytes("d/a"))).toBe("NEW");
    }
  });

  it("after a failed directory sync a name may be in the cache only, for good", async () => {
    const outcomes = new Set<string>();
    for (let seed = 1; seed < 60; seed += 1) {
      const disk = await diskWith({ "d/a": "1" }, seed);
      await disk.rename("d/a", "d/b");
      disk.failNext({ op: "syncDir", code: "EIO" });
      await expect(disk.syncDirectory("d")).rejects.toMatchObject({ code: "EIO" });
      await disk.syncDirectory("d");
      outcomes.add(`${[...disk.snapshot().keys()].join()} then ${[...disk.crash({ policy: "everything" }).snapshot().keys()].join()}`);
    }
    expect([...outcomes].toSorted()).toEqual(["d/b then d/a", "d/b then d/b"]);
  });

  it("leaves any beginning of a write that finds no space, and any sectors of one that fails", async () => {
    const left = async (code: "EIO" | "ENOSPC", seed: number): Promise<string> => {
      const { disk, file } = await openFile(".".repeat(1536), seed);
      const fault = disk.failNext({ op: "write", code });
      await expect(file.write([bytes("x".repeat(1536))], 0)).rejects.toMatchObject({ code });
      expect(fault.fired()).toBe(true);
      return text(disk.fileBytes("d/a"));
    };
    const beginnings = await Promise.all(Array.from({ length: 20 }, (_, seed) => left("ENOSPC", seed)));
    for (const outcome of beginnings) expect(outcome).toMatch(/^x*\.*$/);
    const subsets = await Promise.all(Array.from({ length: 60 }, (_, seed) => left("EIO", seed)));
    expect(new Set(subsets.map((outcome) => outcome.replaceAll(/(.)\1{511}/g, "$1"))).size).toBe(8);
  });
});

describe("MemoryVfs, when it is full", () => {
  it("writes what fits, refuses the rest with ENOSPC, and goes on once something is gone", async () => {
    const disk = await diskWith({ "d/a": "1".repeat(512), "d/b": "2".repeat(512) });
    disk.setCapacity(1536);
    const file = await disk.open("d/a", "write");

    await expect(file.write([bytes("3".repeat(1024))], 512)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(text(disk.fileBytes("d/a"))).toBe("1".repeat(512) + "3".repeat(512));
    await file.write([bytes("4")], 0);
    await expect(file.truncate(4096)).rejects.toMatchObject({ code: "ENOSPC" });
    await disk.unlink("d/b");
    await file.write([bytes("5")], 1024);

    expect(disk.usedBytes).toBe(1536);
  });
});

describe("MemoryVfs, behind everybody's back", () => {
  it("shows and replaces whole files, durably", async () => {
    const disk = await diskWith({ "d/a": "1" });

    disk.setFileBytes("d/a", bytes("damaged"));
    disk.setFileBytes("e/foreign", bytes("?"));
    const after = disk.crash({ policy: "nothing" });

    expect([...after.snapshot()].map(([path, was]) => [path, text(was)])).toEqual([
      ["d/a", "damaged"],
      ["e/foreign", "?"],
    ]);
    after.removeFile("d/a");
    expect(() => after.fileBytes("d/a")).toThrow("ENOENT");
  });

  it("tells each operation to an observer, numbered where it changes the disk", async () => {
    const disk = await diskWith({ "d/a": "1" });
    const before = disk.operations;
    const told: string[] = [];
    disk.observe(({ number, op, path }) => told.push(`${number - before} ${op} ${path}`));

    const file = await disk.open("d/a", "write");
    await file.write([bytes("2")], 0);
    await file.sync();
    await disk.list("d");

    expect(told).toEqual(["0 open d/a", "1 write d/a", "2 sync d/a", "2 list d"]);
  });
});
