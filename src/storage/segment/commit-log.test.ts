import { describe, expect, it } from "vitest";
import { isTidemarkError } from "../../base/errors.js";
import type { EngineEvent } from "../engine.js";
import type { Fault } from "../../testing/index.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { groupsOf, journalOf, openOn, pass, textOfBytes } from "../../../test/segment/segment-store.js";

describe("the commit log", () => {
  it("writes all that waits as one group, with one sync", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a", "b");
    const journal = journalOf(disk);

    await Promise.all([store.append("a", "one"), store.append("b", "two"), store.put("k", "v"), store.append("a", "three")]);

    expect(journal.map((line) => line.split(" ")[0])).toEqual(["write", "sync"]);
    expect(
      groupsOf(disk, 1)
        .at(-1)
        ?.frames.map(({ kind, count }) => [kind, count]),
    ).toEqual([
      ["control", 1],
      ["batch", 2],
      ["batch", 1],
    ]);
  });

  it("lets the next group gather while one is under way", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    let writes = 0;
    const later: Promise<unknown>[] = [];
    disk.observe(({ op, path }) => {
      if (op === "write" && path.endsWith(".seg")) writes++;
      if (op === "sync" && later.length === 0) for (let count = 0; count < 10; count++) later.push(store.append("a", "gathered"));
    });

    await store.append("a", "first");
    await Promise.all(later);

    expect(writes).toBe(2);
  });

  it("takes only so much metadata into one group, too", async () => {
    const mebibyte = 1024 * 1024;
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    const journal = journalOf(disk);

    await Promise.all(Array.from({ length: 10 }, (_, at) => store.put(`k${at}`, textOfBytes(mebibyte))));

    const written = journal.flatMap((line) => /^write \d+\.seg (\d+)@/.exec(line)?.[1] ?? []).map(Number);
    expect(written.map((bytes) => Math.floor(bytes / mebibyte)).filter((mebibytes) => mebibytes > 0)).toEqual([4, 4, 2]);
  });

  it("writes nothing for a change that drafts nothing", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    const before = disk.operations;

    await store.write((draft) => draft.channel("none"));

    expect(disk.operations).toBe(before);
  });
});

describe("durability", () => {
  it('"sync" acks after the sync that covers the group', async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { durability: "sync" });
    await store.create("a");
    const seen: string[] = [];
    disk.observe(({ op, path }) => path.endsWith(".seg") && seen.push(op));

    await store.append("a", "one").then(() => seen.push("acked"));

    expect(seen).toEqual(["write", "sync", "acked"]);
  });

  it('"os" acks after the write, and syncs only when the log has to', async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { durability: "os", segmentBytes: 4096 });
    await store.create("a");
    await store.append("a", "the first append of a channel waits for its ceiling");
    const journal = journalOf(disk);

    for (let count = 0; count < 3; count++) await store.append("a", textOfBytes(500));
    await pass(store, 60_000);
    expect(journal.map((line) => line.split(" ")[0])).toEqual(["write", "write", "write"]);

    // A roll: the old segment is synced before the new one's header is written.
    await store.append("a", textOfBytes(3000));
    expect(journal.slice(3, 5)).toEqual(["sync 0000000001.seg", "open 0000000002.seg create"]);
  });

  it("everyMs acks after the write, and syncs that long after the first write that is not synced", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { durability: { everyMs: 50 } });
    await store.create("a");
    await store.append("a", "ceiling");
    await pass(store, 50);
    const journal = journalOf(disk);

    await store.append("a", "one");
    await store.clock.advance(30);
    await store.append("a", "two");
    await pass(store, 19);
    expect(journal.filter((line) => line.startsWith("sync"))).toEqual([]);
    await pass(store, 1);

    expect(journal.filter((line) => line.startsWith("sync"))).toEqual(["sync 0000000001.seg"]);
  });

  it('"written" acks before any sync; it is synced a second later', async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    const journal = journalOf(disk);
    await store.put("cursor", "1");
    journal.length = 0;

    await store.put("cursor", "2", { ack: "written" });
    expect(journal.map((line) => line.split(" ")[0])).toEqual(["write"]);
    await pass(store, 999);
    expect(journal).toHaveLength(1);
    await pass(store, 1);

    expect(journal[1]).toBe("sync 0000000001.seg");
    expect((await openOn(disk.crash({ policy: "nothing" }))).metaText("cursor")).toBe("2");
  });

  it('"written" is synced with the next durable group, and before the store closes', async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.put("cursor", "1", { ack: "written" });
    await store.put("other", "x");
    expect((await openOn(disk.kill().crash({ policy: "nothing" }))).metaText("cursor")).toBe("1");

    const next = disk.kill();
    const reopened = await openOn(next);
    await reopened.put("cursor", "2", { ack: "written" });
    await reopened.close();

    expect((await openOn(next.crash({ policy: "nothing" }))).metaText("cursor")).toBe("2");
  });
});

