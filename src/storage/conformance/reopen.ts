/** Chapter: what a closed engine held is there when its directory is opened again. */
import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, numbered, openStore, type TestStore, outsideIds } from "./test-store.js";

/** Registers the chapter. */
export function reopen(under: EngineUnderTest): void {
  describe("reopen", () => {
    it("finds channels, messages, properties, times and metadata as they were", async () => {
      const store = await openStore(under);
      await store.create("a", "b", "empty");
      const properties = Object.fromEntries([["__proto__", "\u{1f600}"]]);
      await store.write((draft) => draft.append("a", [{ payload: Buffer.from("x"), properties }, message("")]));
      store.clock.setNowMs(store.clock.nowMs() + 777);
      await store.append("b", ...numbered(20));
      await store.append("a", "y");
      await store.put("k", "v");
      const before = await everything(store);

      await store.reopen();

      expect(await everything(store)).toEqual(before);
    });

    it("finds no channel that was destroyed, nothing that was trimmed, no key that was deleted", async () => {
      const store = await openStore(under);
      await store.create("a", "gone");
      await store.append("gone", "x");
      const { firstId } = await store.append("a", "w", "x", "y", "z");
      await store.put("gone", "v");
      await store.trim("a", firstId + 3n);
      await store.destroy("gone");
      await store.write((draft) => draft.delete("gone"));

      await store.reopen();

      expect(store.names()).toEqual(["a"]);
      expect(await store.texts("a")).toEqual(["z"]);
      expect(store.view("a")).toMatchObject({ firstId, beginId: firstId + 3n, endId: firstId + 4n });
      expect(store.engine.meta.range("")).toEqual([]);
      await expect(store.engine.reader(store.view("a")).read(firstId, 1, 100)).rejects.toMatchObject({ code: "position-trimmed" });
    });

    it("again and again, without a write between, changes nothing", async () => {
      const store = await openStore(under);
      await store.create("a", "b");
      await store.append("a", ...numbered(10));
      await store.put("k", "v");
      const before = await everything(store);

      for (let time = 0; time < 4; time++) await store.reopen();

      expect(await everything(store)).toEqual(before);
    });

    it("an empty store, never written to, is there and empty", async () => {
      const store = await openStore(under);

      await store.reopen();

      expect(store.names()).toEqual([]);
      await store.create("a");
      await store.append("a", "x");
      await store.reopen();
      expect(await store.texts("a")).toEqual(["x"]);
    });

    it("writing goes on where it stopped, through many openings", async () => {
      const store = await openStore(under);
      await store.create("a");
      const texts = numbered(8);

      for (const text of texts) {
        await store.append("a", text);
        await store.reopen();
      }

      expect(await store.texts("a")).toEqual(texts);
    });

    it("a clean close is no work for the next open, and ids go on by one after it", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { lastId } = await store.append("a", "x", "y");

      await store.reopen();

      expect(store.engine.recovered).toBeUndefined();
      expect((await store.append("a", "z")).firstId).toBe(lastId + 1n);
    });

    it("terms rise with every open that writes", async () => {
      const store = await openStore(under);
      const terms: bigint[] = [];

      for (let time = 0; time < 4; time++) {
        terms.push(store.engine.term);
        await store.put("k", String(time));
        await store.reopen();
      }

      expect([...new Set(terms)].sort((x, y) => (x < y ? -1 : 1))).toEqual(terms);
    });

    it("ids of destroyed channels never come again, though the clock went back", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { lastId } = await store.append("a", "x", "y");
      await store.destroy("a");
      await store.reopen();

      store.clock.setNowMs(1_000);
      await store.create("a");
      const second = await store.append("a", "z");
      expect(second.firstId).toBeGreaterThan(lastId);
      await store.destroy("a");
      await store.reopen();
      await store.create("b");

      expect(store.view("b").firstId).toBeGreaterThan(second.lastId);
    });

    it("ids of a channel that was emptied go on above those it had", async () => {
      const store = await openStore(under);
      await store.create("a");
      const { lastId } = await store.append("a", "x", "y");
      await store.trim("a", lastId + 1n);
      await store.reopen();
      await store.reopen();

      expect(store.view("a")).toMatchObject({ beginId: lastId + 1n, endId: lastId + 1n });
      store.clock.setNowMs(1_000);
      expect((await store.append("a", "z")).firstId).toBe(lastId + 1n);
    });

    it("ids from outside go on above those that were given, also those of channels that are gone", async () => {
      const store = await openStore(under, { ids: "external" });
      const nth = outsideIds(under);
      await store.create("a", "gone");
      await store.appendAt("a", nth(100n), "x");
      await store.appendAt("gone", nth(5_000n), "x");
      await store.destroy("gone");

      await store.reopen();

      await expect(store.appendAt("a", nth(100n), "y")).rejects.toMatchObject({ code: "invalid-argument" });
      await store.appendAt("a", nth(101n), "y");
      await store.create("gone");
      await expect(store.appendAt("gone", nth(5_000n), "y")).rejects.toMatchObject({ code: "invalid-argument" });
    });

    it("time does not go back, though the clock did", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "x");
      const nowMs = store.clock.nowMs();
      await store.reopen();

      store.clock.setNowMs(nowMs - 3_600_000);
      await store.append("a", "y");

      expect((await store.messages("a")).map(({ timeMs }) => timeMs)).toEqual([nowMs, nowMs]);
    });

    it("revisions go on, and each entry keeps its own", async () => {
      const store = await openStore(under);
      await store.put("a", "1");
      await store.put("b", "1");
      await store.put("a", "2");
      await store.write((draft) => draft.delete("b"));
      const { revision } = store.engine.meta;
      const entry = store.engine.meta.get("a");

      await store.reopen();

      expect(store.engine.meta.revision).toBe(revision);
      expect(store.engine.meta.get("a")).toEqual(entry);
      await store.put("a", "3");
      expect(store.engine.meta.get("a")).toMatchObject({ createRevision: entry?.createRevision, modRevision: revision + 1n });
    });

    it("keys are there whatever they begin with, and in their order", async () => {
      const store = await openStore(under);
      const keys = ["\0", "\0state", "a", "a/end_id", "\u{feff}a", "\u{10ffff}", "\u{10ffff}a", "\u{10ffff}\u{10ffff}"];
      for (const key of keys) await store.put(key, `under ${key}`);

      await store.reopen();

      expect(store.engine.meta.range("").map(({ key }) => key)).toEqual(keys);
      expect(keys.map((key) => store.metaText(key))).toEqual(keys.map((key) => `under ${key}`));
    });

    it.each([["sync"], ["os"], [{ everyMs: 1_000 }]] as const)(
      "closing makes everything durable, whatever was asked for: %o",
      async (durability) => {
        const store = await openStore(under, { durability });
        await store.create("a");
        await Promise.all(numbered(50).map((text) => store.append("a", text)));
        await store.put("k", "v", { ack: "written" });

        await store.reopen();

        expect(await store.texts("a")).toEqual(numbered(50));
        expect(store.metaText("k")).toBe("v");
      },
    );

    it("what was handed in before the close is there", async () => {
      const store = await openStore(under);
      await store.create("a");

      const written = numbered(20).map((text) => store.append("a", text));
      await store.reopen();

      await Promise.all(written);
      expect(await store.texts("a")).toEqual(numbered(20));
    });

    it("what was refused is not there", async () => {
      const store = await openStore(under);
      await store.create("a");
      await store.append("a", "acked");
      const broken = store.write((draft) => {
        draft.append("a", [message("half")]);
        throw new Error("broken");
      });
      await expect(broken).rejects.toThrow("broken");
      await expect(store.append("a", "after")).rejects.toMatchObject({ code: "io-failed" });

      await store.reopen();

      expect(store.engine.failure).toBeUndefined();
      expect(await store.texts("a")).toEqual(["acked"]);
      await store.append("a", "goes on");
      expect(await store.texts("a")).toEqual(["acked", "goes on"]);
    });

    it("messages of many segments are there, and may be read from anywhere, counted and found by time", async () => {
      const store = await openStore(under, { segmentBytes: 64 * 1024 });
      await store.create("a", "b");
      const body = "x".repeat(4_000);
      for (let round = 0; round < 20; round++) {
        store.clock.setNowMs(1_700_000_000_000 + round * 100);
        const texts = numbered(10).map((text) => `${round}/${text}:${body}`);
        await Promise.all([store.append("a", ...texts), store.append("b", ...texts)]);
      }
      await store.trim("b", store.view("b").beginId + 95n);
      const { firstId } = store.view("a");

      await store.reopen();

      for (const at of [0, 1, 99, 100, 150, 199]) {
        const [found] = await store.engine.reader(store.view("a")).read(firstId + BigInt(at), 1, 1);
        expect(Buffer.from(found?.payload ?? []).toString()).toBe(`${Math.floor(at / 10)}/m${at % 10}:${body}`);
        expect(await store.engine.countFrom(store.view("a"), firstId + BigInt(at))).toBe(200 - at);
      }
      expect(await store.engine.idAt(store.view("a"), 1_700_000_000_000 + 1_050)).toBe(firstId + 110n);
      expect(await store.texts("b")).toHaveLength(105);
    });

    it("a thousand channels and keys are there, those that went are not", async () => {
      const store = await openStore(under);
      const names = Array.from({ length: 1_000 }, (_, at) => `c${at}`);
      await store.write((draft) => {
        for (const name of names) {
          draft.createChannel(name);
          draft.put(`channels/${name}`, Buffer.from(name));
        }
      });
      await store.write((draft) => {
        for (const name of names) draft.append(name, [message(`in ${name}`)]);
      });
      const odd = names.filter((_, at) => at % 2 === 1);
      await store.write((draft) => {
        for (const name of odd) {
          draft.destroyChannel(name);
          draft.delete(`channels/${name}`);
        }
      });

      await store.reopen();

      const even = names.filter((_, at) => at % 2 === 0);
      expect(store.names()).toEqual([...even].sort());
      expect(store.engine.meta.range("channels/").map(({ value }) => Buffer.from(value).toString())).toEqual([...even].sort());
      for (const name of even.slice(0, 50)) expect(await store.texts(name)).toEqual([`in ${name}`]);
    });

    it("a directory may change between ids of its own and ids from outside: they rise all the same", async () => {
      const store = await openStore(under, { ids: "internal" });
      await store.create("a");
      const { lastId } = await store.append("a", "x");

      await store.reopen({ ids: "external" });
      await expect(store.appendAt("a", lastId, "y")).rejects.toMatchObject({ code: "invalid-argument" });
      await store.appendAt("a", lastId + 1_000_000_000n, "y");
      await store.reopen({ ids: "internal" });

      expect((await store.append("a", "z")).firstId).toBe(lastId + 1_000_000_001n);
      expect(await store.texts("a")).toEqual(["x", "y", "z"]);
    });

    it("another directory knows nothing of it", async () => {
      const store = await openStore(under);
      await store.create("a");
      const other = await openStore(under);

      expect(other.names()).toEqual([]);
      expect(other.dir).not.toBe(store.dir);
    });
  });
}

/** All that readers may see, for comparing before with after. */
async function everything(store: TestStore): Promise<unknown> {
  const channels = await Promise.all(
    store.names().map(async (name) => {
      const { firstId, beginId, endId } = store.view(name);
      const messages = await store.messages(name);
      return {
        name,
        firstId,
        beginId,
        endId,
        messages: messages.map(({ id, payload, properties, timeMs }) => [
          id,
          Buffer.from(payload).toString("hex"),
          Object.entries(properties),
          timeMs,
        ]),
      };
    }),
  );
  const { meta } = store.engine;
  return {
    channels,
    revision: meta.revision,
    meta: meta.range("").map((entry) => ({ ...entry, value: Buffer.from(entry.value).toString("hex") })),
  };
}
