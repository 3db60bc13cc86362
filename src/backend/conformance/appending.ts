import { describe, expect, it } from "vitest";
import type { WireMessage } from "../../message/index.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { at, whereKept, numbered, openLog, record, textsOf } from "./test-log.js";

/** What is stored, and how. */
export function appending(under: BackendUnderTest): void {
  describe("appending", () => {
    it("gives the ids under which the records are read, rising", async () => {
      const t = await openLog(under);
      await t.create("a");

      const ids = [...(await t.append("a", "1", "2")), ...(await t.append("a", "3"))];

      const records = await t.records("a");
      expect(textsOf(records)).toEqual(["1", "2", "3"]);
      expect(records.map(({ id }) => id.toString())).toEqual(ids.map((id) => id.toString()));
      expect(at(ids, 0).compare(at(ids, 1))).toBe(-1);
      expect(at(ids, 1).compare(at(ids, 2))).toBe(-1);
      expect(ids.every(({ backend }) => backend === under.manifest.name)).toBe(true);
    });

    it("keeps the order of calls, awaited or not", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));
      const texts = numbered(60);

      await Promise.all(texts.map((text) => writer.append([record(text)])));

      expect(await t.texts("a")).toEqual(texts);
    });

    it("gives back payload and properties as they were", async () => {
      const t = await openLog(under);
      await t.create("a");
      const properties = Object.fromEntries([
        ["k", "v"],
        ["empty", ""],
        ["__proto__", "own"],
        ["ключ", "\u{1f600}\n\0"],
      ]);
      const written: WireMessage[] = [
        { payload: Uint8Array.from([0, 255, 128]), properties },
        { payload: new Uint8Array(0), properties: {} },
        { payload: Buffer.from("x".repeat(100_000)), properties: { constructor: "c" } },
      ];
      const writer = await t.backend.openWriter(t.name("a"));

      await writer.append(written);

      const read = await t.records("a");
      expect(read.map(({ payload }) => Buffer.from(payload).toString("hex"))).toEqual(
        written.map(({ payload }) => Buffer.from(payload).toString("hex")),
      );
      expect(read.map(pairsOf)).toEqual(written.map(pairsOf));
    });

    it("has taken what it was given: the caller's bytes may change once it settled", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));
      const payload = Buffer.from("before");
      const properties = { k: "before" };

      await writer.append([{ payload, properties }]);
      payload.fill("x");
      properties.k = "after";

      const [read] = await t.records("a");
      expect([textsOf(read === undefined ? [] : [read]), read?.properties["k"]]).toEqual([["before"], "before"]);
    });

    it("of nothing is nothing", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));

      expect(await writer.append([])).toEqual([]);
      expect(await t.latestId("a")).toBeUndefined();
    });

    it("refuses a group with a bad record whole, and goes on", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));
      const lone = { payload: new Uint8Array(1), properties: { k: "\ud800" } };

      await expect(writer.append([record("1"), lone])).rejects.toMatchObject({ code: "invalid-argument", effect: "none" });
      await writer.append([record("2")]);

      expect(await t.texts("a")).toEqual(["2"]);
    });

    it("aborted before it began writes nothing", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));
      const reason = new Error("changed my mind");

      await expect(writer.append([record("1")], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

      expect(await t.texts("a")).toEqual([]);
    });

    it("is done when the writer has closed, and refused afterwards", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));
      const appended = writer.append([record("1")]);

      await writer.close();
      await writer.close();

      expect(await appended).toHaveLength(1);
      await expect(writer.append([record("2")])).rejects.toMatchObject({ code: "closed" });
      expect(await t.texts("a")).toEqual(["1"]);
    });

    it("by two writers mixes no groups", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writers = [await t.backend.openWriter(t.name("a")), await t.backend.openWriter(t.name("a"))];
      const groups = Array.from({ length: 20 }, (_, group) => numbered(3, `g${group}-`).map(record));

      await Promise.all(groups.map((group, place) => at(writers, place % 2).append(group)));

      const texts = await t.texts("a");
      expect(texts).toHaveLength(60);
      for (let place = 0; place < texts.length; place += 3) {
        const prefix = at(texts, place).replace(/0$/, "");
        expect(texts.slice(place, place + 3)).toEqual(numbered(3, prefix));
      }
    });

    whereKept(under, "ids-never-return", () => {
      it("gives no id twice, also not in a channel made again", async () => {
        const t = await openLog(under);
        await t.create("a");
        const before = await t.append("a", "1", "2", "3");
        await t.trim("a", at(before, -1));

        await t.destroy("a");
        await t.create("a");

        const [after] = await t.append("a", "4");
        expect(after?.compare(at(before, -1))).toBe(1);
      });
    });
  });
}

/** As texts, so that a key `__proto__` is seen as any other. */
function pairsOf({ properties }: WireMessage): string[] {
  return Object.entries(properties)
    .map((pair) => JSON.stringify(pair))
    .sort();
}
