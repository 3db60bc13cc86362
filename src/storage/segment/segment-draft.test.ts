import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { ManualClock } from "../../testing/manual-clock.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import type { TestStore } from "../conformance/test-store.js";
import { checkpointOf, filesOf, groupsOf, openOn } from "../../../test/segment/segment-store.js";
import { decodeControlRecords, type ControlRecord } from "./control-record.js";
import { bodyOf, type Frame } from "./frame.js";
import { segmentOf } from "./file-names.js";
import { isBefore, type Position } from "./position.js";

const step = 2n ** 20n;
const modes = ["sync", "os", { everyMs: 20 }] as const;

interface LoggedFrame {
  readonly frame: Frame;
  /** Of its group. */
  readonly end: Position;
}

/** The frames of segments that were unlinked since `disk` is watched. */
function unlinkedFrames(disk: MemoryVfs, gone: LoggedFrame[] = []): LoggedFrame[] {
  disk.observe(({ op, path }) => {
    const segment = op === "unlink" ? segmentOf(path.slice(path.lastIndexOf("/") + 1)) : undefined;
    if (segment !== undefined) gone.push(...framesIn(disk, segment));
  });
  return gone;
}

function framesIn(disk: MemoryVfs, segment: number): LoggedFrame[] {
  return groupsOf(disk, segment).flatMap(({ frames, end }) => frames.map((frame) => ({ frame, end: { segment, offset: end } })));
}

/** Every frame of the log, in order. */
function framesOf(disk: MemoryVfs): LoggedFrame[] {
  return filesOf(disk)
    .flatMap((name) => segmentOf(name) ?? [])
    .flatMap((segment) => framesIn(disk, segment));
}

function recordsOf(frame: Frame): ControlRecord[] {
  return frame.kind === "control" ? decodeControlRecords(bodyOf(frame), frame.count) : [];
}

/** Batches that hold an id above every ceiling of their channel that was synced when they were written. */
function aboveCeiling(frames: readonly LoggedFrame[]): string[] {
  const ceilings: { channel: number; ceiling: bigint; end: Position }[] = [];
  const found: string[] = [];
  for (const { frame, end } of frames) {
    for (const record of recordsOf(frame)) {
      if (record.type === "create" || record.type === "ceiling") ceilings.push({ channel: record.channel, ceiling: record.ceiling, end });
    }
    if (frame.kind !== "batch") continue;
    const lastId = frame.baseId + BigInt(frame.count) - 1n;
    const isBelow = ceilings.some(
      (one) => one.channel === frame.channel && one.ceiling >= lastId && !isBefore(frame.durableThrough, one.end),
    );
    if (!isBelow) found.push(`${frame.segment}:${frame.offset} holds id ${lastId}`);
  }
  return found;
}

async function appendMany(store: TestStore, channel: string, count: number): Promise<{ firstId: bigint; lastId: bigint }> {
  const message = { payload: Buffer.from("m") };
  return store.write((draft) => draft.append(channel, Array<typeof message>(count).fill(message)));
}

describe("ids in the log", () => {
  it.each(modes)("are never above a ceiling that was synced before them (%j)", async (durability) => {
    const life = fc.array(fc.constantFrom("append", "append", "create", "pass", "kill", "close", "reads and appends"), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(life, fc.integer({ min: 1, max: 99 }), async (steps, seed) => {
        let disk = new MemoryVfs(seed);
        const gone = unlinkedFrames(disk);
        let store = await openOn(disk, { durability });
        await store.create("first");
        for (const [at, what] of steps.entries()) {
          if (what === "create") await store.create(`channel ${at}`);
          if (what === "append") await store.append(store.names()[at % store.names().length] ?? "", "one", "two");
          if (what === "reads and appends") await Promise.all(store.names().map((name) => store.append(name, "m")));
          if (what === "pass") await store.clock.advance(30);
          if (what === "close") await store.close();
          if (what === "kill") unlinkedFrames((disk = disk.kill()), gone);
          if (what === "kill" || what === "close") store = await openOn(disk, { durability });
        }
        expect(aboveCeiling([...gone, ...framesOf(disk)])).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it("get their next ceiling well before it is needed, in a group that is written anyway", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 64 * 2 ** 20 });
    await store.create("a");
    await store.append("a", "keeps the first segment");

    const { lastId } = await appendMany(store, "a", 600_000);
    await appendMany(store, "a", 600_000);

    const raised = framesOf(disk).flatMap(({ frame }) => recordsOf(frame).filter(({ type }) => type === "ceiling"));
    expect(raised[0]).toEqual({ type: "ceiling", channel: 1, ceiling: lastId + step });
    const groups = new Set(framesOf(disk).flatMap(({ frame, end }) => (frame.kind === "header" ? [] : [`${end.segment}:${end.offset}`])));
    expect(groups.size).toBe(4);
    expect(aboveCeiling(framesOf(disk))).toEqual([]);
  });

  it("of an append that is larger than a whole step wait for a ceiling of their own", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 64 * 2 ** 20 });
    await store.create("a");
    await store.append("a", "keeps the first segment");

    const [large, next] = await Promise.all([appendMany(store, "a", Number(step) + 1), store.append("a", "next")]);

    expect(next.firstId).toBe(large.lastId + 1n);
    expect(aboveCeiling(framesOf(disk))).toEqual([]);
  });

  it("from outside know no ceiling", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { ids: "external" });
    await store.create("a");
    await store.appendAt("a", 2n ** 40n, "one");

    expect(framesOf(disk).flatMap(({ frame }) => recordsOf(frame))).toEqual([
      { type: "create", channel: 1, name: "a", firstId: 1n, ceiling: 0n },
    ]);
  });
});

