import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import type { TestStore } from "../conformance/test-store.js";
import type { Draft } from "../engine.js";
import { ownChannel } from "./channel-state.js";
import { quietMs } from "./compactor.js";
import { frameHeaderBytes } from "./frame.js";
import { flipBit, groupsOf, openOn, segmentFile, textOfBytes } from "../../../test/segment/segment-store.js";

const segmentBytes = 8192;

/** A frame that the model has made: where its messages' ids begin, what each takes, and what there is besides. */
interface ModelFrame {
  readonly firstId: bigint;
  readonly sizes: readonly number[];
  readonly besides: number;
}

/** What the channels' messages take, told from their sizes alone. */
class Model {
  readonly #frames = new Map<string, ModelFrame[]>();

  /** Appends that were stored together. Their sizes are those of payloads. */
  add(name: string, firstId: bigint, appends: readonly (readonly number[])[]): void {
    const sizes = appends.flat().map((bytes) => 1 + (bytes < 128 ? 1 : 2) + bytes);
    const starts = appends.length > 1 ? appends.length : 0;
    this.#frames.set(name, [...(this.#frames.get(name) ?? []), { firstId, sizes, besides: frameHeaderBytes + starts }]);
  }

  bytes(name: string, beginId: bigint): number {
    return (this.#frames.get(name) ?? []).reduce((sum, { firstId, sizes, besides }) => {
      const left = sizes.filter((_, at) => firstId + BigInt(at) >= beginId);
      return left.length === 0 ? sum : sum + besides + left.reduce((a, b) => a + b, 0);
    }, 0);
  }
}

async function appendTogether(store: TestStore, model: Model, name: string, appends: readonly (readonly number[])[]): Promise<void> {
  const stored = await Promise.all(appends.map((sizes) => store.append(name, ...sizes.map((bytes) => textOfBytes(bytes)))));
  model.add(name, stored[0]?.firstId ?? 0n, appends);
}

function expectBytes(store: TestStore, model: Model): void {
  for (const name of ["a", "b"]) expect([name, store.view(name).bytes]).toEqual([name, model.bytes(name, store.view(name).beginId)]);
}

/** Lets compaction come to its end, and looks at the books on its way. */
async function compact(store: TestStore, model: Model): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await store.clock.advance(quietMs / 2);
    for (let step = 0; step < 10; step++) {
      await store.write(() => undefined);
      expectBytes(store, model);
    }
  }
}

const size = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 100, max: 2000 }));
const appends = fc.array(fc.array(size, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("append" as const), name: fc.constantFrom("a", "b"), appends }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("trim" as const), name: fc.constantFrom("a", "b"), share: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
);

