import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import type { VfsFile } from "../base/vfs.js";
import { MemoryVfs } from "./memory-vfs.js";
import { survivalPolicies } from "./survival.js";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (words: string): Uint8Array => new TextEncoder().encode(words);

async function diskWith(files: Readonly<Record<string, string>>, seed = 1): Promise<MemoryVfs> {
  const disk = new MemoryVfs(seed);
  await disk.makeDirectory("d");
  for (const [path, words] of Object.entries(files)) {
    const file = await disk.open(path, "create");
    await file.write([bytes(words)], 0);
    await file.sync();
    await file.close();
  }
  await disk.syncDirectory("d");
  return disk;
}

async function openFile(words: string, seed = 1): Promise<{ disk: MemoryVfs; file: VfsFile }> {
  const disk = await diskWith({ "d/a": words }, seed);
  return { disk, file: await disk.open("d/a", "write") };
}

async function readAll(disk: MemoryVfs, path: string): Promise<string> {
  const file = await disk.open(path, "read");
  const into = new Uint8Array(await file.size());
  await file.read(into, 0);
  await file.close();
  return text(into);
}

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

describe("MemoryVfs, when the power is cut", () => {
  it("keeps what was synced, and its name once the directory was", async () => {
    for (const policy of survivalPolicies) {
      const { disk, file } = await openFile("old");
      await file.write([bytes("new")], 0);
      await file.sync();

      expect(text(disk.crash({ policy }).fileBytes("d/a"))).toBe("new");
    }
  });

  it("may lose a synced file whose name was not synced, and may keep it", async () => {
    const names = new Set<string>();
    for (let seed = 1; seed < 40; seed += 1) {
      const disk = await diskWith({}, seed);
      const file = await disk.open("d/a", "create");
      await file.write([bytes("x")], 0);
      await file.sync();
      names.add([...disk.crash().snapshot().keys()].join());
    }
    expect([...names].toSorted()).toEqual(["", "d/a"]);
  });

  it("gives each un-synced sector its old contents, a later one, or zeros where nothing was", async () => {
    const seen = [0, 512, 1024, 1536].map((at) => ({ at, contents: new Set<string>() }));
    for (let seed = 1; seed < 100; seed += 1) {
      const { disk, file } = await openFile("1".repeat(1024));
      await file.write([bytes("2".repeat(2048))], 0);
      await file.write([bytes("3".repeat(2048))], 0);
      const after = text(disk.crash({ seed, policy: "some" }).fileBytes("d/a"));
      for (const sector of seen) sector.contents.add(after.slice(sector.at, sector.at + 512));
    }

    const whole = (...marks: string[]): string[] => marks.map((mark) => mark.repeat(512));
    for (const { at, contents } of seen)
      expect([...contents].toSorted()).toEqual(at < 1024 ? whole("1", "2", "3") : ["", ...whole("\0", "2", "3")]);
  });

  it("moves a renamed file whole or not at all, and an unlinked one may be back", async () => {
    const outcomes = new Set<string>();
    for (let seed = 1; seed < 60; seed += 1) {
      const disk = await diskWith({ "d/a": "1", "d/b": "2", "d/c": "3" });
      await disk.rename("d/a", "d/b");
      await disk.unlink("d/c");
      const after = disk.crash({ seed });
      outcomes.add([...after.snapshot()].map(([path, was]) => `${path}=${text(was)}`).join(" "));
    }
    expect([...outcomes].toSorted()).toEqual(["d/a=1 d/b=2", "d/a=1 d/b=2 d/c=3", "d/b=1", "d/b=1 d/c=3"]);
  });

  it("loses all, keeps all, or keeps what came before or after a moment, as the policy says", async () => {
    const after = async (policy: (typeof survivalPolicies)[number], seed: number): Promise<string> => {
      const { disk, file } = await openFile("-".repeat(2048));
      for (let sector = 0; sector < 4; sector += 1) await file.write([bytes("x".repeat(512))], sector * 512);
      return text(disk.crash({ seed, policy }).fileBytes("d/a")).replaceAll(/(.)\1{511}/g, "$1");
    };
    const all = async (policy: (typeof survivalPolicies)[number]): Promise<Set<string>> =>
      new Set(await Promise.all(Array.from({ length: 60 }, (_, seed) => after(policy, seed))));

    expect([...(await all("nothing"))]).toEqual(["----"]);
    expect([...(await all("everything"))]).toEqual(["xxxx"]);
    for (const outcome of await all("prefix")) expect(outcome).toMatch(/^x*-*$/);
    for (const outcome of await all("suffix")) expect(outcome).toMatch(/^-*x*$/);
    expect((await all("some")).size).toBeGreaterThan(8);
  });

  it("kills the old disk and its handles, and gives another disk each time it is asked", async () => {
    const { disk, file } = await openFile("1");
    await file.write([bytes("2")], 0);

    const kept = disk.crash({ policy: "everything" });
    const lost = disk.crash({ policy: "nothing" });

    expect([text(kept.fileBytes("d/a")), text(lost.fileBytes("d/a"))]).toEqual(["2", "1"]);
    await expect(file.sync()).rejects.toMatchObject({ code: "EIO" });
    await expect(disk.open("d/a", "read")).rejects.toThrow("the power was cut");
    await file.close();
  });

  it("is the same for the same seed and the same calls", async () => {
    const run = async (): Promise<string> => {
      const disk = new MemoryVfs(7);
      const file = await disk.open("a", "create");
      for (let i = 0; i < 20; i += 1) await file.write([bytes(`${i}`.repeat(300))], i * 211);
      const cuts = [disk.crash(), disk.crash(), disk.crash()];
      return cuts.map((cut) => JSON.stringify([...cut.snapshot()].map(([path, was]) => [path, text(was)]))).join("\n");
    };
    expect(await run()).toBe(await run());
  });

  it("never shows a byte that nobody wrote there", async () => {
    const writes = fc.array(fc.record({ at: fc.nat(1500), length: fc.nat(700), sync: fc.boolean() }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(writes, fc.nat(), async (plan, seed) => {
        const disk = new MemoryVfs(seed);
        const file = await disk.open("a", "create");
        await disk.syncDirectory(".");
        const possible = new Map<number, Set<number>>();
        for (const [i, { at, length, sync }] of plan.entries()) {
          await file.write([new Uint8Array(length).fill(i + 1)], at);
          for (let place = at; place < at + length; place += 1) possible.set(place, (possible.get(place) ?? new Set([0])).add(i + 1));
          if (!sync) continue;
          await file.sync();
          for (const [place, byte] of disk.fileBytes("a").entries()) possible.set(place, new Set([byte]));
        }
        const foreign = [...disk.crash().fileBytes("a")].findIndex((byte, place) => !(possible.get(place) ?? new Set([0])).has(byte));
        expect(foreign).toBe(-1);
      }),
    );
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
