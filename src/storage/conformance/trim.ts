/** Chapter: a trim takes the oldest messages away, and nothing else. */
import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../engine.js";
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

    it("in a gap of the ids begins behind the last message that went: whoever stands there has lost nothing", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(10n), "w", "x");
      await store.appendAt("a", nth(20n), "y");
      await store.appendAt("a", nth(30n), "z");

      await store.trim("a", nth(15n));

      expect(store.view("a").beginId).toBe(nth(12n));
      expect(await store.texts("a", nth(12n))).toEqual(["y", "z"]);
      const reader = store.engine.reader(store.view("a"));
      const refusal = { code: "position-trimmed", details: { firstAvailable: String(nth(12n)) } };
      await expect(reader.read(nth(11n), 1, 1)).rejects.toMatchObject(refusal);
      await store.trim("a", nth(29n));
      expect(store.view("a").beginId).toBe(nth(21n));
      await store.trim("a", nth(31n));
      expect(await store.texts("a")).toEqual([]);
    });

    it("of what no message has changes nothing, and nobody is told of it", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(10n), "x");
      await store.appendAt("a", nth(20n), "y");
      await store.trim("a", nth(11n));
      const { beginId, endId, bytes } = store.view("a");
      const told: EngineEvent[] = [];
      store.engine.listen((event) => told.push(event));

      await store.trim("a", nth(20n));
      await store.trim("a", nth(13n));

      expect(store.view("a")).toMatchObject({ beginId, endId, bytes });
      expect(told).toEqual([]);
      expect(await store.texts("a", nth(11n))).toEqual(["y"]);
    });

    it("before the first message of a channel, which may be far behind where its ids begin, takes nothing", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(10n), "x");
      const { firstId } = store.view("a");
      await store.create("b");

      await store.trim("a", nth(7n));
      await store.write((draft) => {
        draft.append("b", [message("x")], nth(1000n));
        draft.trim("b", nth(500n));
      });

      expect(store.view("a")).toMatchObject({ firstId, beginId: firstId });
      expect(await store.texts("a", firstId)).toEqual(["x"]);
      expect(store.view("b").beginId).toBe(store.view("b").firstId);
    });

    it("in a gap of the ids goes by what the same turn appended, trimmed and made", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(10n), "w");

      const added = store.appendAt("a", nth(20n), "x", "y");
      await Promise.all([added, store.trim("a", nth(15n)), store.appendAt("a", nth(40n), "z"), store.trim("a", nth(35n))]);
      expect(store.view("a").beginId).toBe(nth(22n));
      expect(await store.texts("a")).toEqual(["z"]);
      await Promise.all([
        store.create("b"),
        store.appendAt("b", nth(100n), "x"),
        store.appendAt("b", nth(110n), "y"),
        store.trim("b", nth(105n)),
      ]);

      expect(store.view("b").beginId).toBe(nth(101n));
      expect(await store.texts("b")).toEqual(["y"]);
    });

    it("in a gap of the ids is seen by the changes behind it as by readers later", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(10n), "x");
      await store.appendAt("a", nth(20n), "y");

      const begin = (): Promise<bigint | undefined> => store.write((draft) => draft.channel("a")?.beginId);
      const [, first, , second] = await Promise.all([store.trim("a", nth(15n)), begin(), store.trim("a", nth(18n)), begin()]);

      expect([first, second]).toEqual([nth(11n), nth(11n)]);
    });

    it("in a gap of the ids is the same wherever in the store the gap is, and after it is opened again", async () => {
      const store = await openStore(under, { ids: "external", segmentBytes: 64 * 1024 });
      const nth = outsideIds(under);
      await store.create("a");
      const stride = 10n;
      for (let at = 0n; at < 40n; at++) await store.appendAt("a", nth(1n + at * stride), `${at}`.padEnd(9_000, "x"), "beside");

      for (const at of [0n, 1n, 6n, 13n, 14n, 15n, 30n]) {
        await store.trim("a", nth(7n + at * stride));
        expect([at, store.view("a").beginId]).toEqual([at, nth(3n + at * stride)]);
      }
      if (under.persists) await store.reopen();

      expect(store.view("a").beginId).toBe(nth(303n));
      expect(await store.texts("a", nth(303n))).toHaveLength(18);
      await store.trim("a", nth(350n));
      expect(store.view("a").beginId).toBe(nth(343n));
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
