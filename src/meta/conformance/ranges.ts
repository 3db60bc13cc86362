/** Chapter: ranges and their pages. */
import { describe, expect, it } from "vitest";
import type { MetaStore } from "../meta-store.js";
import { bytes, connect, keysOf, type MetaUnderTest, textOf } from "./meta-under-test.js";

/** Registers the chapter. */
export function ranges(under: MetaUnderTest): void {
  describe("ranges", () => {
    it("an empty store has none", async () => {
      const store = await connect(under);

      expect(await store.range("")).toMatchObject({ entries: [], more: false });
      expect(await store.range("a/")).toMatchObject({ entries: [], more: false });
    });

    it("are the keys with the prefix, and none of their neighbours", async () => {
      const store = await connect(under);
      await putAll(store, ["a", "a.", "a/", "a/1", "a/10", "a/2", "a0", "A/1", "b/a/"]);

      expect(keysOf((await store.range("a/")).entries)).toEqual(["a/", "a/1", "a/10", "a/2"]);
      expect(keysOf((await store.range("a/1")).entries)).toEqual(["a/1", "a/10"]);
      expect(keysOf((await store.range("a/1/")).entries)).toEqual([]);
    });

    it("are in the order of UTF-8 bytes, which is not that of JavaScript", async () => {
      const store = await connect(under);
      const keys = ["p\u{1f600}", "p\uffff", "pé", "pz", "p", "p\u0000", "p\u0000\u0000", "p\u{10ffff}\u{10ffff}", "p\u{10ffff}"];
      await putAll(store, keys);

      const sorted = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(keysOf((await store.range("p")).entries)).toEqual(sorted);
      expect(sorted).not.toEqual([...keys].sort());
    });

    it("a prefix of the last code points ends where it should", async () => {
      const store = await connect(under);
      await putAll(store, ["\uffff", "\uffff1", "\u{10ffff}", "\u{10ffff}1", "\u{10000}"]);

      expect(keysOf((await store.range("\uffff")).entries)).toEqual(["\uffff", "\uffff1"]);
      expect(keysOf((await store.range("\u{10ffff}")).entries)).toEqual(["\u{10ffff}", "\u{10ffff}1"]);
      expect(keysOf((await store.range("")).entries)).toEqual(["\uffff", "\uffff1", "\u{10000}", "\u{10ffff}", "\u{10ffff}1"]);
    });

    it("give whole entries, as get does", async () => {
      const store = await connect(under);
      await putAll(store, ["a/1", "a/2"]);
      await store.put("a/1", bytes("new"));

      const { entries } = await store.range("a/");

      expect(entries).toEqual([await store.get("a/1"), await store.get("a/2")]);
      expect(entries.map(textOf)).toEqual(["new", "a/2"]);
    });

    it("name the revision they are as of: at least that of every write before, below every write after", async () => {
      const store = await connect(under);
      const before = await store.put("elsewhere", bytes("1"));

      const { revision } = await store.range("a/");
      const after = await store.put("a/1", bytes("1"));

      expect(revision).toBeGreaterThanOrEqual(before);
      expect(after).toBeGreaterThan(revision);
    });

    it("a limit says when there is more, and only then", async () => {
      const store = await connect(under);
      await putAll(store, ["a/1", "a/2", "a/3", "b"]);

      expect(await page(store, "a/", { limit: 1 })).toEqual({ keys: ["a/1"], more: true });
      expect(await page(store, "a/", { limit: 2 })).toEqual({ keys: ["a/1", "a/2"], more: true });
      expect(await page(store, "a/", { limit: 3 })).toEqual({ keys: ["a/1", "a/2", "a/3"], more: false });
      expect(await page(store, "a/", { limit: 100 })).toEqual({ keys: ["a/1", "a/2", "a/3"], more: false });
    });

    it("go on behind the last key of the page before, whether or not it is still there", async () => {
      const store = await connect(under);
      await putAll(store, ["a/1", "a/2", "a/3", "b"]);

      expect(await page(store, "a/", { after: "a/1", limit: 1 })).toEqual({ keys: ["a/2"], more: true });
      await store.delete("a/2");
      expect(await page(store, "a/", { after: "a/2", limit: 1 })).toEqual({ keys: ["a/3"], more: false });
      expect(await page(store, "a/", { after: "a/3" })).toEqual({ keys: [], more: false });
    });

    it("keep to their prefix, wherever `after` lies", async () => {
      const store = await connect(under);
      await putAll(store, ["a", "b/1", "b/2", "c"]);

      expect(await page(store, "b/", { after: "a" })).toEqual({ keys: ["b/1", "b/2"], more: false });
      expect(await page(store, "b/", { after: "c" })).toEqual({ keys: [], more: false });
      expect(await page(store, "", { after: "b/1" })).toEqual({ keys: ["b/2", "c"], more: false });
    });

    it("a key that only extends `after` is behind it, and `after` goes by bytes too", async () => {
      const store = await connect(under);
      await putAll(store, ["p\uffff", "p\uffff\u0000", "p\u{1f600}"]);

      expect(await page(store, "p", { after: "p\uffff" })).toEqual({ keys: ["p\uffff\u0000", "p\u{1f600}"], more: false });
      expect(await page(store, "p", { after: "p\u{1f600}" })).toEqual({ keys: [], more: false });
    });

    it("pages of any size together are the whole", async () => {
      const store = await connect(under);
      const keys = Array.from({ length: 23 }, (_, at) => `k/${String(at).padStart(3, "0")}`);
      await putAll(store, keys);

      for (const limit of [1, 2, 5, 22, 23, 24]) {
        const seen: string[] = [];
        for (let more = true; more && seen.length <= keys.length;) {
          const next = await page(store, "k/", { limit, after: seen.at(-1) });
          expect(next.keys.length).toBeGreaterThan(0);
          seen.push(...next.keys);
          more = next.more;
        }
        expect(seen).toEqual(keys);
      }
    });
  });
}

async function putAll(store: MetaStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) await store.put(key, bytes(key));
}

async function page(
  store: MetaStore,
  prefix: string,
  options: { limit?: number | undefined; after?: string | undefined },
): Promise<{ keys: string[]; more: boolean }> {
  const { entries, more } = await store.range(prefix, options);
  return { keys: keysOf(entries), more };
}
