/** Chapter: ids rise, are consecutive where they can be, and never come twice. */
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, openStore, outsideIds } from "./test-store.js";

/** Registers the chapter. */
export function ids(under: EngineUnderTest): void {
  describe("ids given out by the engine", () => {
    it("begin above the time of the channel's creation, shifted by 18 bits", async () => {
      const store = await openStore(under);
      const nowMs = store.clock.nowMs();

      await store.create("a");

      expect(store.view("a").firstId).toBe((BigInt(nowMs) << 18n) + 1n);
      expect((await store.append("a", "x")).firstId).toBe(store.view("a").firstId);
    });

    it("go on by one from batch to batch, whatever the clock does", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { lastId } = await store.append("a", "x", "y");

      store.clock.setNowMs(store.clock.nowMs() + 3_600_000);
      expect(await store.append("a", "z")).toEqual({ firstId: lastId + 1n, lastId: lastId + 1n });
      store.clock.setNowMs(0);

      expect(await store.append("a", "z")).toEqual({ firstId: lastId + 2n, lastId: lastId + 2n });
    });

    it("are each channel's own: another channel's messages leave no gap", async () => {
      const store = await openStore(under);
      await store.create("a", "b");
      const { lastId } = await store.append("a", "x");

      await store.append("b", "1", "2", "3");

      expect((await store.append("a", "y")).firstId).toBe(lastId + 1n);
    });

    it("never come again in a channel made again, though the clock went back before its first life", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { lastId } = await store.append("a", "x", "y", "z");

      store.clock.setNowMs(1_000);
      await store.destroy("a");
      await store.create("a");

      expect(store.view("a").firstId).toBeGreaterThan(lastId);
      expect((await store.append("a", "new")).firstId).toBeGreaterThan(lastId);
    });

    it("begin elsewhere in a channel made again in the same millisecond, though its first life had none: so the two are told apart", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId } = store.view("a");

      await store.destroy("a");
      await store.create("a");

      expect(store.view("a").firstId).toBeGreaterThan(firstId);
    });

    it("begin at the least where the clock stands at 0, and take whole milliseconds of one that has fractions", async () => {
      const store = await openStore(under);
      const { leastId: least = 1n } = under;

      store.clock.setNowMs(0);
      await store.create("a");
      expect(store.view("a").firstId).toBe(least);
      store.clock.setNowMs(1_000.75);
      await store.create("b");

      const timed = (1_000n << 18n) + 1n;
      expect(store.view("b").firstId).toBe(timed > least ? timed : least);
    });

    it("never come again after a trim of everything", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { lastId } = await store.append("a", "x", "y");

      await store.trim("a", lastId + 1n);

      expect((await store.append("a", "z")).firstId).toBe(lastId + 1n);
    });

    it("are refused from outside", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { endId } = store.view("a");

      await expect(store.appendAt("a", endId, "x")).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "firstId" } });

      expect(await store.texts("a")).toEqual([]);
    });

    it("are not used up by changes that are refused or aborted before their turn", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { lastId } = await store.append("a", "x");
      const abort = new AbortController();

      const aborted = store.write((draft) => draft.append("a", [{ payload: Buffer.from("never") }]), { signal: abort.signal });
      abort.abort(new Error("not needed"));
      await expect(aborted).rejects.toThrow("not needed");
      await expect(store.append("a")).rejects.toMatchObject({ code: "invalid-argument" });

      expect((await store.append("a", "y")).firstId).toBe(lastId + 1n);
    });
  });

  describe("ids of a copy", () => {
    const copied = { firstId: 400_000_000_000_000_000n, lastId: 430_000_000_000_000_000n };

    it.each(["internal", "external"] as const)("are those of the log it is made of, and go on behind them: %s ids", async (kind) => {
      const store = await openStore(under, { ids: kind });
      await store.write((draft) => draft.createChannel("a", copied));
      const places = [copied.firstId, copied.firstId + 2n, copied.lastId - 1n];

      await store.write((draft) => places.forEach((place) => draft.copy("a", [message(`${place}`), message("next")], place)));

      expect((await store.messages("a")).map(({ id }) => id)).toEqual(places.flatMap((place) => [place, place + 1n]));
      expect(store.view("a")).toMatchObject({ firstId: copied.firstId, beginId: copied.firstId, endId: copied.lastId + 1n });
      if (under.persists) await store.reopen({ ids: "internal" });
      if (under.persists || kind === "internal") expect((await store.append("a", "own")).firstId).toBe(copied.lastId + 1n);
      expect(await store.engine.countFrom(store.view("a"), copied.firstId + 3n)).toBe(under.persists || kind === "internal" ? 4 : 3);
    });

    it("that go back, or may have been given out in a channel that is gone, are refused", async () => {
      const store = await openStore(under);
      await store.write((draft) => draft.createChannel("a", copied));
      await store.write((draft) => draft.copy("a", [message("x")], copied.firstId + 5n));
      const refusal = { code: "invalid-argument", details: { argument: "firstId" } };

      await expect(store.write((draft) => draft.copy("a", [message("y")], copied.firstId + 5n))).rejects.toMatchObject(refusal);
      await store.destroy("a");
      await expect(store.write((draft) => draft.createChannel("a", copied))).rejects.toMatchObject(refusal);

      expect(store.names()).toEqual([]);
    });
  });

  describe("where ids end", () => {
    const refusal = { code: "invalid-argument", details: { argument: "firstId" }, effect: "none" };

    it("a channel takes no more, and once it is gone none can be made; what is there is there", async () => {
      const store = await openStore(under);
      const largest = under.greatestId ?? 2n ** 63n - 1n;
      await store.create("other");
      await store.write((draft) => draft.createChannel("a", { firstId: largest - 1n, lastId: largest }));
      await store.write((draft) => draft.copy("a", [message("x"), message("y")], largest - 1n));

      await expect(store.append("a", "z")).rejects.toMatchObject(refusal);
      expect(await store.texts("a")).toEqual(["x", "y"]);
      await store.destroy("a");
      await expect(store.create("b")).rejects.toMatchObject(refusal);

      await store.append("other", "goes on");
      expect(await store.texts("other")).toEqual(["goes on"]);
    });

    it("no channel is made by a clock that is beyond them", async () => {
      const store = await openStore(under, { clock: new ManualClock(2 ** 46) });

      await expect(store.create("a")).rejects.toMatchObject(refusal);

      await store.put("k", "v");
      expect(store.names()).toEqual([]);
    });
  });

  describe("ids from outside", () => {
    it("are taken as they come, gaps included", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");

      expect(await store.appendAt("a", nth(7n), "x", "y")).toEqual({ firstId: nth(7n), lastId: nth(8n) });
      await store.appendAt("a", nth(100n), "z");

      expect((await store.messages("a")).map(({ id }) => id)).toEqual([nth(7n), nth(8n), nth(100n)]);
      expect(store.view("a")).toMatchObject({ firstId: nth(1n), beginId: nth(1n), endId: nth(101n) });
    });

    it("may begin at the least in a new store, and be as large as the engine holds (63 bits)", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      const largest = under.greatestId ?? 2n ** 63n - 1n;

      await store.appendAt("a", nth(1n), "x");
      await store.appendAt("a", largest - 1n, "y", "z");

      expect((await store.messages("a")).map(({ id }) => id)).toEqual([nth(1n), largest - 1n, largest]);
    });

    it("beyond what the engine holds are refused, and nothing else is", async () => {
      const store = await openStore(under, { ids: "external" });
      const largest = under.greatestId ?? 2n ** 63n - 1n;
      await store.create("a", "b");
      await store.appendAt("a", largest, "x");
      const refusal = { code: "invalid-argument", details: { argument: "firstId" }, effect: "none" };

      await expect(store.appendAt("a", largest + 1n, "y")).rejects.toMatchObject(refusal);
      await expect(store.appendAt("b", largest, "y", "z")).rejects.toMatchObject(refusal);

      await store.appendAt("b", largest, "y");
      expect([await store.texts("a"), await store.texts("b")]).toEqual([["x"], ["y"]]);
    });

    it("that repeat or go back are refused, and nothing is stored", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(7n), "x", "y");
      const refusal = { code: "invalid-argument", details: { argument: "firstId" }, effect: "none" };

      await expect(store.appendAt("a", nth(8n), "z")).rejects.toMatchObject(refusal);
      await expect(store.appendAt("a", nth(0n), "z")).rejects.toMatchObject(refusal);
      await expect(store.append("a", "z")).rejects.toMatchObject(refusal);

      expect(await store.texts("a")).toEqual(["x", "y"]);
      await store.appendAt("a", nth(9n), "z");
    });

    it("are compared with those drafted in the same turn", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");

      const first = store.appendAt("a", nth(7n), "x", "y");
      const second = store.appendAt("a", nth(8n), "z");

      await first;
      await expect(second).rejects.toMatchObject({ code: "invalid-argument" });
    });

    it("of a channel made again must be above those of its first life", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(500n), "x");

      await store.destroy("a");
      await store.create("a");

      expect(store.view("a").firstId).toBe(nth(501n));
      await expect(store.appendAt("a", nth(500n), "y")).rejects.toMatchObject({ code: "invalid-argument" });
      await store.appendAt("a", nth(501n), "y");
    });
  });
}
