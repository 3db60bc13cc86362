/**
 * The oldest batches, and the sizes and times that policy goes by.
 */
import { describe, expect, it } from "vitest";
import type { RetainedBatch } from "../engine.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { numbered, openStore, type TestStore } from "./test-store.js";

/** Registers the chapter. */
export function oldestBatches(under: EngineUnderTest): void {
  describe("the oldest batches", () => {
    it("are the appends as they were made, with their times, however they came to be stored", async () => {
      const store = await openStore(under);
      await store.create("a", "b");

      const first = await Promise.all([3, 1, 2].map((count) => store.append("a", ...numbered(count))));
      await store.append("b", "x");
      await store.clock.advance(1000);
      const second = await store.append("a", ...numbered(4));

      const batches = await store.engine.oldestBatches(store.view("a"));
      expect(batches.map(({ firstId, lastId }) => ({ firstId, lastId }))).toEqual([...first, second]);
      expect((batches[3]?.timeMs ?? 0) - (batches[2]?.timeMs ?? 0)).toBe(1000);
    });

    it("are none of an empty channel, and of one that was emptied", async () => {
      const store = await openStore(under);
      await store.create("a");
      expect(await store.engine.oldestBatches(store.view("a"))).toEqual([]);

      const { lastId } = await store.append("a", ...numbered(3));
      await store.trim("a", lastId + 1n);

      expect(await store.engine.oldestBatches(store.view("a"))).toEqual([]);
      expect(store.view("a").sinceMs).toBeUndefined();
    });

    it("begin at the channel's begin, in the middle of a batch too", async () => {
      const store = await openStore(under);
      await store.create("a");
      const [first, second] = [await store.append("a", ...numbered(3)), await store.append("a", ...numbered(3))];

      await store.trim("a", second.firstId + 1n);

      const batches = await store.engine.oldestBatches(store.view("a"));
      expect(batches.map(({ firstId, lastId }) => [firstId, lastId])).toEqual([[second.firstId + 1n, second.lastId]]);
      expect(first.lastId + 1n).toBe(second.firstId);
    });

    it("of a large append are one, over all its parts", async () => {
      const store = await openStore(under);
      await store.create("a");
      const large = "x".repeat(60_000);
      const appended = await Promise.all([
        store.append("a", large, large, large, large, large, large),
        store.append("a", "y"),
        store.append("a", large, large, large, large),
      ]);

      const batches = await store.engine.oldestBatches(store.view("a"));

      expect(batches.map(({ firstId, lastId }) => ({ firstId, lastId }))).toEqual(appended);
    });

    it("told again and again from where the last ones end, are all there are, and their bytes are the channel's", async () => {
      const store = await openStore(under);
      await store.create("a");
      const appended: { firstId: bigint; lastId: bigint }[] = [];
      for (let round = 0; round < 30; round++) {
        const many = Array.from({ length: 40 }, (_, at) => store.append("a", ...numbered(1 + (at % 3), "x".repeat(50 * (at % 7)))));
        appended.push(...(await Promise.all(many)));
      }

      const told: RetainedBatch[] = [];
      for (const view = store.view("a"); view.beginId < view.endId;) {
        const batches = await store.engine.oldestBatches(view);
        told.push(...batches);
        const bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0);
        const before = view.bytes;
        await store.write((draft) => draft.trim("a", (batches.at(-1)?.lastId ?? 0n) + 1n, bytes));
        expect(before - view.bytes).toBe(bytes);
      }

      expect(told.map(({ firstId, lastId }) => ({ firstId, lastId }))).toEqual(appended);
      expect(store.view("a").bytes).toBe(0);
    });

    it("are refused of a channel that is gone", async () => {
      const store = await openStore(under);
      await store.create("a");
      const view = store.view("a");
      await store.destroy("a");

      await expect(store.engine.oldestBatches(view)).rejects.toMatchObject({ code: "channel-not-found" });
    });
  });

  describe("what a channel is told to be since", () => {
    it("is no later than any message that it retains, and not before the first batch", async () => {
      const store = await openStore(under);
      await store.create("a");
      const startMs = store.clock.nowMs();
      await store.append("a", "0");
      for (let at = 1; at < 5; at++) {
        await store.clock.advance(1000);
        await store.append("a", String(at));
        expect(oldestTimeOf(store)).toBe(startMs);
      }

      for (let left = 5; left > 0; left--) {
        const [oldest] = await store.engine.oldestBatches(store.view("a"));
        expect(oldestTimeOf(store)).toBeLessThanOrEqual(oldest?.timeMs ?? 0);
        expect(oldestTimeOf(store)).toBeGreaterThanOrEqual(startMs);
        await store.trim("a", (oldest?.lastId ?? 0n) + 1n);
      }
    });
  });
}

function oldestTimeOf(store: TestStore): number {
  return store.view("a").sinceMs ?? Number.NaN;
}
