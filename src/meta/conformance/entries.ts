/** Chapter: single keys. */
import { describe, expect, it } from "vitest";
import type { MetaOp } from "../meta-store.js";
import { bytes, connect, connectTwo, type MetaUnderTest, read } from "./meta-under-test.js";

/** Registers the chapter. */
export function entries(under: MetaUnderTest): void {
  describe("entries", () => {
    it("a key that was never written, or was deleted, is undefined", async () => {
      const store = await connect(under);
      expect(await store.get("k")).toBeUndefined();

      await store.put("k", bytes("v"));
      await store.delete("k");

      expect(await store.get("k")).toBeUndefined();
    });

    it("what was put is what every client gets from then on", async () => {
      const [one, other] = await connectTwo(under);

      const revision = await one.put("k", bytes("v"));

      expect(await other.get("k")).toEqual({ key: "k", value: bytes("v"), createRevision: revision, modRevision: revision });
      await other.put("k", bytes("w"));
      expect(await read(one, "k")).toBe("w");
    });

    it("values are kept exactly: every byte, none, many", async () => {
      const store = await connect(under);
      const every = new Uint8Array(256).map((_, at) => at);
      const many = new Uint8Array(500_000).map((_, at) => at % 253);

      await store.put("every", every);
      await store.put("none", new Uint8Array());
      await store.put("many", many);

      expect((await store.get("every"))?.value).toEqual(every);
      expect((await store.get("none"))?.value).toEqual(new Uint8Array());
      expect(Buffer.compare((await store.get("many"))?.value ?? bytes(""), many)).toBe(0);
    });

    it("keys are kept exactly, and each is a key of its own", async () => {
      const store = await connect(under);
      const keys = [
        "a",
        "A",
        "a/",
        "a//",
        "/a",
        " a",
        "a ",
        "é",
        "e\u0301",
        "\u0000",
        "\uffff",
        "\u{1f600}",
        "__proto__",
        "%2F",
        "k".repeat(1_000),
      ];

      for (const key of keys) await store.put(key, bytes(`under ${key}`));

      for (const key of keys) expect(await store.get(key)).toMatchObject({ key, value: bytes(`under ${key}`) });
    });

    it("what is stored follows neither the bytes that were given nor those that were read", async () => {
      const store = await connect(under);
      const given = bytes("before");

      await store.put("k", given);
      given.fill(33);
      (await store.get("k"))?.value.fill(34);
      (await store.range("k")).entries[0]?.value.fill(35);

      expect(await read(store, "k")).toBe("before");
    });

    it("a write goes by what it was given at the call, whatever becomes of that before it is done", async () => {
      const store = await connect(under);
      await store.put("k", bytes("before"));
      const [given, moved] = [bytes("given"), bytes("moved")];
      const compare = { key: "k", value: bytes("before") };
      const ops: MetaOp[] = [{ op: "put", key: "k", value: moved }];

      const done = store.txn({ if: [compare], then: ops });
      const put = store.put("other", given);
      for (const value of [given, moved, compare.value]) value.fill(33);
      ops.push({ op: "put", key: "", value: moved });

      expect(await done).toMatchObject({ succeeded: true });
      await put;
      expect(await read(store, "k")).toBe("moved");
      expect(await read(store, "other")).toBe("given");
    });

    it("revisions rise with every write, of whatever key", async () => {
      const store = await connect(under);

      const first = await store.put("a", bytes("1"));
      const second = await store.put("b", bytes("1"));
      const third = await store.put("a", bytes("1"));

      expect(first).toBeGreaterThan(0n);
      expect(second).toBeGreaterThan(first);
      expect(third).toBeGreaterThan(second);
    });

    it("an entry remembers its first and its last write", async () => {
      const store = await connect(under);

      const created = await store.put("k", bytes("1"));
      await store.put("other", bytes("1"));
      const modified = await store.put("k", bytes("2"));

      expect(await store.get("k")).toMatchObject({ createRevision: created, modRevision: modified });
    });

    it("a key that was deleted begins anew, at a revision behind its delete", async () => {
      const store = await connect(under);
      const before = await store.put("k", bytes("1"));
      await store.delete("k");
      const { revision: deleted } = await store.range("k");

      const again = await store.put("k", bytes("2"));

      expect(deleted).toBeGreaterThan(before);
      expect(again).toBeGreaterThan(deleted);
      expect(await store.get("k")).toMatchObject({ createRevision: again, modRevision: again });
    });

    it("a delete says whether there was something, and takes only that key", async () => {
      const store = await connect(under);
      for (const key of ["a", "a/", "a/b", "ab"]) await store.put(key, bytes(key));

      expect(await store.delete("a")).toBe(true);
      expect(await store.delete("a")).toBe(false);
      expect(await store.delete("never")).toBe(false);

      expect((await store.range("")).entries.map(({ key }) => key)).toEqual(["a/", "a/b", "ab"]);
    });
  });
}
