/** Chapter: giving up before the turn, and closing, settle everything. */
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, numbered, openStore, outcomeOf } from "./test-store.js";

/** Registers the chapter. */
export function abortAndClose(under: EngineUnderTest): void {
  describe("abort", () => {
    it("a change whose signal is aborted already is refused with the reason, and never runs", async () => {
      const store = await openStore(under);
      const reason = new Error("too late");
      let ran = false;

      const written = store.write(() => (ran = true), { signal: AbortSignal.abort(reason) });

      await expect(written).rejects.toBe(reason);
      await store.write(() => undefined);
      expect(ran).toBe(false);
    });

    it("a change that is aborted while it waits is refused with the reason, and never runs; those around it do", async () => {
      const store = await openStore(under);
      await store.create("a");
      const abort = new AbortController();
      const reason = { any: "value" };

      const before = store.append("a", "before");
      const aborted = store.write((draft) => draft.append("a", [message("aborted")]), { signal: abort.signal });
      const after = store.append("a", "after");
      abort.abort(reason);

      await expect(aborted).rejects.toBe(reason);
      expect((await after).firstId).toBe((await before).lastId + 1n);
      expect(await store.texts("a")).toEqual(["before", "after"]);
    });

    it("a change that is given up by one that runs before it, in the same turn, does not run", async () => {
      const store = await openStore(under);
      await store.create("a");
      const abort = new AbortController();
      const reason = new Error("given up by the one before");

      const before = store.write((draft) => {
        abort.abort(reason);
        return draft.append("a", [message("before")]);
      });
      const given = store.write((draft) => draft.append("a", [message("given up")]), { signal: abort.signal });
      const after = store.append("a", "after");

      await expect(given).rejects.toBe(reason);
      expect((await after).firstId).toBe((await before).lastId + 1n);
      expect(await store.texts("a")).toEqual(["before", "after"]);
    });

    it("aborting in or after the turn changes nothing", async () => {
      const store = await openStore(under);
      await store.create("a");
      const abort = new AbortController();

      const written = store.write(
        (draft) => {
          abort.abort(new Error("in the turn"));
          return draft.append("a", [message("x")]);
        },
        { signal: abort.signal },
      );

      expect((await written).firstId).toBe(store.view("a").beginId);
      expect(await store.texts("a")).toEqual(["x"]);
    });

    it("one signal may give up many, and is not listened to any longer than they wait", async () => {
      const store = await openStore(under);
      await store.create("a");
      const abort = new AbortController();

      const kept = await Promise.all(numbered(5).map((text) => store.write((draft) => draft.append("a", [message(text)]), abort)));
      expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
      const given = numbered(5).map((text) => store.write((draft) => draft.append("a", [message(text)]), abort));
      abort.abort(new Error("all of them"));

      for (const outcome of await Promise.allSettled(given))
        expect(outcome).toMatchObject({ status: "rejected", reason: { message: "all of them" } });
      expect(kept).toHaveLength(5);
      expect(await store.texts("a")).toEqual(numbered(5));
      expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
    });
  });

  describe("settled", () => {
    it("is undefined when nothing waits or is under way", async () => {
      const store = await openStore(under);
      expect(store.engine.settled()).toBeUndefined();

      await store.create("a");
      await store.engine.settled();

      expect(store.engine.settled()).toBeUndefined();
    });

    it("resolves once all that was handed in is settled, the refused too", async () => {
      const store = await openStore(under);
      await store.create("a");
      const outcomes: string[] = [];

      const written = [
        store.append("a", "x").then(() => outcomes.push("appended")),
        store.append("nowhere", "x").catch(() => outcomes.push("refused")),
        store.append("a", "y").then(() => outcomes.push("appended")),
      ];
      await store.engine.settled();

      expect(outcomes.sort()).toEqual(["appended", "appended", "refused"]);
      await Promise.all(written);
    });

    it("does not wait for what is handed in later, however much that is", async () => {
      const store = await openStore(under);
      await store.create("a");
      let stop = false;
      const keepWriting = async (): Promise<number> => {
        let written = 0;
        for (; !stop; written++) await store.append("a", "x");
        return written;
      };

      const writing = Promise.all([keepWriting(), keepWriting(), keepWriting()]);
      await store.engine.settled();
      stop = true;
      const counts = await writing;

      expect(Math.min(...counts)).toBeGreaterThan(0);
    });
  });

  describe("close", () => {
    it("finishes what was handed in before, and refuses what comes after", async () => {
      const store = await openStore(under);
      await store.create("a");

      const before = numbered(20).map((text) => store.append("a", text));
      const closing = store.close();
      const after = store.append("a", "after");

      await expect(after).rejects.toMatchObject({ code: "closed", effect: "none" });
      for (const outcome of await Promise.allSettled(before)) expect(outcome.status).toBe("fulfilled");
      await closing;
      await expect(store.append("a", "long after")).rejects.toMatchObject({ code: "closed" });
    });

    it("resolves only when all that was handed in is settled", async () => {
      const store = await openStore(under);
      await store.create("a");
      let settled = 0;

      const written = numbered(5).map((text) => store.append("a", text).finally(() => settled++));
      await store.close();

      expect(settled).toBe(5);
      await Promise.all(written);
    });

    it("from inside a change finishes that change and those behind it", async () => {
      const store = await openStore(under);
      await store.create("a");
      let closing: Promise<void> | undefined;

      const written = [
        store.write((draft) => {
          closing ??= store.close();
          return draft.append("a", [message("x")]);
        }),
        store.append("a", "y"),
      ];
      const outcomes = await Promise.allSettled(written);
      await closing;

      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
      await expect(store.append("a", "z")).rejects.toMatchObject({ code: "closed" });
    });

    it("twice, at once or later, and by disposing, is the same as once", async () => {
      const store = await openStore(under);
      await store.create("a");

      await Promise.all([store.engine.close(), store.engine.close(), store.engine[Symbol.asyncDispose]()]);
      await store.engine.close();

      await expect(store.create("b")).rejects.toMatchObject({ code: "closed" });
    });

    it("an idle engine, and one that was never written to, close", async () => {
      const store = await openStore(under);

      await store.close();

      expect(store.engine.settled()).toBeUndefined();
    });

    it("reads, look-ups and counts are refused afterwards", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "x");
      const view = store.view("a");
      const reader = store.engine.reader(view);
      await reader.read(view.beginId, 1, 100);

      await store.close();

      const refusal = { code: "closed" };
      await expect(reader.read(view.beginId, 1, 100)).rejects.toMatchObject(refusal);
      await expect(store.engine.reader(view).read(view.beginId, 1, 100)).rejects.toMatchObject(refusal);
      await expect(store.engine.idAt(view, 0)).rejects.toMatchObject(refusal);
      await expect(store.engine.countFrom(view, 0n)).rejects.toMatchObject(refusal);
    });

    it("a read under way gives its messages or the refusal, and nothing stays open", async () => {
      const store = await openStore(under);
      await store.create("a");
      const all = numbered(1_000);
      await store.append("a", ...all);
      const view = store.view("a");

      const reads = Array.from({ length: 50 }, () => store.engine.reader(view).read(view.beginId, 1_000, 1_000_000));
      const outcomes = reads.map(outcomeOf);
      await store.close();

      for (const { texts, code } of await Promise.all(outcomes)) {
        expect(texts).toEqual(all.slice(0, texts.length));
        expect([undefined, "closed"]).toContain(code);
      }
    });

    it("an engine that has stopped closes too, and then says that it is closed", async () => {
      const store = await openStore(under);
      await store.create("a");
      const broken = store.write((draft) => {
        draft.append("a", [message("half")]);
        throw new Error("broken");
      });
      await expect(broken).rejects.toThrow("broken");

      await store.close();

      await expect(store.append("a", "x")).rejects.toMatchObject({ code: "closed" });
    });
  });
}