describe("the commit log on a full disk", () => {
  it("refuses messages with effect none, gives their ids to nobody, and goes on when there is room", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    const { lastId } = await store.append("a", "one");
    const full = disk.failNext({ op: "write", path: /seg$/, code: "ENOSPC" });

    await expect(store.append("a", "two", "three")).rejects.toMatchObject({ code: "disk-full", effect: "none" });

    expect(full.fired()).toBe(true);
    expect(await store.append("a", "four")).toEqual({ firstId: lastId + 3n, lastId: lastId + 3n });
    expect(await store.texts("a")).toEqual(["one", "four"]);
    const later = await openOn(disk.crash());
    expect(await later.texts("a")).toEqual(["one", "four"]);
  });

  it("refuses only what takes space: a trim and a key of the same group are written without it", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    const { firstId } = await store.append("a", "one", "two");
    disk.failNext({ op: "write", path: /seg$/, code: "ENOSPC" });

    const outcomes = await Promise.allSettled([
      store.append("a", "refused"),
      store.trim("a", firstId + 1n),
      store.create("b"),
      store.put("key", "value"),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
    expect([await store.texts("a"), store.names(), store.metaText("key")]).toEqual([["two"], ["a"], "value"]);
  });

  it("has settled all only when what was written anew is, too", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    const { firstId } = await store.append("a", "one", "two");
    const full = disk.failNext({ op: "write", path: /seg$/, code: "ENOSPC" });

    const trim = store.trim("a", firstId + 1n);
    const refused = store.append("a", "refused");
    const settled = store.engine.settled();
    await expect(refused).rejects.toMatchObject({ code: "disk-full" });
    await settled;

    expect(full.fired()).toBe(true);
    expect(await store.texts("a")).toEqual(["two"]);
    await trim;
  });

  it("gives up the reserve for what frees space, and refuses that too when it does not help", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    const { firstId } = await store.append("a", "one", "two");
    const faults = [0, 0].map(() => disk.failNext({ op: "write", path: /seg$/, code: "ENOSPC" }));

    await expect(store.trim("a", firstId + 1n)).rejects.toMatchObject({ code: "disk-full", effect: "none" });

    expect(faults.map((fault) => fault.fired())).toEqual([true, true]);
    await store.trim("a", firstId + 1n);
    expect(await store.texts("a")).toEqual(["two"]);
  });

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

const failures: readonly (readonly [string, Fault])[] = [
  ["the write of a group", { op: "write", path: /1\.seg$/, code: "EIO" }],
  ["the sync of a group", { op: "sync", path: /1\.seg$/, code: "EIO" }],
  ["making a segment's file", { op: "open", path: /2\.seg$/, code: "EIO" }],
  ["the directory's sync for a new segment", { op: "syncDir", code: "EIO" }],
  ["the write of a header", { op: "write", path: /2\.seg$/, code: "EIO" }],
  ["the sync of a header", { op: "sync", path: /2\.seg$/, code: "EIO" }],
  ["the write of an index file", { op: "write", path: /1\.idx$/, code: "EIO" }],
  ["the write of a checkpoint", { op: "write", path: /checkpoint\.tmp$/, code: "EIO" }],
  ["the sync of a checkpoint", { op: "sync", path: /checkpoint\.tmp$/, code: "EIO" }],
  ["the sync of a checkpoint, for want of space", { op: "sync", path: /checkpoint\.tmp$/, code: "ENOSPC" }],
  ["the rename of a checkpoint", { op: "rename", code: "EIO" }],
  ["the directory's sync for a checkpoint", { op: "syncDir", after: 1, code: "EIO" }],
  ["unlinking a dead segment", { op: "unlink", path: /1\.seg$/, code: "EIO" }],
];

describe("a write or sync that fails", () => {
  it.each(failures)("stops the log for good: %s", async (_, fault) => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a");
    await store.append("a", textOfBytes(2000));
    const events: EngineEvent[] = [];
    store.engine.listen((event) => events.push(event));
    const planned = disk.failNext(fault);

    const outcomes: unknown[] = [];
    for (let count = 0; count < 6; count++) {
      const text = textOfBytes(1500);
      const change = count === 4 ? store.trim("a", store.view("a").endId) : store.append("a", text);
      await change.catch((error: unknown) => outcomes.push(error));
    }

    expect(planned.fired()).toBe(true);
    expect(store.engine.failure).toMatchObject({ code: "io-failed", effect: "unknown" });
    expect(events.filter(({ type }) => type === "failed")).toHaveLength(1);
    // Whatever was under way when it happened may be there; all later calls have not begun.
    const effects = outcomes.map((error) => (isTidemarkError(error, "io-failed") ? error.effect : error));
    expect(effects.slice(1).every((effect) => effect === "none")).toBe(true);
    await expect(store.put("key", "value")).rejects.toMatchObject({ code: "io-failed", effect: "none", retry: "reopen" });
    expect(await store.texts("a")).toBeDefined();
    await store.close();
  });

  it("leaves in doubt what was in its group, and nothing that waited behind", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    disk.failNext({ op: "sync", path: /seg$/, code: "EIO" });
    const behind: Promise<unknown>[] = [];
    disk.observe(({ op }) => {
      if (op === "sync") behind.push(store.append("a", "behind"));
    });

    const inFlight = [store.append("a", "one"), store.put("key", "value")];
    const first = await Promise.allSettled(inFlight);
    const later = await Promise.allSettled(behind);

    expect(first.map((outcome) => outcome.status === "rejected" && isTidemarkError(outcome.reason) && outcome.reason.effect)).toEqual([
      "unknown",
      "unknown",
    ]);
    expect(later.map((outcome) => outcome.status === "rejected" && isTidemarkError(outcome.reason) && outcome.reason.effect)).toEqual([
      "none",
    ]);
  });

  it("shows readers nothing of a group whose sync failed", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    await store.append("a", "one");
    disk.failNext({ op: "sync", path: /seg$/, code: "EIO" });

    await expect(store.append("a", "two")).rejects.toMatchObject({ effect: "unknown" });

    expect(await store.texts("a")).toEqual(["one"]);
  });

  it("at the last sync makes close reject, and lets go of the directory all the same", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { durability: "os" });
    await store.put("key", "value");
    disk.failNext({ op: "sync", path: /seg$/, code: "EIO" });

    await expect(store.close()).rejects.toMatchObject({ code: "io-failed" });

    expect(await disk.lockHolder("/store")).toBeUndefined();
  });
});
