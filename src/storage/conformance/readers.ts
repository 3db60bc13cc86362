/** Chapter: a reader gives what is visible, in order, without gaps and within its bounds. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "./engine-under-test.js";
import { numbered, openStore, outcomeOf, textOf, withStore, outsideIds } from "./test-store.js";

const noLimit = 1_000_000;

/** Registers the chapter. */
export function readers(under: EngineUnderTest): void {
  describe("readers", () => {
    it("a read begins at the first message at or after the id, inside a batch too", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId } = await store.append("a", ...numbered(1000));
      const reader = store.engine.reader(store.view("a"));

      const [found] = await reader.read(firstId + 151n, 1, noLimit);

      expect(found?.id).toBe(firstId + 151n);
      expect(Buffer.from(found?.payload ?? []).toString()).toBe("m151");
    });

    it("an id between two messages means the next one", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a");
      await store.appendAt("a", nth(10n), "x", "y");
      await store.appendAt("a", nth(50n), "z");
      const reader = store.engine.reader(store.view("a"));

      expect((await reader.read(nth(1n), 1, noLimit)).map(({ id }) => id)).toEqual([nth(10n)]);
      expect((await reader.read(nth(12n), 1, noLimit)).map(({ id }) => id)).toEqual([nth(50n)]);
      expect((await reader.read(nth(50n), 1, noLimit)).map(({ id }) => id)).toEqual([nth(50n)]);
    });

    it("at the end there is nothing, nor beyond it, until more comes", async () => {
      const store = await openStore(under);
      await store.create("a");
      const reader = store.engine.reader(store.view("a"));
      const { endId } = store.view("a");

      expect(await reader.read(endId, 10, noLimit)).toEqual([]);
      expect(await reader.read(endId + 1_000n, 10, noLimit)).toEqual([]);
      await store.append("a", "x");

      expect((await reader.read(endId, 10, noLimit)).map(textOf)).toEqual(["x"]);
      expect(await reader.read(endId + 1n, 10, noLimit)).toEqual([]);
    });

    it("never gives more than `max`, nor more than `maxBytes` but for a single message", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "x".repeat(10), "y".repeat(10), "z".repeat(1000), "");
      await store.append("a", "x".repeat(10));
      const { beginId } = store.view("a");
      const reader = store.engine.reader(store.view("a"));

      expect(await reader.read(beginId, 1, noLimit)).toHaveLength(1);
      expect(await reader.read(beginId, 10, 1)).toHaveLength(1);
      expect(await reader.read(beginId, 10, 19)).toHaveLength(1);
      expect((await reader.read(beginId, 10, 20)).length).toBeLessThanOrEqual(2);
      expect((await reader.read(beginId, 10, 500)).length).toBeLessThanOrEqual(2);
      expect((await reader.read(beginId + 2n, 10, 1)).map(({ id }) => id)).toEqual([beginId + 2n]);
    });

    it("counts properties against `maxBytes` too", async () => {
      const store = await openStore(under);
      await store.create("a");
      const one = { payload: Buffer.of(1), properties: { key: "é".repeat(100) } };
      await store.write((draft) => draft.append("a", [one, one]));
      const reader = store.engine.reader(store.view("a"));

      expect(await reader.read(store.view("a").beginId, 10, 2 * 204 - 1)).toHaveLength(1);
    });

    it("going on where it stopped gives every message once, whatever the steps", async () => {
      const sizes = fc.array(fc.nat(300), { minLength: 1, maxLength: 8 });
      const steps = fc.array(fc.record({ max: fc.integer({ min: 1, max: 12 }), maxBytes: fc.integer({ min: 1, max: 1000 }) }), {
        minLength: 1,
      });

      await withStore(under, {}, async (store) => {
        await store.create("a", "other");
        await fc.assert(
          fc.asyncProperty(fc.array(sizes, { minLength: 1, maxLength: 6 }), steps, async (batches, bounds) => {
            const from = store.view("a").endId;
            const texts = batches.map((batch, b) => batch.map((size, m) => `${b}/${m}:`.padEnd(size, ".")));
            await Promise.all(texts.flatMap((batch) => [store.append("a", ...batch), store.append("other", "between")]));
            const reader = store.engine.reader(store.view("a"));

            const seen: string[] = [];
            let next = from;
            for (let step = 0; next < store.view("a").endId; step++) {
              const { max, maxBytes } = bounds[step % bounds.length] ?? { max: 1, maxBytes: 1 };
              const some = await reader.read(next, max, maxBytes);
              expect(some[0]?.id).toBe(next);
              expect(some.length).toBeLessThanOrEqual(max);
              const bytes = some.reduce((sum, { payload }) => sum + payload.byteLength, 0);
              expect(some.length === 1 || bytes <= maxBytes).toBe(true);
              seen.push(...some.map(textOf));
              next = (some.at(-1)?.id ?? next) + 1n;
            }

            expect(seen).toEqual(texts.flat());
          }),
          { numRuns: 20 },
        );
      });
    });

    it("may jump back and forth", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId } = await store.append("a", ...numbered(50));
      await store.append("a", ...numbered(50, "n"));
      const reader = store.engine.reader(store.view("a"));

      for (const at of [0, 99, 50, 49, 51, 3, 98, 0]) {
        const [found] = await reader.read(firstId + BigInt(at), 3, noLimit);
        expect(found?.id).toBe(firstId + BigInt(at));
      }
    });

    it("many readers of one channel do not disturb each other", async () => {
      const store = await openStore(under);
      await store.create("a");
      const texts = numbered(200);
      await store.append("a", ...texts);
      const { beginId, endId } = store.view("a");

      const drain = async (step: number): Promise<string[]> => {
        const reader = store.engine.reader(store.view("a"));
        const seen: string[] = [];
        for (let next = beginId; next < endId;) {
          const some = await reader.read(next, step, noLimit);
          expect(some[0]?.id).toBe(next);
          seen.push(...some.map(textOf));
          next = (some.at(-1)?.id ?? endId) + 1n;
        }
        return seen;
      };

      for (const seen of await Promise.all([1, 2, 3, 7, 11, 64, 200].map(drain))) expect(seen).toEqual(texts);
    });

    it("a reader that is refused a trimmed place can go on at the first available", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId } = await store.append("a", "w", "x", "y", "z");
      const reader = store.engine.reader(store.view("a"));
      await reader.read(firstId, 1, noLimit);

      await store.trim("a", firstId + 3n);
      await expect(reader.read(firstId + 1n, 1, noLimit)).rejects.toMatchObject({ code: "position-trimmed" });

      expect((await reader.read(firstId + 3n, 1, noLimit)).map(textOf)).toEqual(["z"]);
    });

    it("an emptied channel still refuses what is below its begin", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { firstId, lastId } = await store.append("a", "x", "y");
      await store.trim("a", lastId + 1n);
      const reader = store.engine.reader(store.view("a"));

      await expect(reader.read(firstId, 10, noLimit)).rejects.toMatchObject({ code: "position-trimmed" });
      expect(await reader.read(lastId + 1n, 10, noLimit)).toEqual([]);
    });

    it("a reader of a destroyed channel is refused, and does not see the next one of that name", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "old");
      const old = store.view("a");
      const reader = store.engine.reader(old);

      await store.destroy("a");
      await store.create("a");
      await store.append("a", "new");

      const refusal = { code: "channel-not-found", details: { channels: ["a"] } };
      await expect(reader.read(old.beginId, 10, noLimit)).rejects.toMatchObject(refusal);
      await expect(store.engine.reader(old).read(store.view("a").beginId, 10, noLimit)).rejects.toMatchObject(refusal);
    });

    it("a read under way when its channel goes gives its messages or the refusal, never another's", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", ...numbered(100));
      const old = store.view("a");

      const read = store.engine.reader(old).read(old.beginId, 100, noLimit);
      const gone = store.write((draft) => {
        draft.destroyChannel("a");
        draft.createChannel("a");
      });
      const refilled = store.append("a", "new");
      const { texts, code } = await outcomeOf(read);
      await Promise.all([gone, refilled]);

      expect(texts).toEqual(numbered(texts.length));
      expect([undefined, "channel-not-found"]).toContain(code);
    });
  });
}
