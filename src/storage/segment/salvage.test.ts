import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import {
  bytesOf,
  checkpointOf,
  dir,
  filesOf,
  flipBit,
  groupsOf,
  indexFile,
  openOn,
  pass,
  pathOf,
  segmentFile,
  textOfBytes,
} from "../../../test/segment/segment-store.js";
import { readEngine } from "../../../test/crash/engine-state.js";
import { payloadOf, tagOf, type FoundChannel } from "../../../test/crash/store-state.js";
import type { TestStore } from "../conformance/test-store.js";
import { inspectSegmentStore } from "./inspect.js";
import { salvageSegmentStore, type SalvageReport } from "./salvage.js";
import { openSegmentEngine } from "./segment-engine.js";
import { noMetrics } from "../../base/metrics.js";
import { silentLogger } from "../../base/logger.js";

const to = "/salvaged";
const nowMs = 1_800_000_000_000;

/** Produces one batch of messages that say what they are. */
async function produce(store: TestStore, channel: string, first: number, count: number, size = 60): Promise<bigint> {
  const messages = Array.from({ length: count }, (_, at) => ({ payload: payloadOf(tagOf(channel, first + at, size)) }));
  return (await store.write((draft) => draft.append(channel, messages))).firstId;
}

/** Channels "a" and "b", with ten batches each over some segments, a cursor; killed or closed. */
async function makeStore(end: "closed" | "killed"): Promise<MemoryVfs> {
  const disk = new MemoryVfs();
  const store = await openOn(disk, { segmentBytes: 4096 });
  await store.create("a", "b");
  await store.put("groups/g", "earliest");
  for (let batch = 0; batch < 10; batch++) {
    await produce(store, "a", 3 * batch, 3, 300);
    await produce(store, "b", batch, 1, 500);
    await store.put("g/a", String(batch));
  }
  await pass(store, 1500);
  if (end === "closed") await store.close();
  return disk.kill();
}

function salvage(disk: MemoryVfs): Promise<SalvageReport> {
  return salvageSegmentStore(disk, { from: dir, to, nowMs });
}

function hashes(disk: MemoryVfs): string[] {
  return [...disk.snapshot()]
    .filter(([path]) => path.startsWith(`${dir}/`))
    .map(([path, bytes]) => `${path} ${Buffer.from(bytes).toString("base64")}`);
}

/** What somebody finds who opens a store for writing. */
async function open(disk: MemoryVfs, where: string, clock = new ManualClock(nowMs)): ReturnType<typeof openSegmentEngine> {
  const how = { ids: "internal", durability: "sync", segmentBytes: 4096, prefill: "off" } as const;
  return openSegmentEngine({ dir: where, vfs: disk, clock, ...how, metrics: noMetrics, logger: silentLogger });
}

async function channelsIn(disk: MemoryVfs, where: string): Promise<Map<string, FoundChannel>> {
  const engine = await open(disk, where);
  const { channels } = await readEngine(engine);
  await engine.close();
  return new Map(channels);
}

function tagsOf(channel: FoundChannel | undefined): string[] {
  return (channel?.messages ?? []).map(({ tag }) => tag.split("/")[0] ?? "");
}

function numberedTags(channel: string, ...numbers: number[]): string[] {
  return numbers.map((number) => `${channel}#${number}`);
}

function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, at) => first + at);
}

