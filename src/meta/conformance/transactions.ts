/** Chapter: transactions. */
import { describe, expect, it } from "vitest";
import type { MetaStore } from "../meta-store.js";
import { bytes, connect, connectTwo, keysOf, type MetaUnderTest, read } from "./meta-under-test.js";

/** Registers the chapter. */
export function transactions(under: MetaUnderTest): void {
  describe("transactions", () => {
    it("take `then` when every compare holds, and write it at one revision", async () => {
      const store = await connect(under);
      const a = await store.put("a", bytes("1"));

      const result = await store.txn({
        if: [
          { key: "a", modRevision: a },
          { key: "a", value: bytes("1") },
          { key: "b", modRevision: 0n },
        ],
        then: [
          { op: "put", key: "b", value: bytes("2") },
          { op: "put", key: "c", value: bytes("3") },
          { op: "delete", key: "a" },
        ],
        else: [{ op: "put", key: "wrong", value: bytes("!") }],
      });

      expect(result.succeeded).toBe(true);
      expect(result.revision).toBeGreaterThan(a);
      const { entries } = await store.range("");
      expect(keysOf(entries)).toEqual(["b", "c"]);
      expect(entries.map(({ createRevision, modRevision }) => [createRevision, modRevision])).toEqual([
        [result.revision, result.revision],
        [result.revision, result.revision],
      ]);
    });

    it("take `else` when one compare does not hold", async () => {
      const store = await connect(under);
      const a = await store.put("a", bytes("1"));

      const result = await store.txn({
        if: [
          { key: "a", modRevision: a },
          { key: "a", value: bytes("2") },
        ],
        then: [{ op: "put", key: "wrong", value: bytes("!") }],
        else: [
          { op: "put", key: "right", value: bytes("!") },
          { op: "delete", key: "a" },
        ],
      });

      expect(result.succeeded).toBe(false);
      expect(keysOf((await store.range("")).entries)).toEqual(["right"]);
      expect((await store.get("right"))?.modRevision).toBe(result.revision);
    });

    it("without an `else`, or with an empty branch, write nothing and tell the revision that stands", async () => {
      const store = await connect(under);
      const before = await store.put("a", bytes("1"));

      const failed = await store.txn({ if: [{ key: "a", modRevision: 0n }], then: [{ op: "put", key: "b", value: bytes("!") }] });
      const looked = await store.txn({ if: [{ key: "a", modRevision: before }], then: [] });

      expect([failed.succeeded, looked.succeeded]).toEqual([false, true]);
      expect(failed.revision).toBeGreaterThanOrEqual(before);
      expect(looked.revision).toBeGreaterThanOrEqual(failed.revision);
      expect(await store.put("b", bytes("1"))).toBeGreaterThan(looked.revision);
      expect((await store.get("a"))?.modRevision).toBe(before);
    });

    it("without a compare always take `then`", async () => {
      const store = await connect(under);

      const result = await store.txn({ if: [], then: [{ op: "put", key: "a", value: bytes("1") }] });

      expect(result.succeeded).toBe(true);
      expect(await read(store, "a")).toBe("1");
    });

    it("revision 0 means that there is no such key: never written, or deleted", async () => {
      const store = await connect(under);
      const create = (): Promise<{ succeeded: boolean }> =>
        store.txn({ if: [{ key: "a", modRevision: 0n }], then: [{ op: "put", key: "a", value: bytes("1") }] });

      expect((await create()).succeeded).toBe(true);
      expect((await create()).succeeded).toBe(false);
      await store.delete("a");
      expect((await create()).succeeded).toBe(true);
    });

    it("a compare of a value holds for just these bytes, and never for no key", async () => {
      const store = await connect(under);
      await store.put("a", bytes("value"));
      await store.put("empty", bytes(""));

      expect(await holds(store, "a", bytes("value"))).toBe(true);
      expect(await holds(store, "a", bytes("valu"))).toBe(false);
      expect(await holds(store, "a", bytes("value2"))).toBe(false);
      expect(await holds(store, "empty", bytes(""))).toBe(true);
      expect(await holds(store, "nothing", bytes(""))).toBe(false);
    });

    it("a compare of a revision holds for the last write only", async () => {
      const store = await connect(under);
      const first = await store.put("a", bytes("1"));
      const second = await store.put("a", bytes("1"));

      expect((await store.txn({ if: [{ key: "a", modRevision: first }], then: [] })).succeeded).toBe(false);
      expect((await store.txn({ if: [{ key: "a", modRevision: second }], then: [] })).succeeded).toBe(true);
      expect((await store.txn({ if: [{ key: "a", modRevision: second + 1n }], then: [] })).succeeded).toBe(false);
    });

    it("may delete what is not there", async () => {
      const store = await connect(under);

      const result = await store.txn({
        if: [],
        then: [
          { op: "delete", key: "nothing" },
          { op: "put", key: "a", value: bytes("1") },
        ],
      });

      expect(result.succeeded).toBe(true);
      expect(keysOf((await store.range("")).entries)).toEqual(["a"]);
    });

    it("overwriting keeps the revision that created the key", async () => {
      const store = await connect(under);
      const created = await store.put("a", bytes("1"));

      const { revision } = await store.txn({ if: [], then: [{ op: "put", key: "a", value: bytes("2") }] });

      expect(await store.get("a")).toMatchObject({ createRevision: created, modRevision: revision });
    });

    it("many keys are written in one step", async () => {
      const store = await connect(under);
      const keys = Array.from({ length: 100 }, (_, at) => `k${String(at).padStart(3, "0")}`);

      const { revision } = await store.txn({ if: [], then: keys.map((key) => ({ op: "put", key, value: bytes(key) })) });

      const { entries } = await store.range("k");
      expect(keysOf(entries)).toEqual(keys);
      expect(new Set(entries.map(({ modRevision }) => modRevision))).toEqual(new Set([revision]));
    });

    it("see what every client wrote before", async () => {
      const [one, other] = await connectTwo(under);
      const revision = await one.put("a", bytes("1"));

      const result = await other.txn({ if: [{ key: "a", modRevision: revision }], then: [{ op: "delete", key: "a" }] });

      expect(result.succeeded).toBe(true);
      expect(await one.get("a")).toBeUndefined();
    });
  });
}

async function holds(store: MetaStore, key: string, value: Uint8Array): Promise<boolean> {
  return (await store.txn({ if: [{ key, value }], then: [] })).succeeded;
}
