import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { bytes, diskWith, openFile, text } from "../../test/testing/sample-disk.js";
import { MemoryVfs } from "./memory-vfs.js";
import { survivalPolicies } from "./survival.js";

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