describe("salvage", () => {
  it.each(["closed", "killed"] as const)(
    "of a sound store (%s) copies all of it, ids, times and metadata too, and reports no hole",
    async (end) => {
      const disk = await makeStore(end);
      const source = hashes(disk);

      const report = await salvage(disk);

      expect(report.holes).toEqual([]);
      expect(report).toMatchObject({ messages: 40, batches: 20, metadata: 2, from: dir, to });
      expect(report.channels.map(({ name, isNameKnown, messages }) => [name, isNameKnown, messages])).toEqual([
        ["a", true, 30],
        ["b", true, 10],
      ]);
      expect(hashes(disk)).toEqual(source);
      const [before, after] = [await open(disk, dir), await open(disk, to)];
      expect(await readEngine(after)).toEqual(await readEngine(before));
      expect(after.recovered).toBeUndefined();
      expect(after.meta.revision).toBe(before.meta.revision);
      for (const name of ["a", "b"]) {
        const [of, copy] = [before, after].map((engine) => engine.channel(name));
        if (of === undefined || copy === undefined) throw new Error(`no channel ${name}`);
        const [times, copied] = [await before.reader(of).read(of.beginId, 100, 1e9), await after.reader(copy).read(copy.beginId, 100, 1e9)];
        expect(copied).toEqual(times);
      }
    },
  );

  it("gives a store that is sound by itself, and goes on above all its ids", async () => {
    const disk = await makeStore("closed");
    await salvage(disk);

    const report = await inspectSegmentStore(disk, to, { verify: true });
    const engine = await open(disk, to);
    const { firstId } = await engine.write((draft) => draft.append("a", [{ payload: payloadOf(tagOf("a", 30, 60)) }]));

    expect(report.problems).toEqual([]);
    expect(report.closedCleanly).toBe(true);
    expect(firstId).toBe(report.channels.find(({ name }) => name === "a")?.endId);
  });

  it("goes around a flipped bit: everything but that group, with its place and the ids around", async () => {
    const disk = await makeStore("killed");
    const [, , third] = groupsOf(disk, 2).filter(({ frames }) => frames.some(({ kind }) => kind === "batch"));
    const frame = third?.frames.find(({ kind }) => kind === "batch");
    if (third === undefined || frame === undefined) throw new Error("no third batch in segment 2");
    const channels = await channelsIn(disk, dir);
    const name = checkpointOf(disk).state.channelByNumber(frame.channel)?.name ?? "";
    flipBit(disk, segmentFile(2), frame.offset + 70);
    const source = hashes(disk);

    const { holes, channels: found } = await salvage(disk);

    expect(holes).toHaveLength(1);
    expect(holes[0]).toMatchObject({ file: pathOf(segmentFile(2)), offset: frame.offset, stretch: { start: third.start, end: third.end } });
    expect(holes[0]?.around).toEqual([{ channel: name, lastBefore: frame.baseId - 1n, firstAfter: frame.baseId + BigInt(frame.count) }]);
    expect(hashes(disk)).toEqual(source);
    const salvaged = await channelsIn(disk, to);
    const isLost = (id: bigint): boolean => id >= frame.baseId && id < frame.baseId + BigInt(frame.count);
    expect(salvaged.get(name)?.messages).toEqual(channels.get(name)?.messages.filter(({ id }) => !isLost(id)));
    expect(found.reduce((sum, { messages }) => sum + messages, 0)).toBe(40 - frame.count);
  });

  it("reads the segments around one that is missing", async () => {
    const disk = await makeStore("closed");
    const lost = groupsOf(disk, 2).flatMap(({ frames }) => frames.filter(({ kind }) => kind === "batch"));
    disk.removeFile(pathOf(segmentFile(2)));

    const { holes, messages } = await salvage(disk);

    expect(holes).toMatchObject([{ file: pathOf(segmentFile(2)), offset: 0, what: "the file is missing", stretch: undefined }]);
    expect(holes[0]?.around.map(({ channel }) => channel).sort()).toEqual(["a", "b"]);
    expect(messages).toBe(40 - lost.reduce((sum, { count }) => sum + count, 0));
    expect((await channelsIn(disk, to)).get("a")?.messages.at(-1)?.tag).toContain("a#29/");
  });

  it.each(["gone", "damaged"] as const)("makes do without the checkpoint (%s): names and metadata come out of the log", async (how) => {
    const disk = await makeStore("closed");
    if (how === "gone") disk.removeFile(pathOf("checkpoint"));
    else flipBit(disk, "checkpoint", 60);

    const { holes, channels, metadata } = await salvage(disk);

    expect(holes).toMatchObject([{ file: pathOf("checkpoint"), offset: 0 }]);
    expect(channels.map(({ name, messages }) => [name, messages])).toEqual([
      ["a", 30],
      ["b", 10],
    ]);
    expect(metadata).toBe(2);
    expect(tagsOf((await channelsIn(disk, to)).get("a"))).toEqual(numberedTags("a", ...range(0, 30)));
  });

  it("names channels by their number when nothing says their name", async () => {
    const disk = await makeStore("closed");
    disk.removeFile(pathOf("checkpoint"));
    disk.removeFile(pathOf(segmentFile(1)));

    const { channels, holes } = await salvage(disk);

    expect(channels.map(({ name, isNameKnown }) => [name, isNameKnown])).toEqual([
      ["channel-1", false],
      ["channel-2", false],
    ]);
    expect(holes.map(({ file }) => file)).toEqual([pathOf("checkpoint"), pathOf(segmentFile(1))]);
  });

  it("leaves trimmed what was trimmed and destroyed what was destroyed, with the checkpoint and without", async () => {
    for (const withCheckpoint of [true, false]) {
      const disk = new MemoryVfs();
      const store = await openOn(disk, { segmentBytes: 64 * 1024 });
      await store.create("a", "gone", "again", "empty");
      const first = await produce(store, "a", 0, 5);
      await produce(store, "gone", 0, 3);
      await produce(store, "again", 0, 3);
      const last = await produce(store, "empty", 0, 2);
      await store.trim("a", first + 3n);
      await store.trim("empty", last + 2n);
      await store.destroy("gone");
      await store.destroy("again");
      await store.create("again");
      await produce(store, "again", 7, 1);
      await store.close();
      const after = disk.kill();
      if (!withCheckpoint) after.removeFile(pathOf("checkpoint"));

      const { channels, messages } = await salvage(after);

      expect(messages).toBe(3);
      expect(channels.map(({ name }) => name).sort()).toEqual(["a", "again", "empty"]);
      const found = await channelsIn(after, to);
      expect(tagsOf(found.get("a"))).toEqual(numberedTags("a", 3, 4));
      expect(tagsOf(found.get("again"))).toEqual(numberedTags("again", 7));
      expect(found.get("empty")).toMatchObject({ messages: [], endId: last + 2n });
      expect(found.get("a")?.beginId).toBe(first + 3n);
    }
  });

  it("takes a write that was never finished for no hole, and one below the mark for one", async () => {
    const disk = await makeStore("killed");
    const last =
      filesOf(disk)
        .filter((name) => name.endsWith(".seg"))
        .at(-1) ?? "";
    const whole = bytesOf(disk, last);
    disk.setFileBytes(pathOf(last), Buffer.concat([whole, Buffer.from("half a write")]));
    expect((await salvage(disk)).holes).toEqual([]);

    const cut = await makeStore("killed");
    cut.setFileBytes(pathOf(last), whole.subarray(0, whole.length - 8));

    const { holes } = await salvage(cut);

    expect(holes).toMatchObject([{ file: pathOf(last), what: expect.stringContaining("the log was durable up to offset") as string }]);
    // Of a channel with nothing behind the hole nobody can tell what came behind it.
    expect(holes[0]?.around).toContainEqual(expect.objectContaining({ channel: "a", firstAfter: undefined }));
  });

  it("reads a segment whose header is damaged", async () => {
    const disk = await makeStore("closed");
    flipBit(disk, segmentFile(2), 20);

    const { holes, messages } = await salvage(disk);

    expect(messages).toBe(40);
    expect(holes).toMatchObject([{ file: pathOf(segmentFile(2)), offset: 0, stretch: { start: 0 }, around: [] }]);
  });

  it("finds the store's id in a damaged header when nothing else says it", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    await produce(store, "a", 0, 3);
    await store.close();
    const after = disk.kill();
    after.removeFile(pathOf("checkpoint"));
    flipBit(after, segmentFile(1), 50);

    expect(await salvage(after)).toMatchObject({ messages: 3, channels: [{ name: "a" }] });

    flipBit(after, segmentFile(1), 73);
    await expect(salvageSegmentStore(after, { from: dir, to: "/again", nowMs })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("no byte can be told from noise") as string,
    });
  });

  it("gives out no id again that may have been given out in a hole", async () => {
    const disk = await makeStore("killed");
    const last =
      filesOf(disk)
        .filter((name) => name.endsWith(".seg"))
        .at(-1) ?? "";
    disk.removeFile(pathOf(last));
    disk.removeFile(pathOf("checkpoint"));

    await salvage(disk);

    const engine = await open(disk, to);
    const { firstId } = await engine.write((draft) => draft.append("a", [{ payload: new Uint8Array(1) }]));
    expect(firstId).toBeGreaterThan(BigInt(nowMs) << 18n);
  });

  it("refuses what is open, and where there is nothing to salvage", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");

    await expect(salvage(disk)).rejects.toMatchObject({ code: "locked" });
    await store.close();
    await disk.makeDirectory("/empty");
    await expect(salvageSegmentStore(disk, { from: "/empty", to, nowMs })).rejects.toMatchObject({ code: "invalid-argument" });
    expect([...disk.snapshot().keys()].filter((path) => path.startsWith(to))).toEqual([]);
  });

  it("salvages large stores over many segments of the new one, too", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 64 * 1024 });
    await store.create("a");
    for (let batch = 0; batch < 40; batch++) await store.append("a", textOfBytes(30_000));
    await store.close();

    expect(await salvage(disk)).toMatchObject({ messages: 40, holes: [] });
    expect(filesOf(disk).filter((name) => name === indexFile(1))).toHaveLength(1);
    expect((await inspectSegmentStore(disk, to, { verify: true })).problems).toEqual([]);
  });

  it("never makes up a message, loses none of a whole group, and says where one is missing, whatever is damaged", async () => {
    const original = await makeStore("closed");
    const whole = await shownIn(original.kill(), dir);
    const pristine = original.kill();
    const groups = segmentsOf(pristine).flatMap((segment) => groupsOf(pristine, segment).map((group) => ({ segment, ...group })));
    const names = filesOf(original).filter((name) => /\.seg$|^checkpoint$|^mark$/.test(name));
    const flip = fc.record({ file: fc.constantFrom(...names), at: fc.double({ min: 0, max: 0.999, noNaN: true }), bit: fc.nat(7) });
    const damage = fc.record({
      flips: fc.array(flip, { maxLength: 4 }),
      missing: fc.option(fc.constantFrom(...names), { freq: 3 }),
    });

    await fc.assert(
      fc.asyncProperty(damage, async ({ flips, missing }) => {
        const disk = original.kill();
        for (const { file, at, bit } of flips) flipBit(disk, file, Math.floor(bytesOf(disk, file).length * at), bit);
        if (missing !== null) disk.removeFile(pathOf(missing));

        const report = await salvage(disk);

        const salvaged = await shownIn(disk, to);
        expect((await inspectSegmentStore(disk, to, { verify: true })).problems).toEqual([]);
        for (const [id, tag] of salvaged) expect(whole.get(id)).toBe(tag);
        if (salvaged.size < whole.size) expect(report.holes.length).toBeGreaterThan(0);
        const intact = groups.filter(({ segment, start, end }) => isUntouched(pristine, disk, segmentFile(segment), start, end));
        const due = intact.flatMap(({ frames }) => frames.filter(({ kind }) => kind === "batch"));
        for (const { channel, baseId } of due) expect(salvaged.has(`${channel} ${baseId}`)).toBe(true);
        expect(report.messages).toBe(salvaged.size);
      }),
      { numRuns: 80 },
    );
  });
});

