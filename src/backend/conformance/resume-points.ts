import { describe, expect, it } from "vitest";
import type { BackendUnderTest } from "./backend-under-test.js";
import { at, whereKept, openLog } from "./test-log.js";

/** What a consumer leaves behind. */
export function resumePoints(under: BackendUnderTest): void {
  describe("resume points", () => {
    it("come back as they were saved last, for each channel and name alone", async () => {
      const t = await openLog(under);
      await t.create("a", "b", "c");
      const [id] = await t.append("a", "1");

      await t.save("one", { a: "a1", b: "b1" });
      await t.save("one", { a: "a2" }, id);
      await t.save("two", { a: "other" });

      expect(await t.load("one", "a", "b", "c")).toEqual({ a: "a2", b: "b1" });
      expect(await t.load("two", "a", "b")).toEqual({ a: "other" });
      expect(await t.load("three", "a")).toEqual({});
    });

    it("may go back", async () => {
      const t = await openLog(under);
      await t.create("a");
      const ids = await t.append("a", "1", "2");

      await t.save("s", { a: "late" }, at(ids, 1));
      await t.save("s", { a: "early" }, at(ids, 0));

      expect(await t.load("s", "a")).toEqual({ a: "early" });
    });

    it("hold 2 KiB, bytes of any kind, and no more", async () => {
      const t = await openLog(under);
      await t.create("a");
      const channel = t.name("a");
      const position = Uint8Array.from({ length: 2048 }, (_, byte) => byte);

      await t.backend.saveResumePoints(t.name("s"), [{ channel, position, keepFrom: undefined }]);
      const refused = t.backend.saveResumePoints(t.name("s"), [{ channel, position: new Uint8Array(2049), keepFrom: undefined }]);

      await expect(refused).rejects.toMatchObject({ code: "too-large", details: { limit: 2048, size: 2049 } });
      expect((await t.backend.loadResumePoints(t.name("s"), [channel])).get(channel)).toEqual(position);
    });

    it("are the back-end's own: bytes given and got may change", async () => {
      const t = await openLog(under);
      await t.create("a");
      const channel = t.name("a");
      const position = Buffer.from("kept");

      await t.backend.saveResumePoints(t.name("s"), [{ channel, position, keepFrom: undefined }]);
      position.fill("x");
      (await t.backend.loadResumePoints(t.name("s"), [channel])).get(channel)?.fill(0);

      expect(await t.load("s", "a")).toEqual({ a: "kept" });
    });

    whereKept(under, "resume-points-together", () => {
      it("of one save are kept together or not at all", async () => {
        const t = await openLog(under);
        await t.create("a", "b");
        await t.save("s", { a: "old", b: "old" });

        await expect(t.save("s", { a: "new", gone: "new", b: "new" })).rejects.toMatchObject({ code: "channel-not-found" });

        expect(await t.load("s", "a", "b")).toEqual({ a: "old", b: "old" });
      });
    });

    it("go with their channel", async () => {
      const t = await openLog(under);
      await t.create("a", "b");
      await t.save("s", { a: "1", b: "2" });

      await t.destroy("a");
      await t.create("a");

      expect(await t.load("s", "a", "b")).toEqual({ b: "2" });
    });

    it("are forgotten by name, at any time", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.save("s", { a: "1" });
      await t.save("other", { a: "2" });

      await t.backend.dropResumePoints(t.name("s"));
      await t.backend.dropResumePoints(t.name("s"));

      expect([await t.load("s", "a"), await t.load("other", "a")]).toEqual([{}, { a: "2" }]);
      await t.save("s", { a: "3" });
      expect(await t.load("s", "a")).toEqual({ a: "3" });
    });
  });
}
