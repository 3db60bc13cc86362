/** Chapter: what is too large for one call is refused before anything is written, with the numbers; what just fits is kept. */
import { describe, expect, it } from "vitest";
import type { MetaOp } from "../meta-store.js";
import { connect, type MetaUnderTest } from "./meta-under-test.js";

const mostBytes = 1_572_864;
const mostOps = 1024;

function tooLarge(limit: number, size: number): object {
  return { code: "too-large", effect: "none", details: { limit, size } };
}

function puts(count: number): MetaOp[] {
  return Array.from({ length: count }, (_, at) => ({ op: "put", key: `k${at}`, value: new Uint8Array(1) }));
}

/** Registers the chapter. */
export function sizes(under: MetaUnderTest): void {
  describe("sizes", () => {
    it("key and value together have a bound, and what just fits is kept, by put and by transaction", async () => {
      const store = await connect(under);
      const value = new Uint8Array(mostBytes - 1).fill(7);

      await store.put("k", value);
      await store.txn({ if: [], then: [{ op: "put", key: "l", value }] });

      expect((await store.get("k"))?.value.byteLength).toBe(value.byteLength);
      expect((await store.get("l"))?.value.byteLength).toBe(value.byteLength);
      const larger = new Uint8Array(mostBytes);
      await expect(store.put("m", larger)).rejects.toMatchObject(tooLarge(mostBytes, mostBytes + 1));
      await expect(store.txn({ if: [], then: [{ op: "put", key: "m", value: larger }] })).rejects.toMatchObject(
        tooLarge(mostBytes, mostBytes + 1),
      );
      expect(await store.get("m")).toBeUndefined();
    });

    it("a key counts by its bytes, wherever one is given", async () => {
      const store = await connect(under);
      const key = "ä".repeat(mostBytes / 2);
      const value = new Uint8Array(0);

      await store.put(key, value);
      expect((await store.get(key))?.key).toBe(key);
      expect(await store.delete(key)).toBe(true);

      const refused = tooLarge(mostBytes, mostBytes + 2);
      const longer = `${key}ä`;
      await expect(store.put(longer, value)).rejects.toMatchObject(refused);
      await expect(store.get(longer)).rejects.toMatchObject(refused);
      await expect(store.delete(longer)).rejects.toMatchObject(refused);
      await expect(store.range(longer)).rejects.toMatchObject(refused);
      await expect(store.range("", { after: longer })).rejects.toMatchObject(refused);
      await expect(store.txn({ if: [{ key: longer, modRevision: 0n }], then: [] })).rejects.toMatchObject(refused);
      expect((await store.range("")).entries).toEqual([]);
    });

    it("a transaction has a bound on its parts, and on the bytes of all three lists", async () => {
      const store = await connect(under);

      await expect(store.txn({ if: [], then: puts(mostOps + 1) })).rejects.toMatchObject(tooLarge(mostOps, mostOps + 1));
      await expect(store.txn({ if: [], then: [], else: puts(mostOps + 1) })).rejects.toMatchObject(tooLarge(mostOps, mostOps + 1));
      const compares = puts(mostOps + 1).map(({ key }) => ({ key, modRevision: 0n }));
      await expect(store.txn({ if: compares, then: [] })).rejects.toMatchObject(tooLarge(mostOps, mostOps + 1));
      const third = new Uint8Array(mostBytes / 3);
      const spread = { if: [{ key: "a", value: third }], then: [{ op: "put", key: "b", value: third }] } as const;
      await expect(store.txn({ ...spread, else: [{ op: "put", key: "c", value: third }] })).rejects.toMatchObject(
        tooLarge(mostBytes, mostBytes + 3),
      );

      expect((await store.range("")).entries).toEqual([]);
      await store.txn({ if: compares.slice(1), then: puts(mostOps) });
      expect((await store.range("")).entries).toHaveLength(mostOps);
    });
  });
}