describe("ids after a stop", () => {
  it("go on without a gap when the store was closed", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    const { lastId } = await store.append("a", "one");
    await store.close();

    expect((await (await openOn(disk)).append("a", "two")).firstId).toBe(lastId + 1n);
  });

  it("go on above the ceiling when it was not: any below may have been seen and lost", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    const { lastId } = await store.append("a", "one");
    const ceiling = store.view("a").firstId - 1n + step;

    const next = await (await openOn(disk.kill())).append("a", "two");

    expect(lastId).toBeLessThan(ceiling);
    expect(next.firstId).toBe(ceiling + 1n);
  });

  it.each(modes)("are never given out again, whatever a power cut takes away (%j)", async (durability) => {
    for (let seed = 1; seed <= 6; seed++) {
      let disk = new MemoryVfs(seed);
      const clock = new ManualClock(1000);
      const given: bigint[] = [];
      for (let life = 0; life < 6; life++) {
        const store = await openOn(disk, { durability, clock });
        if (store.names().length === 0) await store.create("a");
        for (let count = 0; count < 3; count++) given.push((await store.append("a", "m")).firstId);
        if (life % 3 === 2) await store.destroy("a");
        // What is not synced is lost; what was, is kept: ids of both must stay used.
        if (life % 2 === 1) await store.close();
        else disk = disk.crash({ policy: life === 0 ? "nothing" : "some", seed: life });
      }
      expect(new Set(given).size, `seed ${seed}`).toBe(given.length);
    }
  });

  it("go on above an earlier unclean stop also when the stop after it was clean, and nothing was written between", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { durability: "os" });
    await store.create("a");
    await store.append("a", "kept");
    await store.put("synced with", "the next ceiling");
    const { lastId } = await store.append("a", "lost");
    const cut = disk.crash({ policy: "nothing" });
    await (await openOn(cut)).close();

    const later = await openOn(cut);

    expect(later.view("a").endId).toBeLessThanOrEqual(lastId);
    expect((await later.append("a", "two")).firstId).toBeGreaterThan(lastId);
  });
});

describe("a channel's first id", () => {
  it("is above the time, 18 bits up", async () => {
    const store = await openOn(new MemoryVfs(), { clock: new ManualClock(5000) });
    await store.create("a");

    expect(store.view("a").firstId).toBe((5000n << 18n) + 1n);
  });

  it("is above everything that a destroyed channel gave out or might have, also when the clock goes back", async () => {
    const disk = new MemoryVfs();
    const clock = new ManualClock(5000);
    const store = await openOn(disk, { clock });
    await store.create("a");
    const { lastId } = await store.append("a", "one");
    const ceiling = store.view("a").firstId - 1n + step;
    await store.destroy("a");
    clock.setNowMs(0);

    await store.create("a");

    expect(store.view("a").firstId).toBe(ceiling + 1n);
    expect(store.view("a").firstId).toBeGreaterThan(lastId);
    await store.destroy("a");
    const { floor } = (await closed(store, disk)).state;
    expect(floor).toBe(ceiling + step);
  });

  it("goes with a number that no channel had before, over reopenings too", async () => {
    const disk = new MemoryVfs();
    const numbers = new Set<number>();
    for (let life = 0; life < 4; life++) {
      const store = await openOn(disk);
      await store.create("a");
      await store.destroy("a");
      numbers.add((await closed(store, disk)).state.nextChannel);
    }

    expect([...numbers]).toEqual([2, 3, 4, 5]);
  });
});

async function closed(store: TestStore, disk: MemoryVfs): Promise<ReturnType<typeof checkpointOf>> {
  await store.close();
  return checkpointOf(disk);
}

describe("an append", () => {
  it("that no segment could hold is too-large, and the log goes on", async () => {
    const store = await openOn(new MemoryVfs());
    await store.create("a");
    // Never written to, so it costs no memory.
    const gibibyte = { payload: new Uint8Array(2 ** 30) };

    const refused = store.write((draft) => draft.append("a", [gibibyte, gibibyte, gibibyte, gibibyte]));

    await expect(refused).rejects.toMatchObject({ code: "too-large", effect: "none", details: { limit: 2 ** 31 } });
    await store.append("a", "one");
    expect(await store.texts("a")).toEqual(["one"]);
  });
});
