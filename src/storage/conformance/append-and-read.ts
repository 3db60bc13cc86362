/** Chapter: what is appended comes back, exactly. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, openStore, pairsOf } from "./test-store.js";

/** Registers the chapter. */
export function appendAndRead(under: EngineUnderTest): void {
  describe("append and read", () => {
    it("messages come back in order, with consecutive ids and the time of their turn", async () => {
      const store = await openStore(under);
      await store.create("a");
      store.clock.setNowMs(1_700_000_000_123);

      const { firstId, lastId } = await store.append("a", "x", "y", "z");

      expect(lastId).toBe(firstId + 2n);
      expect(await store.texts("a")).toEqual(["x", "y", "z"]);
      const stored = await store.messages("a");
      expect(stored.map(({ id }) => id)).toEqual([firstId, firstId + 1n, firstId + 2n]);
      expect(stored.map(({ timeMs }) => timeMs)).toEqual([1_700_000_000_123, 1_700_000_000_123, 1_700_000_000_123]);
      expect(store.view("a")).toMatchObject({ beginId: firstId, endId: lastId + 1n });
    });

    it("a message is not readable before its append resolves, and is then", async () => {
      const store = await openStore(under);
      await store.create("a");
      const view = store.view("a");
      const endBefore = view.endId;

      const append = store.append("a", "x");
      expect(view.endId).toBe(endBefore);
      await append;

      expect(view.endId).toBe(endBefore + 1n);
      expect(await store.texts("a")).toEqual(["x"]);
    });

    it("a payload of no bytes comes back with no bytes", async () => {
      const store = await openStore(under);
      await store.create("a");

      await store.append("a", "", "x", "");

      const stored = await store.messages("a");
      expect(stored.map(({ payload }) => payload.byteLength)).toEqual([0, 1, 0]);
      expect(stored[0]?.payload).toBeInstanceOf(Uint8Array);
    });

    it("properties are kept exactly, those named like parts of an object too, and have no prototype", async () => {
      const store = await openStore(under);
      await store.create("a");
      const properties = Object.fromEntries([
        ["__proto__", "p"],
        ["constructor", ""],
        ["", "empty key"],
        ["\u{1f600}", "\u0000\uffff\u{10ffff}"],
        ["long", "v".repeat(60_000)],
      ]);

      await store.write((draft) => draft.append("a", [{ payload: Buffer.from("x"), properties }, message("y")]));

      const [withThem, without] = await store.messages("a");
      expect(pairsOf(withThem?.properties)).toEqual(pairsOf(properties));
      expect(Object.getPrototypeOf(withThem?.properties)).toBeNull();
      expect(Object.keys(without?.properties ?? { wrong: "" })).toEqual([]);
      expect(Object.getPrototypeOf(without?.properties)).toBeNull();
    });

    it("messages without properties share one object", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "x");
      await store.write((draft) => draft.append("a", [{ payload: Buffer.from("y"), properties: {} }]));

      const [x, y] = await store.messages("a");

      expect(x?.properties).toBe(y?.properties);
    });

    it("whatever is done to a message that was read, no other has it, nor a later read", async () => {
      const store = await openStore(under);
      await store.create("a");
      const same = { payload: Buffer.from("before"), properties: { key: "before" } };
      await store.write((draft) => draft.append("a", [same, same]));

      const [first, second] = await store.messages("a");
      first?.payload.fill(0);
      // False where it is refused.
      if (first !== undefined) Reflect.set(first.properties, "key", "after");

      for (const message of [second, ...(await store.messages("a"))]) {
        expect(Buffer.from(message?.payload ?? []).toString()).toBe("before");
        expect({ ...message?.properties }).toEqual({ key: "before" });
      }
    });

    it("what is stored does not follow the caller's bytes once the append has resolved", async () => {
      const store = await openStore(under);
      await store.create("a");
      const payload = Buffer.from("before");
      const properties = { key: "before" };

      await store.write((draft) => draft.append("a", [{ payload, properties }]));
      payload.fill("!");
      properties.key = "after";

      const [stored] = await store.messages("a");
      expect(Buffer.from(stored?.payload ?? []).toString()).toBe("before");
      expect(stored?.properties["key"]).toBe("before");
    });

    it("a payload that is a part of a larger buffer is stored as that part", async () => {
      const store = await openStore(under);
      await store.create("a");
      const around = Buffer.from("[inside]");

      await store.write((draft) =>
        draft.append("a", [{ payload: around.subarray(1, 7) }, { payload: new Uint8Array(around.buffer, around.byteOffset, 1) }]),
      );

      expect(await store.texts("a")).toEqual(["inside", "["]);
    });

    it("what was read stays as it is after more appends, a trim and the channel's end", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "first", "second");
      const [first, second] = await store.messages("a");

      await store.append("a", "third".repeat(1000));
      await store.trim("a", store.view("a").endId);
      await store.destroy("a");
      await store.create("a");
      await store.append("a", "other");

      expect(Buffer.from(first?.payload ?? []).toString()).toBe("first");
      expect(Buffer.from(second?.payload ?? []).toString()).toBe("second");
    });

    it("an append of nothing is refused", async () => {
      const store = await openStore(under);
      await store.create("a");

      await expect(store.append("a")).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "messages" } });

      expect(await store.texts("a")).toEqual([]);
      await store.append("a", "still works");
    });

    it("channels that are written in turns do not mix", async () => {
      const store = await openStore(under);
      const names = ["a", "b", "c"];
      await store.create(...names);

      for (let round = 0; round < 20; round++)
        await Promise.all(names.map((name) => store.append(name, `${name}${round}`, `${name}${round}'`)));

      for (const name of names) {
        expect(await store.texts(name)).toEqual(Array.from({ length: 20 }, (_, round) => [`${name}${round}`, `${name}${round}'`]).flat());
      }
    });

    it("several appends of one change are stored together, in order", async () => {
      const store = await openStore(under);
      await store.create("a", "b");

      const ends = await store.write((draft) => [
        draft.append("a", [message("1")]),
        draft.append("b", [message("2")]),
        draft.append("a", [message("3"), message("4")]),
      ]);

      expect(ends[2]?.firstId).toBe((ends[0]?.lastId ?? 0n) + 1n);
      expect(await store.texts("a")).toEqual(["1", "3", "4"]);
      expect(await store.texts("b")).toEqual(["2"]);
    });

    it("any messages come back as they were", async () => {
      const store = await openStore(under);
      await store.create("a");
      const text = fc.string({ unit: "binary", maxLength: 20 });
      const anyMessage = fc.record({ payload: fc.uint8Array({ maxLength: 200 }), properties: fc.dictionary(text, text, { maxKeys: 4 }) });

      await fc.assert(
        fc.asyncProperty(fc.array(anyMessage, { minLength: 1, maxLength: 10 }), async (messages) => {
          const { firstId } = await store.write((draft) => draft.append("a", messages));

          const stored = await store.messages("a", firstId);
          expect(stored.map(({ payload, properties }) => [[...payload], pairsOf(properties)])).toEqual(
            messages.map(({ payload, properties }) => [[...payload], pairsOf(properties)]),
          );
        }),
        { numRuns: 40 },
      );
    });
  });
}
