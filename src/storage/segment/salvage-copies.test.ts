import { describe, expect, it } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import { readEngine } from "../../../test/crash/engine-state.js";
import { payloadOf, tagOf, type FoundChannel } from "../../../test/crash/store-state.js";
import { checkpointOf, dir, filesOf, flipBit, groupsOf, openOn, pass, pathOf } from "../../../test/segment/segment-store.js";
import type { TestStore } from "../conformance/test-store.js";
import type { Engine } from "../engine.js";
import { salvageSegmentStore } from "./salvage.js";
import { openSegmentEngine } from "./segment-engine.js";

const to = "/salvaged";
const nowMs = 1_800_000_000_000;

async function produce(store: TestStore, channel: string, first: number, count: number, size: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, at) => ({ payload: payloadOf(tagOf(channel, first + at, size)) }));
  await store.write((draft) => draft.append(channel, messages));
}

function openSalvaged(disk: MemoryVfs): Promise<Engine> {
  const how = { ids: "internal", durability: "sync", segmentBytes: 4096, prefill: "off", clock: new ManualClock(nowMs) } as const;
  return openSegmentEngine({ dir: to, vfs: disk, ...how, metrics: noMetrics, logger: silentLogger });
}

describe("salvage of a store that was compacted", () => {
  /** Five batches of "a" between large ones of "b" that go, so that those of "a" are copied behind its later ones. */
  async function compactedStore(): Promise<{ disk: MemoryVfs; before: Map<string, FoundChannel> }> {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a", "b");
    for (let batch = 0; batch < 5; batch++) {
      await produce(store, "a", 2 * batch, 2, 60);
      await produce(store, "b", batch, 1, 3500);
    }
    await store.destroy("b");
    await produce(store, "a", 10, 1, 2500);
    for (let round = 0; round < 20; round++) await pass(store, 500);
    const { channels } = await readEngine(store.engine);
    await store.close();
    return { disk: disk.kill(), before: new Map(channels) };
  }

  it("puts what was copied forward where its ids are", async () => {
    const { disk, before } = await compactedStore();
    const last = Number(
      filesOf(disk)
        .findLast((name) => name.endsWith(".seg"))
        ?.slice(0, 10),
    );
    const ids = groupsOf(disk, last).flatMap(({ frames }) => frames.filter(({ kind }) => kind === "batch").map(({ baseId }) => baseId));
    expect(ids).not.toEqual(ids.toSorted((a, b) => Number(a - b)));

    const report = await salvageSegmentStore(disk, { from: dir, to, nowMs });

    expect(report).toMatchObject({ messages: 11, holes: [] });
    const engine = await openSalvaged(disk);
    expect(new Map((await readEngine(engine)).channels)).toEqual(before);
    await engine.close();
  });

  it("finds them without a checkpoint, too", async () => {
    const { disk, before } = await compactedStore();
    disk.setFileBytes(pathOf("checkpoint"), Buffer.alloc(0));

    const report = await salvageSegmentStore(disk, { from: dir, to, nowMs });

    const engine = await openSalvaged(disk);
    const [view] = engine.channels();
    const messages = view === undefined ? [] : await engine.reader(view).read(view.beginId, 100, 1e6);
    expect(messages.map(({ id }) => id)).toEqual(before.get("a")?.messages.map(({ id }) => id));
    expect(report.messages).toBe(11);
    await engine.close();
  });

  it("says of every damaged group between which ids messages are lost, and of none that held no message left", async () => {
    const { disk, before } = await compactedStore();
    // Each open begins a segment, and the last checkpoint knows all but the last of them.
    for (const channel of ["c", "d"]) {
      const store = await openOn(disk, { segmentBytes: 4096 });
      await store.create(channel);
      await store.close();
    }
    const files = filesOf(disk).filter((name) => name.endsWith(".seg"));
    const idsThere = before.get("a")?.messages.map(({ id }) => id) ?? [];
    const known = checkpointOf(disk).position.segment;
    let [lossless, lossy] = [0, 0];

    for (const file of files) {
      const segment = Number(file.slice(0, 10));
      for (const { start } of groupsOf(disk, segment)) {
        const damaged = disk.kill();
        flipBit(damaged, file, start + 12);
        const report = await salvageSegmentStore(damaged, { from: dir, to, nowMs });
        const engine = await openSalvaged(damaged);
        const left = new Set((await readEngine(engine)).channels.get("a")?.messages.map(({ id }) => id));
        await engine.close();
        const lost = idsThere.filter((id) => !left.has(id));
        const around = report.holes.flatMap((hole) => hole.around);

        const mayBeCopies = report.holes.some(({ mayHoldCopies }) => mayHoldCopies);
        const isTold = (id: bigint): boolean =>
          mayBeCopies ||
          around.some(({ lastBefore, firstAfter }) => (lastBefore ?? 0n) < id && (firstAfter === undefined || id < firstAfter));
        expect([file, start, lost.filter((id) => !isTold(id))]).toEqual([file, start, []]);
        if (lost.length > 0) lossy++;
        if (segment < known) expect([file, start, mayBeCopies]).toEqual([file, start, false]);
        if (segment < known && lost.length === 0) {
          expect([file, start, around]).toEqual([file, start, []]);
          lossless++;
        }
      }
    }

    expect([lossless > 0, lossy > 0]).toEqual([true, true]);
  });

  it("says of a hole in the last segment that copies of any channel may have stood there, unless no segment was ever removed", async () => {
    const { disk } = await compactedStore();
    const young = new MemoryVfs();
    const store = await openOn(young, { segmentBytes: 4096 });
    await store.create("a");
    await produce(store, "a", 0, 1, 60);
    await store.close();

    const holesOf = async (damaged: MemoryVfs): Promise<boolean[]> => {
      const last = filesOf(damaged).findLast((name) => name.endsWith(".seg")) ?? "";
      flipBit(damaged, last, (groupsOf(damaged, Number(last.slice(0, 10)))[1]?.start ?? 0) + 12);
      return (await salvageSegmentStore(damaged, { from: dir, to, nowMs })).holes.map(({ mayHoldCopies }) => mayHoldCopies);
    };

    expect(await holesOf(disk)).toEqual([true]);
    expect(await holesOf(young.kill())).toEqual([false]);
  });

  it("says so too where the checkpoint is lost, and the one segment that is missing may have been removed", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a", "e");
    await produce(store, "e", 0, 2, 60);
    await produce(store, "a", 0, 1, 3500);
    await produce(store, "a", 1, 1, 1000);
    await store.trim("a", store.view("a").endId);
    for (let round = 0; round < 20; round++) await pass(store, 500);
    await store.close();
    const left = disk.kill();
    expect(filesOf(left).filter((name) => name.endsWith(".seg"))).toEqual(["0000000002.seg"]);
    const copies = groupsOf(left, 2).find(({ frames }) => frames.some(({ rest }) => rest !== undefined));
    flipBit(left, "0000000002.seg", (copies?.start ?? 0) + 12);
    left.setFileBytes(pathOf("checkpoint"), Buffer.alloc(0));

    const { holes } = await salvageSegmentStore(left, { from: dir, to, nowMs });

    expect(holes.filter(({ file }) => file.endsWith("2.seg")).map(({ mayHoldCopies }) => mayHoldCopies)).toEqual([true]);
  });
});