/** Every message of a store by its channel's number and its id, whatever its channel is called. */
async function shownIn(disk: MemoryVfs, where: string): Promise<Map<string, string>> {
  const engine = await open(disk, where);
  const shown = new Map<string, string>();
  for (const view of engine.channels()) {
    const reader = engine.reader(view);
    for (let from = view.beginId, last = from; from < view.endId; from = last + 1n) {
      for (const { id, payload } of await reader.read(from, 100, 1e9)) {
        const tag = Buffer.from(payload).toString("latin1").split("|", 1)[0] ?? "";
        expect(Buffer.compare(payload, payloadOf(tag))).toBe(0);
        shown.set(`${tag.startsWith("a") ? 1 : 2} ${id}`, tag);
        last = id;
      }
    }
  }
  await engine.close();
  return shown;
}

function segmentsOf(disk: MemoryVfs): number[] {
  return filesOf(disk)
    .filter((name) => name.endsWith(".seg"))
    .map((name) => Number(name.slice(0, 10)));
}

function isUntouched(before: MemoryVfs, after: MemoryVfs, file: string, start: number, end: number): boolean {
  if (!filesOf(after).includes(file)) return false;
  return bytesOf(before, file).subarray(start, end).equals(bytesOf(after, file).subarray(start, end));
}
