/** Chapter: the one listener hears of what has happened, between its being so and its being acked. */
import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../engine.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, numbered, openStore, type TestStore } from "./test-store.js";

/** Registers the chapter. */
export function events(under: EngineUnderTest): void {
  describe("events", () => {
    it("an append is told once it is visible, and before it resolves", async () => {
      const store = await openStore(under);
      await store.create("a");
      const view = store.view("a");
      const { endId } = view;
      const told: unknown[] = [];
      let resolved = false;

      store.engine.listen((event) => told.push({ type: event.type, end: view.endId, view: viewOf(event), resolved }));
      await store.append("a", "x", "y").then(() => (resolved = true));

      expect(told).toEqual([{ type: "appended", end: endId + 2n, view, resolved: false }]);
    });

    it("the end of a channel is told with the view that ended", async () => {
      const store = await openStore(under);
      await store.create("a");
      const old = store.view("a");
      const told = listen(store);

      await store.destroy("a");

      expect(told).toEqual([{ type: "destroyed", channel: old }]);
      expect(old.destroyed).toBe(true);
    });

    it("a trim is told with the new begin and the bytes that went", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId, lastId } = await store.append("a", ...numbered(10, "x".repeat(100)));
      const told = listen(store);

      await store.trim("a", firstId + 1n);
      await store.trim("a", lastId + 1n);

      expect(told).toMatchObject([
        { type: "trimmed", channel: store.view("a"), beginId: firstId + 1n },
        { type: "trimmed", channel: store.view("a"), beginId: lastId + 1n },
      ]);
      const bytes = told.map((event) => (event.type === "trimmed" ? event.bytes : -1));
      expect(Math.min(...bytes)).toBeGreaterThanOrEqual(0);
      expect(bytes.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(1000);
    });

    it("metadata, new channels and refused changes are not told", async () => {
      const store = await openStore(under);
      const told = listen(store);

      await store.create("a");
      await store.put("k", "v");
      await expect(store.append("b", "x")).rejects.toMatchObject({ code: "channel-not-found" });

      expect(told).toEqual([]);
    });

    it("after the last event of a channel, its view holds everything told", async () => {
      const store = await openStore(under);
      await store.create("a", "b");
      const ends = new Map<string, bigint>();
      store.engine.listen((event) => {
        if (event.type === "appended") ends.set(event.channel.name, event.channel.endId);
      });

      const written = numbered(50).map((text, at) => store.append(at % 3 === 0 ? "a" : "b", text));
      await Promise.all(written);

      expect(ends).toEqual(new Map(["a", "b"].map((name) => [name, store.view(name).endId])));
    });

    it("a channel made again is told as another than the one that went", async () => {
      const store = await openStore(under);
      await store.create("a");
      const old = store.view("a");
      const told = listen(store);

      await store.write((draft) => {
        draft.destroyChannel("a");
        draft.createChannel("a");
      });
      await store.append("a", "x");

      const appended = told.filter(({ type }) => type === "appended").map(viewOf);
      const destroyed = told.filter(({ type }) => type === "destroyed").map(viewOf);
      expect(destroyed).toEqual([old]);
      expect(appended).toEqual([store.view("a")]);
      expect(appended[0]).not.toBe(old);
    });

    it("a listener may write, and that is another change", async () => {
      const store = await openStore(under);
      await store.create("a", "copy");
      const copies: Promise<unknown>[] = [];

      store.engine.listen((event) => {
        if (event.type === "appended" && event.channel.name === "a") copies.push(store.append("copy", "again"));
      });
      await store.append("a", "x");
      await Promise.all(copies);

      expect(await store.texts("copy")).toEqual(["again"]);
    });

    it("there is one listener: the last one given, or none", async () => {
      const store = await openStore(under);
      await store.create("a");
      const first = listen(store);
      const second = listen(store);

      await store.append("a", "x");
      store.engine.listen(undefined);
      await store.append("a", "y");

      expect(first).toEqual([]);
      expect(second).toHaveLength(1);
    });

    it("an engine that stops says so once", async () => {
      const store = await openStore(under);
      await store.create("a");
      const told = listen(store);

      const broken = store.write((draft) => {
        draft.append("a", [message("half")]);
        throw new Error("broken");
      });
      await expect(broken).rejects.toThrow("broken");
      await expect(store.append("a", "x")).rejects.toMatchObject({ code: "io-failed" });

      expect(told).toEqual([{ type: "failed", error: store.engine.failure }]);
    });
  });
}

function listen(store: TestStore): EngineEvent[] {
  const told: EngineEvent[] = [];
  store.engine.listen((event) => told.push(event));
  return told;
}

function viewOf(event: EngineEvent): unknown {
  return "channel" in event ? event.channel : undefined;
}
