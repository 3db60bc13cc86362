/** Chapter: finding a place by time, and counting from one. */
import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "./engine-under-test.js";
import { numbered, openStore, type TestStore, outsideIds } from "./test-store.js";

/** Registers the chapter. */
export function timesAndCounts(under: EngineUnderTest): void {
  describe("idAt", () => {
    it("is the first message at or after the time", async () => {
      const { store, t, first } = await threeBatches(under);

      expect(await store.engine.idAt(store.view("a"), 0)).toBe(first[0]);
      expect(await store.engine.idAt(store.view("a"), t)).toBe(first[0]);
      expect(await store.engine.idAt(store.view("a"), t + 1)).toBe(first[1]);
      expect(await store.engine.idAt(store.view("a"), t + 100)).toBe(first[1]);
      expect(await store.engine.idAt(store.view("a"), t + 101)).toBe(first[2]);
      expect(await store.engine.idAt(store.view("a"), t + 200)).toBe(first[2]);
    });

    it("is undefined past the last message, in an empty channel and in an emptied one", async () => {
      const { store, t } = await threeBatches(under);
      await store.create("empty");

      expect(await store.engine.idAt(store.view("a"), t + 201)).toBeUndefined();
      expect(await store.engine.idAt(store.view("empty"), 0)).toBeUndefined();
      await store.trim("a", store.view("a").endId);
      expect(await store.engine.idAt(store.view("a"), 0)).toBeUndefined();
    });

    it("past the end of one channel never lands in another", async () => {
      const { store, t } = await threeBatches(under);
      store.clock.setNowMs(t + 1_000);
      await store.create("b");
      await store.append("b", "later");

      expect(await store.engine.idAt(store.view("a"), t + 500)).toBeUndefined();
      expect(await store.engine.idAt(store.view("b"), t + 500)).toBe(store.view("b").beginId);
    });

    it("is the first retained one when a trim went through its batch", async () => {
      const { store, t, first } = await threeBatches(under);
      const inside = (first[1] ?? 0n) + 2n;

      await store.trim("a", inside);

      expect(await store.engine.idAt(store.view("a"), 0)).toBe(inside);
      expect(await store.engine.idAt(store.view("a"), t + 100)).toBe(inside);
      expect(await store.engine.idAt(store.view("a"), t + 101)).toBe(first[2]);
    });

    it("is the first of several batches of one time", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId } = await store.append("a", "x");
      await store.append("a", "y");

      expect(await store.engine.idAt(store.view("a"), store.clock.nowMs())).toBe(firstId);
    });

    it("is refused for a channel that is gone", async () => {
      const store = await openStore(under);
      await store.create("a");
      const old = store.view("a");
      await store.destroy("a");

      await expect(store.engine.idAt(old, 0)).rejects.toMatchObject({ code: "channel-not-found" });
    });
  });

  describe("countFrom", () => {
    it("counts the visible messages from an id on, from any place in a batch", async () => {
      const { store, first } = await threeBatches(under);
      const [begin = 0n] = first;

      for (const at of [0, 1, 2, 3, 4, 8, 9]) expect(await store.engine.countFrom(store.view("a"), begin + BigInt(at))).toBe(9 - at);
      expect(await store.engine.countFrom(store.view("a"), begin + 100n)).toBe(0);
    });

    it("does not count what is trimmed", async () => {
      const { store, first } = await threeBatches(under);
      const [begin = 0n] = first;

      await store.trim("a", begin + 4n);

      expect(await store.engine.countFrom(store.view("a"), 0n)).toBe(5);
      expect(await store.engine.countFrom(store.view("a"), begin + 2n)).toBe(5);
      expect(await store.engine.countFrom(store.view("a"), begin + 7n)).toBe(2);
    });

    it("counts messages, not the ids between them", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(10n), "x", "y");
      await store.appendAt("a", nth(1_000n), "z");

      expect(await store.engine.countFrom(store.view("a"), nth(0n))).toBe(3);
      expect(await store.engine.countFrom(store.view("a"), nth(11n))).toBe(2);
      expect(await store.engine.countFrom(store.view("a"), nth(12n))).toBe(1);
      await store.trim("a", nth(500n));
      expect(await store.engine.countFrom(store.view("a"), nth(0n))).toBe(1);
    });

    it("is 0 in an empty channel, and refused for one that is gone", async () => {
      const store = await openStore(under);
      await store.create("a");
      const view = store.view("a");

      expect(await store.engine.countFrom(view, 0n)).toBe(0);
      await store.destroy("a");
      await expect(store.engine.countFrom(view, 0n)).rejects.toMatchObject({ code: "channel-not-found" });
    });

    it("agrees with reading, across many batches of several channels", async () => {
      const store = await openStore(under);
      await store.create("a", "b");
      for (let round = 0; round < 30; round++) {
        await Promise.all([store.append("a", ...numbered((round % 5) + 1)), store.append("b", "x".repeat(5_000))]);
      }
      const { beginId, endId } = store.view("a");

      for (let id = beginId; id <= endId; id += 6n) {
        expect(await store.engine.countFrom(store.view("a"), id)).toBe((await store.messages("a", id)).length);
      }
    });
  });
}

/** Channel "a" with three batches of three messages, 100 ms apart, the first at `t`. */
async function threeBatches(under: EngineUnderTest): Promise<{ store: TestStore; t: number; first: bigint[] }> {
  const store = await openStore(under);
  const t = store.clock.nowMs();
  await store.create("a");
  const first: bigint[] = [];
  for (const later of [0, 100, 200]) {
    store.clock.setNowMs(t + later);
    first.push((await store.append("a", "x", "y", "z")).firstId);
  }
  return { store, t, first };
}
