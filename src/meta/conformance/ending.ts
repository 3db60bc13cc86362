/** Chapter: giving up and closing. */
import { describe, expect, it } from "vitest";
import { bytes, connect, connectTwo, type MetaUnderTest, read } from "./meta-under-test.js";

/** Registers the chapter. */
export function ending(under: MetaUnderTest): void {
  describe("ending", () => {
    it("a call whose signal is aborted already rejects with the reason and does nothing", async () => {
      const store = await connect(under);
      await store.put("k", bytes("v"));
      const reason = new Error("given up");
      const options = { signal: AbortSignal.abort(reason) };

      await expect(store.get("k", options)).rejects.toBe(reason);
      await expect(store.range("k", options)).rejects.toBe(reason);
      await expect(store.put("k", bytes("w"), options)).rejects.toBe(reason);
      await expect(store.delete("k", options)).rejects.toBe(reason);
      await expect(store.txn({ if: [], then: [{ op: "delete", key: "k" }] }, options)).rejects.toBe(reason);

      expect(await read(store, "k")).toBe("v");
    });

    it("a signal that never fires changes nothing", async () => {
      const store = await connect(under);
      const { signal } = new AbortController();

      await store.put("k", bytes("v"), { signal });

      expect((await store.get("k", { signal }))?.value).toEqual(bytes("v"));
      expect((await store.range("k", { signal })).entries).toHaveLength(1);
    });

    it("closing settles what is under way and refuses what comes after; the other clients go on", async () => {
      const [one, other] = await connectTwo(under);
      let settled = 0;

      const writes = [1, 2, 3].map((n) => one.put(`k${n}`, bytes("v")).finally(() => settled++));
      await one.close();

      expect(settled).toBe(3);
      await Promise.allSettled(writes);
      const refusal = { code: "closed", effect: "none" };
      await expect(one.get("k")).rejects.toMatchObject(refusal);
      await expect(one.range("k")).rejects.toMatchObject(refusal);
      await expect(one.put("k", bytes("v"))).rejects.toMatchObject(refusal);
      await expect(one.delete("k")).rejects.toMatchObject(refusal);
      await expect(one.txn({ if: [], then: [] })).rejects.toMatchObject(refusal);
      await other.put("k", bytes("w"));
      expect(await read(other, "k")).toBe("w");
    });

    it("closing twice, or by disposing, is the same as once", async () => {
      const store = await connect(under);

      await Promise.all([store.close(), store.close(), store[Symbol.asyncDispose]()]);
      await store.close();

      await expect(store.get("k")).rejects.toMatchObject({ code: "closed" });
    });
  });
}
