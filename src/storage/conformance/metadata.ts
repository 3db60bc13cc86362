/** Chapter: metadata is an ordered map with revisions. */
import { describe, expect, it } from "vitest";
import type { MetaEntry } from "../engine.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { openStore, type TestStore } from "./test-store.js";

/** Registers the chapter. */
export function metadata(under: EngineUnderTest): void {
  describe("metadata", () => {
    it("a value is there when its write resolves, and not before", async () => {
      const store = await openStore(under);

      const written = store.put("k", "v");
      expect(store.engine.meta.get("k")).toBeUndefined();
      await written;

      expect(store.metaText("k")).toBe("v");
    });

    it("values are kept exactly, and do not follow the caller's bytes", async () => {
      const store = await openStore(under);
      const value = new Uint8Array(256).map((_, at) => at);

      await store.write((draft) => {
        draft.put("bytes", value);
        draft.put("empty", new Uint8Array());
        draft.put("large", new Uint8Array(1_000_000).fill(7));
      });
      value.fill(0);

      expect([...(store.engine.meta.get("bytes")?.value ?? [])]).toEqual(Array.from({ length: 256 }, (_, at) => at));
      expect(store.engine.meta.get("empty")?.value.byteLength).toBe(0);
      expect(Buffer.compare(store.engine.meta.get("large")?.value ?? Buffer.of(), Buffer.alloc(1_000_000, 7))).toBe(0);
    });

    it("each change that touches metadata is one revision, however many keys it touches", async () => {
      const store = await openStore(under);
      const { revision } = store.engine.meta;

      await store.put("a", "1");
      await store.write((draft) => {
        draft.put("b", Buffer.of());
        draft.put("c", Buffer.of());
        draft.delete("a");
      });

      expect(store.engine.meta.revision).toBe(revision + 2n);
      expect(revisionsOf(store, "b")).toEqual([revision + 2n, revision + 2n]);
      expect(revisionsOf(store, "c")).toEqual([revision + 2n, revision + 2n]);
    });

    it("changes that touch none leave the revision: of channels, refused ones, deletes of nothing", async () => {
      const store = await openStore(under);
      await store.put("a", "1");
      const { revision } = store.engine.meta;

      await store.create("a");
      await store.append("a", "x");
      expect(await store.write((draft) => draft.delete("nothing"))).toBe(false);
      await expect(
        store.write(() => {
          throw new Error("refused");
        }),
      ).rejects.toThrow("refused");

      expect(store.engine.meta.revision).toBe(revision);
    });

    it("a delete is a revision too, and says whether there was something", async () => {
      const store = await openStore(under);
      await store.put("a", "1");
      const { revision } = store.engine.meta;

      expect(await store.write((draft) => draft.delete("a"))).toBe(true);

      expect(store.engine.meta.get("a")).toBeUndefined();
      expect(store.engine.meta.revision).toBe(revision + 1n);
    });

    it("an entry remembers the revision that created it through every overwrite, until it is deleted", async () => {
      const store = await openStore(under);
      await store.put("a", "1");
      const [created = 0n] = revisionsOf(store, "a");

      await store.put("a", "2");
      expect(revisionsOf(store, "a")).toEqual([created, created + 1n]);
      await store.write((draft) => {
        draft.delete("a");
        draft.put("a", Buffer.from("3"));
      });

      expect(revisionsOf(store, "a")).toEqual([created + 2n, created + 2n]);
    });

    it("a key that one change puts and deletes is gone, and one it puts twice has the last value", async () => {
      const store = await openStore(under);

      await store.write((draft) => {
        draft.put("gone", Buffer.of(1));
        draft.delete("gone");
        draft.put("twice", Buffer.from("first"));
        draft.put("twice", Buffer.from("second"));
      });

      expect(store.engine.meta.get("gone")).toBeUndefined();
      expect(store.metaText("twice")).toBe("second");
    });

    it("a range is what begins with the prefix, in the order of UTF-8 bytes, and nothing else", async () => {
      const store = await openStore(under);
      const inside = ["a/", "a/%", "a/1", "a/10", "a/2", "a/é", "a/\uffff", "a/\u{1f600}"];
      const outside = ["A/", "a", "a.", "a0", "b", "\u{1f600}", "__proto__"];

      await store.write((draft) => {
        for (const key of [...outside, ...inside].reverse()) draft.put(key, Buffer.from(key));
      });

      expect(keys(store.engine.meta.range("a/"))).toEqual(inside);
      expect(keys(store.engine.meta.range("__proto__"))).toEqual(["__proto__"]);
      expect(keys(store.engine.meta.range("none"))).toEqual([]);
      const all = [...outside, ...inside].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(keys(store.engine.meta.range(""))).toEqual(all);
      expect(store.engine.meta.range("").map(({ value }) => Buffer.from(value).toString())).toEqual(all);
    });

    it("a change's own range shows what it put and deleted, in order", async () => {
      const store = await openStore(under);
      await store.write((draft) => ["b", "d", "f"].forEach((key) => draft.put(key, Buffer.of())));

      const ranges = await store.write((draft) => {
        draft.put("a", Buffer.of());
        draft.put("e", Buffer.of());
        draft.delete("b");
        draft.delete("e");
        draft.put("g", Buffer.of());
        return { drafted: keys(draft.range("")), visible: keys(store.engine.meta.range("")) };
      });

      expect(ranges).toEqual({ drafted: ["a", "d", "f", "g"], visible: ["b", "d", "f"] });
      expect(keys(store.engine.meta.range(""))).toEqual(["a", "d", "f", "g"]);
    });

    it("a change sees the revisions that its entries will have", async () => {
      const store = await openStore(under);
      await store.put("a", "1");

      const seen = await store.write((draft) => {
        const before = draft.revision;
        draft.put("a", Buffer.from("2"));
        return { before, after: draft.revision, entry: draft.get("a") };
      });

      expect(seen.after).toBe(seen.before + 1n);
      expect(seen.entry).toMatchObject({ modRevision: seen.after });
      expect(revisionsOf(store, "a")).toEqual([seen.entry?.createRevision, seen.entry?.modRevision]);
    });

    it("a range or an entry that was read stands still", async () => {
      const store = await openStore(under);
      await store.put("a", "1");
      const range = store.engine.meta.range("");
      const entry = store.engine.meta.get("a");

      await store.put("a", "2");
      await store.put("b", "1");

      expect(keys(range)).toEqual(["a"]);
      expect(Buffer.from(entry?.value ?? []).toString()).toBe("1");
    });

    it("is not mixed up with channels of the same names", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.put("a", "meta");
      await store.append("a", "message");

      await store.destroy("a");

      expect(store.metaText("a")).toBe("meta");
    });

    it('written with ack "written" is visible when it resolves, and keeps its place in the order', async () => {
      const store = await openStore(under);

      const outcomes = [
        store.put("a", "1", { ack: "written" }),
        store.put("a", "2"),
        store.put("a", "3", { ack: "written" }),
        store.write((draft) => Buffer.from(draft.get("a")?.value ?? []).toString(), { ack: "written" }),
      ] as const;
      const drafted = await outcomes[3];
      await Promise.all(outcomes);

      expect(drafted).toBe("3");
      expect(store.metaText("a")).toBe("3");
    });

    it('channels are not to be changed with ack "written"', async () => {
      const store = await openStore(under);
      await store.create("a");

      const append = store.write((draft) => draft.append("a", [{ payload: Buffer.of() }]), { ack: "written" });

      await expect(append).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "ack" } });
      expect(await store.texts("a")).toEqual([]);
      expect(store.engine.failure).toBeUndefined();
    });
  });
}

function keys(entries: readonly MetaEntry[]): string[] {
  return entries.map(({ key }) => key);
}

function revisionsOf(store: TestStore, key: string): (bigint | undefined)[] {
  const entry = store.engine.meta.get(key);
  return [entry?.createRevision, entry?.modRevision];
}
