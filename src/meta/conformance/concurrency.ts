/** Chapter: many clients at once come to what some order of their calls would have come to. */
import { describe, expect, it } from "vitest";
import type { MetaStore } from "../meta-store.js";
import { bytes, connectAll, connectTwo, keysOf, type MetaUnderTest, read, textOf } from "./meta-under-test.js";

/** Registers the chapter. */
export function concurrency(under: MetaUnderTest): void {
  describe("concurrency", () => {
    it("of many that create one key, one succeeds", async () => {
      const stores = await connectAll(under, 5);

      const results = await Promise.all(
        stores.map((store, at) =>
          store.txn({ if: [{ key: "lock", modRevision: 0n }], then: [{ op: "put", key: "lock", value: bytes(String(at)) }] }),
        ),
      );

      const winners = results.flatMap(({ succeeded }, at) => (succeeded ? [String(at)] : []));
      expect(winners).toHaveLength(1);
      for (const store of stores) expect(await read(store, "lock")).toBe(winners[0]);
    });

    it("no increment by compare and put is lost", async () => {
      const stores = await connectAll(under, 4);

      await Promise.all(
        stores.map(async (store) => {
          for (let time = 0; time < 10; time++) await increment(store, "n");
        }),
      );

      for (const store of stores) expect(await read(store, "n")).toBe("40");
    });

    it("a range never shows half of a transaction", async () => {
      const [writer, reader] = await connectTwo(under);
      const keys = ["p/a", "p/b", "p/c"];
      await writer.txn({ if: [], then: keys.map((key) => ({ op: "put", key, value: bytes("0") })) });
      let writing = true;
      const write = async (): Promise<void> => {
        for (let round = 1; round <= 20; round++) {
          const value = bytes(String(round));
          await writer.txn({ if: [], then: keys.map((key) => ({ op: "put", key, value })) });
        }
        writing = false;
      };

      const seen: string[][] = [];
      const written = write();
      while (writing) {
        const { entries } = await reader.range("p/");
        expect(keysOf(entries)).toEqual(keys);
        seen.push(entries.map((entry) => textOf(entry) ?? "nothing"));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await written;

      expect(seen.filter(([a, b, c]) => a !== b || b !== c)).toEqual([]);
      expect(seen.length).toBeGreaterThan(0);
    });

    it("every write has a revision of its own, and rising ones for each client", async () => {
      const stores = await connectAll(under, 4);

      const revisions = await Promise.all(
        stores.map(async (store, at) => {
          const own: bigint[] = [];
          for (let time = 0; time < 10; time++) own.push(await store.put(`k${at}`, bytes(String(time))));
          return own;
        }),
      );

      expect(new Set(revisions.flat()).size).toBe(40);
      for (const own of revisions) expect([...own].sort((a, b) => (a < b ? -1 : 1))).toEqual(own);
    });

    it("two that move an amount between two keys never make or lose any", async () => {
      const [one, other] = await connectTwo(under);
      await one.put("x", bytes("50"));
      await one.put("y", bytes("50"));

      await Promise.all([
        moveMany(one, "x", "y", 10),
        moveMany(other, "y", "x", 7),
        (async () => {
          for (let time = 0; time < 10; time++) await increment(one, "unrelated");
        })(),
      ]);

      expect([await read(one, "x"), await read(other, "y")]).toEqual(["47", "53"]);
    });
  });
}

/** Adds one, trying again until nobody came between. */
async function increment(store: MetaStore, key: string): Promise<void> {
  for (let done = false; !done;) {
    const entry = await store.get(key);
    const value = bytes(String(Number(textOf(entry) ?? "0") + 1));
    const result = await store.txn({ if: [{ key, modRevision: entry?.modRevision ?? 0n }], then: [{ op: "put", key, value }] });
    done = result.succeeded;
  }
}

async function moveMany(store: MetaStore, from: string, to: string, times: number): Promise<void> {
  for (let moved = 0; moved < times;) {
    const [source, target] = [await store.get(from), await store.get(to)];
    const result = await store.txn({
      if: [
        { key: from, modRevision: source?.modRevision ?? 0n },
        { key: to, modRevision: target?.modRevision ?? 0n },
      ],
      then: [
        { op: "put", key: from, value: bytes(String(Number(textOf(source)) - 1)) },
        { op: "put", key: to, value: bytes(String(Number(textOf(target)) + 1)) },
      ],
    });
    if (result.succeeded) moved++;
  }
}
