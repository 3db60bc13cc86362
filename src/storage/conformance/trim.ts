/** Chapter: a trim takes the oldest messages away, and nothing else. */
import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, numbered, openStore, outsideIds } from "./test-store.js";

/** Registers the chapter. */
export function trim(under: EngineUnderTest): void {
  describe("trim", () => {
    it("what is below is gone when it resolves, and not before", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId } = await store.append("a", "w", "x", "y", "z");

      const trimmed = store.trim("a", firstId + 2n);
      expect(store.view("a").beginId).toBe(firstId);
      await trimmed;

      expect(store.view("a")).toMatchObject({ firstId, beginId: firstId + 2n, endId: firstId + 4n });
      expect(await store.texts("a")).toEqual(["y", "z"]);
    });

    it("reading below the begin is refused with the first id that is there", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId } = await store.append("a", "x", "y", "z");
      await store.trim("a", firstId + 2n);
      const reader = store.engine.reader(store.view("a"));

      await expect(reader.read(firstId + 1n, 10, 1000)).rejects.toMatchObject({
        code: "position-trimmed",
        details: { firstAvailable: String(firstId + 2n) },
      });

      expect(await reader.read(firstId + 2n, 10, 1000)).toHaveLength(1);
    });

    it("may cut at every place in a batch", async () => {
      const store = await openStore(under);
      await store.create("a");
      const texts = numbered(8);
      const { firstId } = await store.append("a", ...texts);

      for (let cut = 1; cut <= 8; cut++) {
        await store.trim("a", firstId + BigInt(cut));
        expect(await store.texts("a")).toEqual(texts.slice(cut));
      }
    });

    it("may take everything: the channel is empty, its end stays, and it goes on from there", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { lastId } = await store.append("a", "x", "y");

      await store.trim("a", lastId + 1n);

      expect(store.view("a")).toMatchObject({ beginId: lastId + 1n, endId: lastId + 1n, bytes: 0 });
      expect(await store.texts("a", lastId + 1n)).toEqual([]);
      await store.append("a", "z");
      expect(await store.texts("a")).toEqual(["z"]);
    });

    it("at or below the begin, or above the end, is refused and changes nothing", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId, lastId } = await store.append("a", "x", "y", "z");
      await store.trim("a", firstId + 1n);
      const refusal = { code: "invalid-argument", details: { argument: "beforeId" }, effect: "none" };

      await expect(store.trim("a", firstId + 1n)).rejects.toMatchObject(refusal);
      await expect(store.trim("a", 0n)).rejects.toMatchObject(refusal);
      await expect(store.trim("a", -1n)).rejects.toMatchObject(refusal);
      await expect(store.trim("a", lastId + 2n)).rejects.toMatchObject(refusal);

      expect(await store.texts("a")).toEqual(["y", "z"]);
    });

    it("of an empty channel is refused: there is nothing to take", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId } = store.view("a");

      await expect(store.trim("a", firstId)).rejects.toMatchObject({ code: "invalid-argument" });
      await expect(store.trim("a", firstId + 1n)).rejects.toMatchObject({ code: "invalid-argument" });

      expect(store.view("a")).toMatchObject({ beginId: firstId, endId: firstId });
    });

    it("sees what was drafted before it: it may take what the same change appended", async () => {
      const store = await openStore(under);
      await store.create("a");

      const { firstId } = await store.write((draft) => {
        const appended = draft.append("a", [message("x"), message("y"), message("z")]);
        draft.trim("a", appended.firstId + 1n);
        draft.trim("a", appended.lastId);
        return appended;
      });

      expect(store.view("a")).toMatchObject({ beginId: firstId + 2n, endId: firstId + 3n });
      expect(await store.texts("a")).toEqual(["z"]);
    });

    it("may end between two ids that came from outside", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(10n), "x");
      await store.appendAt("a", nth(20n), "y");

      await store.trim("a", nth(15n));

      expect(store.view("a").beginId).toBe(nth(15n));
      expect(await store.texts("a", nth(15n))).toEqual(["y"]);
      await expect(store.trim("a", nth(15n))).rejects.toMatchObject({ code: "invalid-argument" });
      await store.trim("a", nth(21n));
      expect(await store.texts("a")).toEqual([]);
    });

    it("touches no other channel", async () => {
      const store = await openStore(under);
      await store.create("a", "a1");
      await Promise.all([store.append("a", "x"), store.append("a1", "x"), store.append("a", "y"), store.append("a1", "y")]);

      await store.trim("a", store.view("a").endId);

      expect(await store.texts("a")).toEqual([]);
      expect(await store.texts("a1")).toEqual(["x", "y"]);
    });

    it("never makes a channel larger, and an empty one has no bytes", async () => {
      const store = await openStore(under);
      await store.create("a");
      for (let batch = 0; batch < 5; batch++) await store.append("a", ...numbered(10, "x".repeat(100)));
      const { firstId, endId } = store.view("a");
      let bytes = store.view("a").bytes;
      expect(bytes).toBeGreaterThanOrEqual(5 * 10 * 100);

      for (let id = firstId + 7n; id < endId; id += 7n) {
        await store.trim("a", id);
        expect(store.view("a").bytes).toBeLessThanOrEqual(bytes);
        expect(store.view("a").bytes).toBeGreaterThan(0);
        bytes = store.view("a").bytes;
      }
      await store.trim("a", endId);

      expect(store.view("a").bytes).toBe(0);
    });
  });
}
