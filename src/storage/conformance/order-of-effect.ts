/** Chapter: the order of calls is the order of effect, and a change is there whole or not at all. */
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, numbered, openStore } from "./test-store.js";

/** Throws where it is asked for the time. */
class BrokenClock extends ManualClock {
  isBroken = false;

  override nowMs(): number {
    if (this.isBroken) throw new Error("there is no time");
    return super.nowMs();
  }
}

/** Registers the chapter. */
export function orderOfEffect(under: EngineUnderTest): void {
  describe("order of effect", () => {
    it("a change never runs inside the call that hands it in", async () => {
      const store = await openStore(under);
      let ran = false;

      const written = store.write(() => (ran = true));

      expect(ran).toBe(false);
      await written;
      expect(ran).toBe(true);
    });

    it("changes run in call order, awaited or not", async () => {
      const store = await openStore(under);
      const order: number[] = [];

      const early = [1, 2, 3].map((n) => store.write(() => order.push(n)));
      await early[0];
      const late = [4, 5].map((n) => store.write(() => order.push(n)));
      await Promise.all([...early, ...late]);

      expect(order).toEqual([1, 2, 3, 4, 5]);
    });

    it("what is stored resolves in call order", async () => {
      const store = await openStore(under);
      await store.create("a", "b");
      const resolved: string[] = [];

      const texts = numbered(20);
      await Promise.all(texts.map((text, at) => store.append(at % 2 === 0 ? "a" : "b", text).then(() => resolved.push(text))));

      expect(resolved).toEqual(texts);
    });

    it("a write resolves with what its change returned", async () => {
      const store = await openStore(under);
      const result = { of: "the change" };

      expect(await store.write(() => result)).toBe(result);
      expect(await store.write(() => undefined)).toBeUndefined();
    });

    it("a change finds what earlier ones drafted, long before it is visible", async () => {
      const store = await openStore(under);

      const found = await Promise.all([
        store.create("a"),
        store.append("a", "x", "y"),
        store.write((draft) => draft.trim("a", (draft.channel("a")?.beginId ?? 0n) + 1n)),
        store.put("k", "v"),
        store.write((draft) => ({ ...draft.channel("a"), value: draft.get("k")?.value, visible: store.engine.channel("a")?.endId })),
      ]);

      const { firstId } = store.view("a");
      const drafted = found[4];
      expect(drafted).toMatchObject({ firstId, beginId: firstId + 1n, endId: firstId + 2n, lastId: firstId + 1n });
      expect(Buffer.from(drafted.value ?? []).toString()).toBe("v");
    });

    it("while a change runs, readers see nothing of it or of those that wait with it", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { endId } = store.view("a");
      const revision = store.engine.meta.revision;

      const first = store.append("a", "x");
      const second = store.write((draft) => {
        draft.put("k", Buffer.from("v"));
        draft.createChannel("b");
        return { k: store.engine.meta.get("k"), revision: store.engine.meta.revision, b: store.engine.channel("b") };
      });
      await first;

      expect(await second).toEqual({ k: undefined, revision, b: undefined });
      expect(store.view("a").endId).toBe(endId + 1n);
    });

    it("all that one change drafted becomes visible in one step", async () => {
      const store = await openStore(under);
      await store.create("a", "b", "old");
      const start = store.view("a").endId;
      const startB = store.view("b").endId;
      const seen = new Set<string>();
      const look = (): void => {
        const a = store.view("a").endId - start;
        const b = store.view("b").endId - startB;
        const made = store.engine.channel("new") !== undefined;
        const gone = store.engine.channel("old") === undefined;
        seen.add(JSON.stringify([Number(a), Number(b), made, gone, store.metaText("k")]));
      };

      store.engine.listen(look);
      const written = store.write((draft) => {
        draft.append("a", [message("x")]);
        draft.createChannel("new");
        draft.append("b", [message("x"), message("y")]);
        draft.destroyChannel("old");
        draft.put("k", Buffer.from("v"));
      });
      let settled = false;
      const settling = written.finally(() => (settled = true));
      while (!settled) {
        look();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await settling;
      look();

      expect(seen).toEqual(new Set([JSON.stringify([0, 0, false, false, undefined]), JSON.stringify([1, 2, true, true, "v"])]));
    });

    it("a change that throws before it drafts is refused with just that, and those around it do not notice", async () => {
      const store = await openStore(under);
      await store.create("a");
      const mine = new Error("mine");

      const before = store.append("a", "before");
      const refused = store.write(() => {
        throw mine;
      });
      const after = store.append("a", "after");

      await expect(refused).rejects.toBe(mine);
      const { lastId } = await before;
      expect((await after).firstId).toBe(lastId + 1n);
      expect(await store.texts("a")).toEqual(["before", "after"]);
      expect(store.engine.failure).toBeUndefined();
    });

    it("what the draft refuses has drafted nothing, so a change may go on after it", async () => {
      const store = await openStore(under);
      await store.create("a");
      const refusals: unknown[] = [];
      const attempt = (f: () => unknown): void => {
        try {
          f();
        } catch (error) {
          refusals.push(error);
        }
      };

      await store.write((draft) => {
        attempt(() => draft.createChannel("a"));
        attempt(() => draft.destroyChannel("b"));
        attempt(() => draft.append("b", [message("x")]));
        attempt(() => draft.append("a", []));
        attempt(() => draft.trim("a", 0n));
        draft.append("a", [message("x")]);
      });

      expect(refusals).toMatchObject([
        { code: "channel-exists" },
        { code: "channel-not-found" },
        { code: "channel-not-found" },
        { code: "invalid-argument" },
        { code: "invalid-argument" },
      ]);
      expect(store.names()).toEqual(["a"]);
      expect(await store.texts("a")).toEqual(["x"]);
    });

    it("a change that throws after it drafted stops the engine: nothing of it is seen, and nothing is written any more", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "acked");
      const mine = new Error("mine");

      const broken = store.write((draft) => {
        draft.append("a", [message("half")]);
        throw mine;
      });
      const later = store.append("a", "later");

      await expect(broken).rejects.toBe(mine);
      await expect(later).rejects.toMatchObject({ code: "io-failed" });
      await expect(store.append("a", "much later")).rejects.toMatchObject({ code: "io-failed", effect: "none", retry: "reopen" });
      expect(store.engine.failure).toBeInstanceOf(Error);
      expect(await store.texts("a")).toEqual(["acked"]);
    });

    it("a turn that can't begin stops the engine: all who wait for it are told, and it closes", async () => {
      const clock = new BrokenClock();
      const store = await openStore(under, { clock });
      await store.create("a");
      await store.append("a", "acked");

      clock.isBroken = true;
      const waiting = [store.append("a", "first"), store.append("a", "second")];

      for (const one of waiting) await expect(one).rejects.toMatchObject({ code: "io-failed", effect: "none", retry: "reopen" });
      expect(store.engine.failure?.message).toContain("no time");
      clock.isBroken = false;
      await expect(store.append("a", "later")).rejects.toMatchObject({ code: "io-failed", effect: "none" });
      expect(await store.texts("a")).toEqual(["acked"]);
      await store.close();
    });

    it("a change may hand in another, which runs after all that were there", async () => {
      const store = await openStore(under);
      const order: string[] = [];
      let inner: Promise<unknown> = Promise.resolve();

      const outer = store.write(() => {
        order.push("outer");
        inner = store.write(() => order.push("inner"));
      });
      const next = store.write(() => order.push("next"));
      await Promise.all([outer, next]);
      await inner;

      expect(order).toEqual(["outer", "next", "inner"]);
    });

    it("a change that drafts nothing waits its turn all the same", async () => {
      const store = await openStore(under);
      await store.create("a");

      const append = store.append("a", "x");
      const barrier = store.write((draft) => draft.channel("a")?.endId);

      expect(await barrier).toBe((await append).lastId + 1n);
      expect(await store.texts("a")).toEqual(["x"]);
    });

    it("the time of turns never goes back", async () => {
      const store = await openStore(under);
      await store.create("a");
      const late = store.clock.nowMs() + 5_000;

      store.clock.setNowMs(late);
      await store.append("a", "x");
      store.clock.setNowMs(late - 60_000);
      const drafted = await store.write((draft) => {
        draft.append("a", [message("y")]);
        return draft.nowMs;
      });

      expect(drafted).toBe(late);
      expect((await store.messages("a")).map(({ timeMs }) => timeMs)).toEqual([late, late]);
    });
  });
}
