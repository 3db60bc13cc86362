/** Chapter: bad input is refused before anything is written, and named. */
import { describe, expect, it } from "vitest";
import type { MetaCompare, MetaOp } from "../meta-store.js";
import { bytes, connect, keysOf, type MetaUnderTest } from "./meta-under-test.js";

const badKeys = ["", "\ud800", "a\udc00b"];

function refusalOf(argument: string): object {
  return { code: "invalid-argument", effect: "none", details: { argument } };
}

/** Registers the chapter. */
export function badInput(under: MetaUnderTest): void {
  describe("bad input", () => {
    it.each(badKeys)("an empty key or half of a surrogate pair is no key: %j", async (key) => {
      const store = await connect(under);

      await expect(store.get(key)).rejects.toMatchObject(refusalOf("key"));
      await expect(store.put(key, bytes("v"))).rejects.toMatchObject(refusalOf("key"));
      await expect(store.delete(key)).rejects.toMatchObject(refusalOf("key"));
      await expect(store.txn({ if: [{ key, modRevision: 0n }], then: [] })).rejects.toMatchObject(refusalOf("if[0].key"));
      await expect(store.txn({ if: [], then: [{ op: "delete", key }] })).rejects.toMatchObject(refusalOf("then[0].key"));

      expect((await store.range("")).entries).toEqual([]);
    });

    it("a prefix or a place to go on at must be well-formed, but may be empty", async () => {
      const store = await connect(under);
      await store.put("a", bytes("1"));

      await expect(store.range("\ud800")).rejects.toMatchObject(refusalOf("prefix"));
      await expect(store.range("", { after: "\ud800" })).rejects.toMatchObject(refusalOf("after"));

      expect(keysOf((await store.range("", { after: "" })).entries)).toEqual(["a"]);
    });

    it.each([0, -1, 1.5, Number.NaN, Infinity])("a limit is a positive integer: not %s", async (limit) => {
      const store = await connect(under);

      await expect(store.range("", { limit })).rejects.toMatchObject(refusalOf("limit"));
    });

    it("a branch that is bad anywhere writes nothing, also when it is not the one taken", async () => {
      const store = await connect(under);
      const good: MetaOp = { op: "put", key: "good", value: bytes("v") };
      const bad: MetaOp = { op: "delete", key: "" };

      await expect(store.txn({ if: [], then: [good, bad] })).rejects.toMatchObject(refusalOf("then[1].key"));
      await expect(store.txn({ if: [], then: [good], else: [bad] })).rejects.toMatchObject(refusalOf("else[0].key"));

      expect((await store.range("")).entries).toEqual([]);
    });

    it("a branch names a key once", async () => {
      const store = await connect(under);
      const put: MetaOp = { op: "put", key: "k", value: bytes("v") };
      const remove: MetaOp = { op: "delete", key: "k" };

      await expect(store.txn({ if: [], then: [put, remove] })).rejects.toMatchObject(refusalOf("then[1].key"));
      await expect(store.txn({ if: [], then: [put], else: [remove, put] })).rejects.toMatchObject(refusalOf("else[1].key"));
      await store.txn({ if: [], then: [put], else: [remove] });

      expect(keysOf((await store.range("")).entries)).toEqual(["k"]);
    });

    it.each([5, "text", {}])("what is no transaction at all is named, not stumbled over: %j", async (bad) => {
      const store = await connect(under);
      const put = async (value: unknown, key: string, txn: object): Promise<void> => {
        Reflect.set(txn, key, value);
        await Reflect.apply(store.txn.bind(store), store, [txn]);
      };

      await expect(Reflect.apply(store.txn.bind(store), store, [bad])).rejects.toMatchObject({ code: "invalid-argument" });
      for (const branch of ["if", "then", "else"]) {
        await expect(put(bad, branch, { if: [], then: [] })).rejects.toMatchObject(refusalOf(branch));
        await expect(put([bad], branch, { if: [], then: [] })).rejects.toMatchObject({ code: "invalid-argument" });
      }

      expect((await store.range("")).entries).toEqual([]);
    });

    it("an operation is a put or a delete", async () => {
      const store = await connect(under);
      const bad = { if: [], then: [{ op: "move", key: "k" }] };

      await expect(Reflect.apply(store.txn.bind(store), store, [bad])).rejects.toMatchObject(refusalOf("then[0].op"));
    });

    it.each([null, 5, "text", { limits: 1 }, { signal: {} }])("options are an object of what there is: not %j", async (options) => {
      const store = await connect(under);
      const calls = { get: ["k"], range: [""], put: ["k", bytes("v")], delete: ["k"], txn: [{ if: [], then: [] }] };

      for (const [name, args] of Object.entries(calls)) {
        const method: unknown = Reflect.get(store, name);
        if (typeof method !== "function") throw new Error(`no method ${name}`);
        await expect(Reflect.apply(method, store, [...args, options])).rejects.toMatchObject({ code: "invalid-argument" });
      }

      expect((await store.range("")).entries).toEqual([]);
    });

    it("a revision to compare with is at least 0", async () => {
      const store = await connect(under);
      const compare: MetaCompare = { key: "k", modRevision: -1n };

      await expect(store.txn({ if: [compare], then: [] })).rejects.toMatchObject(refusalOf("if[0].modRevision"));
    });
  });
}
