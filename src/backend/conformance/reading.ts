import { describe, expect, it } from "vitest";
import type { BackendUnderTest } from "./backend-under-test.js";
import { at, whereKept, numbered, openLog, parked, record, take, textsOf, turns } from "./test-log.js";

/** Where readers begin, how they go on, how they end. */
export function reading(under: BackendUnderTest): void {
  describe("reading", () => {
    it("begins where it is told", async () => {
      const t = await openLog(under);
      await t.create("a");
      const ids = [...(await t.append("a", "1", "2")), ...(await t.append("a", "3"))];

      expect(await t.texts("a", "earliest")).toEqual(["1", "2", "3"]);
      expect(await t.texts("a", { at: at(ids, 1) })).toEqual(["2", "3"]);
      expect(await t.texts("a", { after: at(ids, 1) })).toEqual(["3"]);
      expect(await t.texts("a", { after: at(ids, 2) })).toEqual([]);
    });

    it("from the latest on gives what comes after it stands, and nothing before", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "before");

      const reader = await t.read("a", "latest");
      await t.append("a", "1", "2");

      expect(await take(reader, 2)).toEqual(["1", "2"]);
    });

    it("from an empty channel waits for its first record", async () => {
      const t = await openLog(under);
      await t.create("a");

      const readers = [await t.read("a", "earliest"), await t.read("a", "latest")];
      await t.append("a", "1");

      for (const reader of readers) expect(await take(reader, 1)).toEqual(["1"]);
    });

    it("is woken at the tail", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "1");
      const reader = await t.read("a", "earliest");
      await take(reader, 1);

      const next = reader.next();
      await parked(reader, next);
      await t.append("a", "2");

      expect(textsOf(await next)).toEqual(["2"]);
      expect(reader.atTail).toBe(false);
    });

    it("tells each time that it comes to wait at the tail, also for who asks again after an aborted wait", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "1");
      const reader = await t.read("a", "earliest");
      let times = 0;
      reader.whenAtTail(() => times++);
      await take(reader, 1);
      expect(times).toBe(0);

      const stop = new AbortController();
      const aborted = reader.next({ signal: stop.signal });
      await parked(reader, aborted);
      expect(times).toBe(1);
      stop.abort();
      await expect(aborted).rejects.toBe(stop.signal.reason);
      const next = reader.next();
      await parked(reader, next);

      expect(times).toBe(2);
      await t.append("a", "2");
      await next;
    });

    it("cuts batches by records and by bytes, and gives at least one", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", ...numbered(10));
      await t.append("a", "x".repeat(5_000), "y".repeat(5_000));

      const few = await t.backend.openReader(t.name("a"), "earliest", { maxRecords: 3 });
      const small = await t.backend.openReader(t.name("a"), "earliest", { maxBytes: 1_000 });

      const sizes = [await few.next(), await few.next()].map((batch) => batch?.length ?? 0);
      expect(sizes.every((size) => size >= 1 && size <= 3)).toBe(true);
      expect(await take(small, 10)).toEqual(numbered(10));
      expect((await small.next())?.map(({ payload }) => payload.byteLength)).toEqual([5_000]);
      expect((await small.next())?.map(({ payload }) => payload.byteLength)).toEqual([5_000]);
      await Promise.all([few.close(), small.close()]);
    });

    it("by many goes on for each alone", async () => {
      const t = await openLog(under);
      await t.create("a");
      const texts = numbered(50);
      for (let from = 0; from < 50; from += 10) await t.append("a", ...texts.slice(from, from + 10));
      const [one, other] = [await t.read("a", "earliest"), await t.read("a", "earliest")];

      const taken = await Promise.all([take(one, 50), take(other, 50)]);

      expect(taken).toEqual([texts, texts]);
    });

    it("loses nothing by a wait that was aborted", async () => {
      const t = await openLog(under);
      await t.create("a");
      const reader = await t.read("a", "earliest");
      const giveUp = new AbortController();
      const reason = new Error("changed my mind");

      const next = reader.next({ signal: giveUp.signal });
      giveUp.abort(reason);
      await expect(next).rejects.toBe(reason);
      await t.append("a", "1", "2");

      expect(await take(reader, 2)).toEqual(["1", "2"]);
    });

    it("is asked one at a time", async () => {
      const t = await openLog(under);
      await t.create("a");
      const reader = await t.read("a", "earliest");
      const next = reader.next();

      await expect(reader.next()).rejects.toMatchObject({ code: "conflict" });
      await t.append("a", "1");

      expect(textsOf(await next)).toEqual(["1"]);
    });

    it("ends when it is closed, also while it waits", async () => {
      const t = await openLog(under);
      await t.create("a");
      const reader = await t.read("a", "earliest");
      const next = reader.next();
      await parked(reader, next);

      await reader.close();
      await reader.close();

      expect(await next).toBeUndefined();
      expect(await reader.next()).toBeUndefined();
      expect(reader.atTail).toBe(false);
    });

    it("ends when it is closed, and is woken by what comes, at whatever moment of a next() that is", async () => {
      const t = await openLog(under);
      await t.create("a");
      for (let moment = 0; moment < 40; moment++) {
        const [closed, woken] = [await t.read("a", "latest"), await t.read("a", "latest")];
        const nexts = [closed.next(), woken.next()] as const;
        await turns(moment);
        await Promise.all([closed.close(), t.append("a", String(moment))]);

        expect(textsOf(await nexts[1])).toEqual([String(moment)]);
        // What came in that moment may still be handed over.
        expect([[], [String(moment)]]).toContainEqual(textsOf(await nexts[0]));
        expect(await closed.next()).toBeUndefined();
        await woken.close();
      }
    });

    it("loses nothing by waits that are aborted, at whatever moment they are", async () => {
      const t = await openLog(under);
      await t.create("a");
      const reader = await t.read("a", "earliest");
      const reason = new Error("changed my mind");
      const texts: string[] = [];
      for (let moment = 0; moment < 40; moment++) {
        const giveUp = new AbortController();
        const next = reader.next({ signal: giveUp.signal }).catch((error: unknown) => (error === reason ? [] : Promise.reject(error)));
        const appended = t.append("a", String(moment));
        await turns(moment);
        giveUp.abort(reason);
        texts.push(...textsOf(await next));
        await appended;
      }

      const written = Array.from({ length: 40 }, (_, place) => String(place));
      expect([...texts, ...(await take(reader, 40 - texts.length))]).toEqual(written);
    });

    it("ends with channel-not-found when the channel goes, also while it waits", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "1");
      const [busy, waiting] = [await t.read("a", "earliest"), await t.read("a", "latest")];
      const next = waiting.next();
      await parked(waiting, next);

      const refused = next.catch((error: unknown) => error);
      await t.destroy("a");
      await t.create("a");
      await t.append("a", "another's");

      expect(await refused).toMatchObject({ code: "channel-not-found" });
      await expect(waiting.next()).rejects.toMatchObject({ code: "channel-not-found" });
      await expect(busy.next()).rejects.toMatchObject({ code: "channel-not-found" });
    });

    it("keeps what it gave valid while it reads on", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "1".repeat(100));
      const reader = await t.read("a", "earliest");
      const first = await reader.next();

      await t.append("a", "2".repeat(100));
      await reader.next();

      expect(textsOf(first)).toEqual(["1".repeat(100)]);
    });

    it("gives every reader records of its own: whatever is done to one, nobody else has it", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));
      await writer.append([
        { payload: Buffer.from("1"), properties: { key: "before" } },
        { payload: Buffer.from("2"), properties: { key: "before" } },
      ]);
      await writer.close();

      const [first] = await t.records("a");
      first?.payload.fill(0);
      // False where it is refused.
      if (first !== undefined) for (const part of [first.properties, first]) Reflect.set(part, "key", "after");

      const records = await t.records("a");
      expect(textsOf(records)).toEqual(["1", "2"]);
      expect(records.map((record) => [{ ...record.properties }, "key" in record])).toEqual([
        [{ key: "before" }, false],
        [{ key: "before" }, false],
      ]);
    });

    it("refuses bad options and starts", async () => {
      const t = await openLog(under);
      await t.create("a");
      const { backend } = t;
      const open = (options: object) => backend.openReader(t.name("a"), "earliest", options);

      await expect(open({ maxRecords: 0 })).rejects.toMatchObject({ details: { argument: "maxRecords" } });
      await expect(open({ maxBytes: 0.5 })).rejects.toMatchObject({ details: { argument: "maxBytes" } });
      await expect(open({ batch: 1 })).rejects.toMatchObject({ details: { argument: "batch" } });
      await expect(open({ signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
    });

    whereKept(under, "tells-what-is-ahead", () => {
      it("tells a start that the channel has not come to", async () => {
        const t = await openLog(under);
        await t.create("a");
        const [id] = await t.append("a", "1");
        const far = t.log.farBehind(id ?? expect.fail("appended"));

        await expect(t.read("a", { at: far })).rejects.toMatchObject({ code: "position-ahead" });
        await expect(t.read("a", { after: far })).rejects.toMatchObject({ code: "position-ahead" });
        await expect(t.trim("a", far)).rejects.toMatchObject({ code: "position-ahead" });
      });
    });

    it("sees an append of a writer opened before it", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));
      const reader = await t.read("a", "latest");

      await writer.append([record("1")]);

      expect(await take(reader, 1)).toEqual(["1"]);
    });
  });
}
