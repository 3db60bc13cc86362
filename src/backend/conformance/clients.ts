import { describe, expect, it } from "vitest";
import { logBackend } from "../log-backend.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { whereKept, openLog, parked, take, TestLog, textsOf } from "./test-log.js";

/** More than one client of one log. */
export function clients(under: BackendUnderTest): void {
  describe("clients", () => {
    it("of a log are told apart from what only looks like one", async () => {
      const t = await openLog(under);

      expect(t.backend[logBackend]).toBe(true);
      expect([t.backend.name, t.backend.manifest, t.backend.readOnly]).toEqual([under.manifest.name, under.manifest, false]);
    });

    whereKept(under, "many-clients", () => {
      it("see what the others do, at once, and are woken by it", async () => {
        const t = await openLog(under);
        const other = new TestLog({ ...t.log, nameOf: (label) => t.name(label), backend: await t.log.another() });
        await t.create("a");
        const reader = await other.read("a", "earliest");
        const next = reader.next();
        await parked(reader, next);

        await t.append("a", "1");
        await other.append("a", "2");
        await t.save("s", { a: "place" });

        // Both may come at once: the reader was woken by the first, and looked when there were two.
        const texts = textsOf(await next);
        expect([...texts, ...(await take(reader, 2 - texts.length))]).toEqual(["1", "2"]);
        expect(await t.texts("a")).toEqual(["1", "2"]);
        expect(await other.load("s", "a")).toEqual({ a: "place" });
      });
    });

    whereKept(under, "many-clients", () => {
      it("end alone: the others go on", async () => {
        const t = await openLog(under);
        const other = await t.log.another();
        await t.create("a");
        const reader = await other.openReader(t.name("a"), "earliest");

        await other.close();
        await t.append("a", "1");

        expect(await reader.next()).toBeUndefined();
        await expect(other.latestId(t.name("a"))).rejects.toMatchObject({ code: "closed" });
        expect(await t.texts("a")).toEqual(["1"]);
      });
    });
  });
}
