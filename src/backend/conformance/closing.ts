import { describe, expect, it } from "vitest";
import type { LogReader } from "../log-backend.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { whereKept, openLog, parked, record, turns } from "./test-log.js";

/** Ends, and what is there after them. */
export function closing(under: BackendUnderTest): void {
  describe("closing", () => {
    it("ends readers and writers, and refuses what comes", async () => {
      const t = await openLog(under);
      await t.create("a");
      const { backend } = t;
      const name = t.name("a");
      const [writer, reader] = [await backend.openWriter(name), await t.read("a", "earliest")];
      const next = reader.next();
      await parked(reader, next);
      expect(backend.ended.aborted).toBe(false);

      await backend.close();
      await backend.close();

      expect(await next).toBeUndefined();
      const refusal = { code: "closed" };
      expect(backend.ended).toMatchObject({ aborted: true, reason: refusal });
      await expect(writer.append([record("1")])).rejects.toMatchObject(refusal);
      await expect(backend.createChannel(t.name("b"))).rejects.toMatchObject(refusal);
      await expect(backend.openWriter(name)).rejects.toMatchObject(refusal);
      await expect(backend.openReader(name, "earliest")).rejects.toMatchObject(refusal);
      await expect(backend.latestId(name)).rejects.toMatchObject(refusal);
      await expect(backend.loadResumePoints(t.name("s"), [name])).rejects.toMatchObject(refusal);
      await expect(backend.dropResumePoints(t.name("s"))).rejects.toMatchObject(refusal);
    });

    it("leaves no reader open that was being opened, at whatever moment it comes", async () => {
      for (let moment = 0; moment < 32; moment++) {
        const t = await openLog(under);
        await t.create("a");
        const opening = t.backend.openReader(t.name("a"), "earliest").catch((error: unknown) => error);
        await turns(moment);
        await t.backend.close();

        const outcome = await opening;
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "closed" });
        else expect(await (outcome as LogReader).next()).toBeUndefined();
      }
    });

    it("finishes what was appended before", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));
      const appended = Promise.all([writer.append([record("1")]), writer.append([record("2")])]);

      await t.backend.close();

      expect((await appended).flat()).toHaveLength(2);
    });

    whereKept(under, "keeps-over-reopen", () => {
      it("keeps records, ids, trims, times and resume points", async () => {
        const t = await openLog(under);
        await t.create("a", "b");
        const [, second] = await t.append("a", "1", "2", "3");
        await t.trim("a", second ?? expect.fail("appended"));
        await t.save("s", { a: "place" }, second);
        const before = await t.records("a");

        t.backend = await t.log.reopen();

        expect((await t.records("a")).map(String)).toEqual(before.map(String));
        expect(await t.records("a")).toMatchObject(before.map(({ timeMs }) => ({ timeMs })));
        expect(await t.texts("a", { at: second ?? expect.fail("appended") })).toEqual(["2", "3"]);
        expect(await t.load("s", "a", "b")).toEqual({ a: "place" });
        const [next] = await t.append("a", "4");
        expect(next?.compare(before.at(-1)?.id ?? next)).toBe(1);
        expect(await t.texts("b")).toEqual([]);
      });
    });
  });
}
