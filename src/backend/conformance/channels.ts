import { describe, expect, it } from "vitest";
import type { BackendUnderTest } from "./backend-under-test.js";
import { openLog } from "./test-log.js";

/** Making and removing channels. */
export function channels(under: BackendUnderTest): void {
  describe("channels", () => {
    it("are empty when made", async () => {
      const t = await openLog(under);

      await t.create("a");

      expect(await t.earliestId("a")).toBeUndefined();
      expect(await t.latestId("a")).toBeUndefined();
      expect(await t.texts("a")).toEqual([]);
    });

    it("are made once, and left as they are with ifNotExists", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "kept");

      await expect(t.create("a")).rejects.toMatchObject({ code: "channel-exists" });
      await t.backend.createChannel(t.name("a"), { ifNotExists: true });

      expect(await t.texts("a")).toEqual(["kept"]);
    });

    it("do not know of each other", async () => {
      const t = await openLog(under);
      await t.create("a", "ab");

      await t.append("a", "1");
      await t.append("ab", "2");

      expect([await t.texts("a"), await t.texts("ab")]).toEqual([["1"], ["2"]]);
    });

    it("of any good name can be made", async () => {
      const t = await openLog(under);
      const label = `${"a".repeat(100)}.B_9-`;

      await t.create(label);
      await t.append(label, "1");

      expect(await t.texts(label)).toEqual(["1"]);
    });

    it("can't have a bad name", async () => {
      const t = await openLog(under);

      for (const name of ["", "a/b", "a\0", "a".repeat(256)]) {
        await expect(t.backend.createChannel(name)).rejects.toMatchObject({ code: "invalid-argument" });
      }
    });

    it("that are not there are not found, whatever is asked of them", async () => {
      const t = await openLog(under);
      await t.create("a");
      const [id] = await t.append("a", "1");
      const gone = t.name("gone");
      const { backend } = t;

      const asked = [
        () => backend.destroyChannel(gone),
        () => backend.openWriter(gone),
        () => backend.openReader(gone, "earliest"),
        () => backend.earliestId(gone),
        () => backend.latestId(gone),
        () => backend.firstIdAt(gone, 0),
        () => backend.trim(gone, id ?? expect.fail("appended")),
        () => backend.saveResumePoints(t.name("s"), [{ channel: gone, position: new Uint8Array(1), keepFrom: undefined }]),
      ];

      for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: "channel-not-found", details: { channels: [gone] } });
    });

    it("that are made again are empty", async () => {
      const t = await openLog(under);
      await t.create("a");
      await t.append("a", "old");

      await t.destroy("a");
      await t.create("a");

      expect(await t.texts("a")).toEqual([]);
      await t.append("a", "new");
      expect(await t.texts("a")).toEqual(["new"]);
    });

    it("that are destroyed take no more", async () => {
      const t = await openLog(under);
      await t.create("a");
      const writer = await t.backend.openWriter(t.name("a"));

      await t.destroy("a");

      await expect(writer.append([]))
        .resolves.toEqual([])
        .catch(() => undefined);
      await expect(writer.append([{ payload: new Uint8Array(1), properties: {} }])).rejects.toMatchObject({ code: "channel-not-found" });
    });
  });
}
