import { describe, expect, it } from "vitest";
import type { BackendUnderTest } from "./backend-under-test.js";
import { at, whereKept, numbered, openLog, parked, take, textsOf } from "./test-log.js";

/** Taking away the oldest. */
export function trimming(under: BackendUnderTest): void {
  describe("trimming", () => {
    it("loses nothing from its id on", async () => {
      const t = await openLog(under);
      await t.create("a");
      const ids = await t.append("a", ...numbered(10));

      await t.trim("a", at(ids, 4));

      expect((await t.texts("a")).slice(-6)).toEqual(numbered(10).slice(4));
      expect(await t.texts("a", { at: at(ids, 4) })).toEqual(numbered(10).slice(4));
      expect((await t.latestId("a"))?.equals(at(ids, 9))).toBe(true);
    });

    whereKept(under, "trims-exactly", () => {
      it("leaves nothing before its id", async () => {
        const t = await openLog(under);
        await t.create("a");
        const ids = await t.append("a", ...numbered(10));

        await t.trim("a", at(ids, 4));

        expect(await t.texts("a")).toEqual(numbered(10).slice(4));
        expect((await t.earliestId("a"))?.equals(at(ids, 4))).toBe(true);
      });
    });

    whereKept(under, "trims-exactly", () => {
      it("is told to a reader that wants what is gone, never skipped", async () => {
        const t = await openLog(under);
        await t.create("a");
        const ids = await t.append("a", ...numbered(10));
        const reader = await t.backend.openReader(t.name("a"), "earliest", { maxRecords: 1 });
        await reader.next();
        await t.trim("a", at(ids, 4));
        const refusal = { code: "position-trimmed", details: { firstAvailable: at(ids, 4).toString() } };

        await expect(t.read("a", { at: at(ids, 3) })).rejects.toMatchObject(refusal);
        await expect(t.read("a", { after: at(ids, 2) })).rejects.toMatchObject(refusal);
        expect(await t.texts("a", { after: at(ids, 3) })).toEqual(numbered(10).slice(4));
        // What was fetched ahead may come; then it stops for good.
        const texts = await untilRefused(() => reader.next());
        expect(numbered(10).slice(1, 4)).toEqual(expect.arrayContaining(texts));
        await expect(reader.next()).rejects.toMatchObject(refusal);
        await reader.close();
      });
    });

    whereKept(under, "trims-exactly", () => {
      it("is not told to who wants only what is there, though ids were left out before it", async () => {
        const t = await openLog(under);
        await t.create("a");
        const [first, second] = await t.append("a", "1", "2");
        await t.log.leaveGap("a");
        const [third] = await t.append("a", "3", "4");
        const reader = await t.backend.openReader(t.name("a"), "earliest", { maxRecords: 1 });
        await take(reader, 2);
        await t.trim("a", third ?? expect.fail("appended"));
        const refusal = { code: "position-trimmed", details: { firstAvailable: third?.toString() } };

        expect(await t.texts("a", { after: second ?? expect.fail("appended") })).toEqual(["3", "4"]);
        expect(await take(reader, 2)).toEqual(["3", "4"]);
        await expect(t.read("a", { at: second ?? expect.fail("appended") })).rejects.toMatchObject(refusal);
        await expect(t.read("a", { after: first ?? expect.fail("appended") })).rejects.toMatchObject(refusal);
        expect((await t.earliestId("a"))?.equals(third ?? expect.fail("appended"))).toBe(true);
        await reader.close();
      });
    });

    it("at or before the beginning does nothing, again and again", async () => {
      const t = await openLog(under);
      await t.create("a");
      const ids = await t.append("a", ...numbered(5));
      await t.trim("a", at(ids, 2));

      await t.trim("a", at(ids, 2));
      await t.trim("a", at(ids, 0));

      expect((await t.texts("a")).slice(-3)).toEqual(numbered(5).slice(2));
    });

    it("does not disturb a reader that is past it", async () => {
      const t = await openLog(under);
      await t.create("a");
      const ids = await t.append("a", ...numbered(5));
      const reader = await t.read("a", "earliest");
      await take(reader, 5);
      const next = reader.next();
      await parked(reader, next);

      await t.trim("a", at(ids, 4));
      await t.append("a", "more");

      expect(textsOf(await next)).toEqual(["more"]);
    });
  });
}

/** The texts until a call throws. */
async function untilRefused(next: () => Promise<Parameters<typeof textsOf>[0]>): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    try {
      texts.push(...textsOf(await next()));
    } catch {
      return texts;
    }
  }
}
