/** Chapter: channels come into being and go. */
import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "./engine-under-test.js";
import { isTidemarkError } from "../../base/errors.js";
import { message, openStore } from "./test-store.js";

/** Registers the chapter. */
export function channels(under: EngineUnderTest): void {
  describe("channels", () => {
    it("a new store has none", async () => {
      const store = await openStore(under);

      expect(store.names()).toEqual([]);
      expect(store.engine.channel("a")).toBeUndefined();
    });

    it("a channel is there when its creation resolves, and not before", async () => {
      const store = await openStore(under);

      const creation = store.create("a");
      expect(store.engine.channel("a")).toBeUndefined();
      await creation;

      expect(store.names()).toEqual(["a"]);
    });

    it("a new channel is empty: begin and end are its first id", async () => {
      const store = await openStore(under);

      const drafted = await store.write((draft) => ({ ...draft.createChannel("a") }));

      const { firstId } = drafted;
      expect(drafted).toMatchObject({ name: "a", beginId: firstId, endId: firstId, lastId: firstId - 1n });
      expect(store.view("a")).toMatchObject({ name: "a", firstId, beginId: firstId, endId: firstId, bytes: 0, destroyed: false });
      expect(await store.texts("a")).toEqual([]);
    });

    it("creating one that is there is refused and leaves it as it was, also when it was drafted a moment ago", async () => {
      const store = await openStore(under);

      const first = store.create("a");
      const second = store.create("a");
      await first;
      await expect(second).rejects.toMatchObject({ code: "channel-exists", effect: "none" });
      await store.append("a", "kept");
      await expect(store.create("a")).rejects.toMatchObject({ code: "channel-exists", details: { channel: "a" } });

      expect(await store.texts("a")).toEqual(["kept"]);
    });

    it("destroying or trimming one that is not there, or no longer, names it in the refusal", async () => {
      const store = await openStore(under);
      await store.create("a");

      const gone = store.destroy("a");
      const again = store.destroy("a");
      const refusal = { code: "channel-not-found", details: { channels: ["a"] } };

      await gone;
      await expect(again).rejects.toMatchObject(refusal);
      await expect(store.trim("a", 5n)).rejects.toMatchObject(refusal);
      await expect(store.append("a", "x")).rejects.toMatchObject(refusal);
    });

    it("a destroyed channel's view says so for good, and never becomes the next one of that name", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "old");
      const old = store.view("a");

      await store.destroy("a");
      expect(old.destroyed).toBe(true);
      expect(store.engine.channel("a")).toBeUndefined();
      await store.create("a");

      expect(old.destroyed).toBe(true);
      expect(store.view("a")).not.toBe(old);
      expect(store.view("a").destroyed).toBe(false);
    });

    it("a channel made again under an old name is empty", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "old");

      await store.write((draft) => {
        draft.destroyChannel("a");
        draft.createChannel("a");
      });

      expect(await store.texts("a")).toEqual([]);
      await store.append("a", "new");
      expect(await store.texts("a")).toEqual(["new"]);
    });

    it("a channel that goes in the change that made it was never there", async () => {
      const store = await openStore(under);

      await store.write((draft) => {
        draft.createChannel("a");
        draft.destroyChannel("a");
      });

      expect(store.names()).toEqual([]);
      await expect(store.destroy("a")).rejects.toMatchObject({ code: "channel-not-found" });
    });

    it("a channel takes its first messages in a change after the one that made it", async () => {
      const store = await openStore(under);

      const code = await store.write((draft) => {
        draft.createChannel("a");
        try {
          draft.append("a", [message("too early")]);
        } catch (error) {
          return isTidemarkError(error) ? error.code : error;
        }
        return undefined;
      });

      expect(code).toBe("invalid-argument");
      await store.append("a", "x");
      expect(await store.texts("a")).toEqual(["x"]);
    });

    it("destroying one touches no other, whatever their names have in common", async () => {
      const store = await openStore(under);
      const others = ["dml_10", "dml", "dml_1_", "DML_1", "1"];
      await store.create("dml_1", ...others);
      await Promise.all(["dml_1", ...others].map((name) => store.append(name, `in ${name}`)));

      await store.destroy("dml_1");

      expect(store.names()).toEqual([...others].sort());
      for (const name of others) expect(await store.texts(name)).toEqual([`in ${name}`]);
    });

    it("names are kept exactly, and each is a channel of its own", async () => {
      const store = await openStore(under);
      const names = [
        "__proto__",
        "constructor",
        "é",
        "e\u0301",
        "\u{1f600}",
        "\uffff",
        " ",
        "%2F",
        "n".repeat(255),
        "\u{1f600}".repeat(63),
      ];

      await store.create(...names);
      for (const name of names) await store.append(name, `in ${name}`);

      expect(store.names()).toEqual([...names].sort());
      for (const name of names) expect(await store.texts(name)).toEqual([`in ${name}`]);
    });

    it("the draft lists channels as they will be", async () => {
      const store = await openStore(under);
      await store.create("a", "b");

      const listed = await store.write((draft) => {
        draft.destroyChannel("a");
        draft.createChannel("c");
        return [...draft.channels()].map(({ name }) => name).sort();
      });

      expect(listed).toEqual(["b", "c"]);
      expect(store.names()).toEqual(listed);
    });

    it("a listing is not disturbed by channels that come and go while it is walked", async () => {
      const store = await openStore(under);
      await store.create("a", "b", "c");

      const seen: string[] = [];
      for (const { name } of store.engine.channels()) {
        seen.push(name);
        await store.destroy(name);
        await store.create(`${name}2`);
      }

      expect(seen.sort()).toEqual(["a", "b", "c"]);
    });
  });
}