describe("what a trim takes away", () => {
  it("is known to the byte, wherever it cuts: the books are those of what is left, copied and opened again too", async () => {
    let compacted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 15, maxLength: 40 }), async (steps) => {
        const disk = new MemoryVfs();
        const store = await openOn(disk, { segmentBytes });
        const model = new Model();
        await store.create("a", "b");
        const listen = (): void => store.engine.listen((event) => void (compacted += event.type === "compacted" ? event.segments : 0));
        listen();
        for (const step of steps) {
          if (step.do === "append") await appendTogether(store, model, step.name, step.appends);
          if (step.do === "compact") await compact(store, model);
          if (step.do === "reopen") await store.reopen();
          if (step.do === "reopen") listen();
          if (step.do === "trim") {
            const { beginId, endId } = store.view(step.name);
            const ahead = ((endId - beginId) * BigInt(step.share)) / 100n;
            if (ahead > 0n) await store.trim(step.name, beginId + ahead);
          }
          expectBytes(store, model);
        }

        const killed = await openOn(disk.kill(), { segmentBytes });
        expectBytes(killed, model);
        await killed.close();
      }),
      { numRuns: 15 },
    );
    expect(compacted).toBeGreaterThan(5);
  });

  it("goes by what changes before it have drafted, of what the same turn appends too", async () => {
    const store = await openOn(new MemoryVfs());
    const model = new Model();
    await store.create("a");
    const { firstId } = await store.append("a", ...[10, 1000, 20, 500].map((bytes) => textOfBytes(bytes)));
    model.add("a", firstId, [[10, 1000, 20, 500]]);

    const added = store.append("a", ...[2000, 30].map((bytes) => textOfBytes(bytes)));
    await Promise.all([store.trim("a", firstId + 1n), store.trim("a", firstId + 3n), added]);
    model.add("a", firstId + 4n, [[2000, 30]]);
    expect(store.view("a").bytes).toBe(model.bytes("a", store.view("a").beginId));

    const last = store.append("a", ...[300, 40].map((bytes) => textOfBytes(bytes)));
    await Promise.all([last, store.trim("a", firstId + 5n), store.trim("a", firstId + 7n)]);
    model.add("a", firstId + 6n, [[300, 40]]);
    expect(store.view("a").bytes).toBe(model.bytes("a", store.view("a").beginId));
  });

  it("of a gap in the ids is nothing", async () => {
    const store = await openOn(new MemoryVfs(), { ids: "external" });
    await store.create("a");
    await store.appendAt("a", 10n, "one");
    await store.appendAt("a", 1000n, "another");
    await store.trim("a", 11n);
    const { bytes } = store.view("a");

    await store.trim("a", 900n);
    await store.reopen();

    expect(store.view("a")).toMatchObject({ beginId: 11n, bytes });
  });

  it("is estimated where the place that it cuts is bad, and trimmed all the same", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    const { firstId, lastId } = await store.append("a", ...[100, 200, 300, 400].map((bytes) => textOfBytes(bytes)));
    const before = store.view("a").bytes;
    const frame = groupsOf(disk, 1)
      .flatMap(({ frames }) => frames)
      .find(({ kind }) => kind === "batch");
    flipBit(disk, segmentFile(1), (frame?.offset ?? 0) + 200);

    await store.trim("a", firstId + 1n);
    expect(store.view("a")).toMatchObject({ beginId: firstId + 1n, bytes: Math.round((before * 3) / 4) });
    await store.trim("a", lastId + 1n);

    expect(store.view("a").bytes).toBe(0);
  });

  it("may have left a channel to begin in a gap, as earlier versions did: it is read, and trimmed on", async () => {
    const store = await openOn(new MemoryVfs(), { ids: "external" });
    await store.create("a");
    for (const id of [10n, 20n, 30n]) await store.appendAt("a", id, `${id}`);
    const [oldest] = await store.engine.oldestBatches(store.view("a"));
    // Whoever says how much goes is believed, and so is the id: the record is theirs.
    await store.write((draft) => draft.trim("a", 15n, oldest?.bytes));
    const { bytes } = store.view("a");

    await store.reopen();
    expect(store.view("a")).toMatchObject({ beginId: 15n, bytes });
    expect(await store.texts("a", 15n)).toEqual(["20", "30"]);
    await store.trim("a", 17n);
    expect(store.view("a").beginId).toBe(15n);
    await store.trim("a", 25n);
    await store.reopen();

    expect(store.view("a").beginId).toBe(21n);
    expect(await store.texts("a", 21n)).toEqual(["30"]);
  });

  it("is everything below the id where a gap can't be told from messages, since the place is bad", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { ids: "external" });
    await store.create("a");
    await store.appendAt("a", 10n, "one");
    await store.appendAt("a", 1000n, "another");
    const frame = groupsOf(disk, 1)
      .flatMap(({ frames }) => frames)
      .find(({ kind }) => kind === "batch");
    flipBit(disk, segmentFile(1), (frame?.offset ?? 0) + frameHeaderBytes + 2);

    await store.trim("a", 900n);

    expect(store.view("a").beginId).toBe(900n);
  });

  it("goes by the copy too where compaction is halfway through the channel, and has come to the gap", async () => {
    const store = await openOn(new MemoryVfs(), { ids: "external", segmentBytes: 256 * 1024 });
    await store.create("a", "b");
    // Further apart than what shares an extent, and each more than a step of compaction.
    for (const id of [10n, 1000n, 2000n, 3000n]) {
      await store.appendAt("a", id, textOfBytes(20_000));
      await store.appendAt("b", id, textOfBytes(40_000));
    }
    await store.destroy("b");
    await store.create("c");
    await store.appendAt("c", 5000n, textOfBytes(200_000));
    const { runs } = ownChannel(store.view("a"));
    /** The last message that is copied, if some are and some are not. */
    const trimHalfway = (draft: Draft): bigint | undefined => {
      const [copied, left] = runs;
      if (copied === undefined || left === undefined) return undefined;
      draft.trim("a", copied.lastId + 100n);
      return copied.lastId;
    };

    let copiedTo: bigint | undefined;
    for (let turn = 0; turn < 200 && copiedTo === undefined; turn++) {
      if (turn % 10 === 0) await store.clock.advance(quietMs / 2);
      copiedTo = await store.write(trimHalfway);
    }

    expect(copiedTo).toBeDefined();
    expect(store.view("a").beginId).toBe((copiedTo ?? 0n) + 1n);
    expect((await store.messages("a")).at(0)?.id).toBe(((copiedTo ?? 0n) / 1000n + 1n) * 1000n);
  });
});
