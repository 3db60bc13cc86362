import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { openOn, textOfBytes } from "../../../test/segment/segment-store.js";

describe("the commit log on a full disk", () => {
  it("refuses an append that needs a ceiling first, and lets the trim behind it go", async () => {
    const life = new MemoryVfs();
    const before = await openOn(life);
    await before.create("a");
    const { firstId } = await before.append("a", textOfBytes(600), "two");
    const disk = life.kill();
    const store = await openOn(disk);
    disk.setCapacity(disk.usedBytes);

    const append = store.append("a", "three");
    const trim = store.trim("a", firstId + 1n);

    await expect(append).rejects.toMatchObject({ code: "disk-full", effect: "none" });
    await trim;
    expect(await store.texts("a")).toEqual(["two"]);
  });

  it("knows that a roll it could not finish has synced the ceilings before it", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { durability: "os", segmentBytes: 4096 });
    await store.create("a");
    await store.append("a", "one");
    await store.create("b");
    const full = disk.failNext({ op: "open", path: /seg$/, code: "ENOSPC" });

    await expect(store.append("a", textOfBytes(5000))).rejects.toMatchObject({ code: "disk-full" });

    expect(full.fired()).toBe(true);
    await store.append("b", "two");
    expect(await store.texts("b")).toEqual(["two"]);
  });
});
