import { describe, expect, it } from "vitest";
import { type BackendName, messageIdFromBytes, messageIdFromString } from "../../message/index.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { at, openLog } from "./test-log.js";

/** Ends of channels, written forms of ids, ids of others, times. */
export function idsAndTimes(under: BackendUnderTest): void {
  const { name } = under.manifest;
  const other: BackendName = name === "kafka" ? "memory" : "kafka";

  describe("ids and times", () => {
    it("say where a channel begins and ends", async () => {
      const t = await openLog(under);
      await t.create("a");
      const ids = await t.append("a", "1", "2", "3");

      expect((await t.earliestId("a"))?.equals(at(ids, 0))).toBe(true);
      expect((await t.latestId("a"))?.equals(at(ids, 2))).toBe(true);
    });

    it("come back from text and bytes, and still name their place", async () => {
      const t = await openLog(under);
      await t.create("a");
      const ids = await t.append("a", "1", "2", "3");

      const [text, bytes] = [at(ids, 1).toString(), at(ids, 1).toBytes()];

      expect(await t.texts("a", { at: messageIdFromString(name, text) })).toEqual(["2", "3"]);
      expect(await t.texts("a", { after: messageIdFromBytes(name, bytes) })).toEqual(["3"]);
    });

    it("of another back-end are refused", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "1");
      const stranger = messageIdFromString(other, "1");

      const refusal = { code: "backend-mismatch" };
      await expect(t.read("a", { at: stranger })).rejects.toMatchObject(refusal);
      await expect(t.read("a", { after: stranger })).rejects.toMatchObject(refusal);
      await expect(t.trim("a", stranger)).rejects.toMatchObject(refusal);
      await expect(t.save("s", { a: "1" }, stranger)).rejects.toMatchObject(refusal);
    });

    it("find the first record of a time", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "1", "2");
      await t.log.passTime(20);
      await t.append("a", "3");
      await t.log.passTime(20);
      await t.append("a", "4");
      const records = await t.records("a");
      const times = records.map(({ timeMs }) => timeMs);
      const found = async (timeMs: number) => (await t.backend.firstIdAt(t.name("a"), timeMs))?.toString();

      expect([at(times, 0) < at(times, 2), at(times, 2) < at(times, 3)]).toEqual([true, true]);
      expect(await found(0)).toBe(at(records, 0).id.toString());
      expect(await found(at(times, 1) + 1)).toBe(at(records, 2).id.toString());
      expect(await found(at(times, 2))).toBe(at(records, 2).id.toString());
      expect(await found(at(times, 3))).toBe(at(records, 3).id.toString());
      expect(await found(at(times, 3) + 1)).toBeUndefined();
    });
  });
}
