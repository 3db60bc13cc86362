import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newDirectory } from "../../../test/rocksmq/program.js";
import { openRocksMq } from "../../rocksmq/index.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { bytes, read } from "../conformance/meta-under-test.js";
import { openEmbeddedMeta } from "./open-embedded-meta.js";

describe("an embedded metadata store", () => {
  it("is made with its directory, and keeps entries and revisions over a reopen", async () => {
    const dir = join(newDirectory(), "a", "b");
    const first = await openEmbeddedMeta({ dir, clock: new ManualClock() });
    await first.put("k", bytes("v"));
    const revision = await first.put("l", bytes("w"));
    await first.close();

    await using second = await openEmbeddedMeta({ dir });

    expect(await read(second, "k")).toBe("v");
    expect((await second.range("")).revision).toBe(revision);
    expect(await second.put("k", bytes("x"))).toBe(revision + 1n);
  });

  it("is one process's at a time, until it is closed", async () => {
    const dir = newDirectory();
    const first = await openEmbeddedMeta({ dir });

    await expect(openEmbeddedMeta({ dir })).rejects.toMatchObject({ code: "locked", details: { pid: process.pid } });
    const written = first.put("k", bytes("v"));
    await Promise.all([first.close(), first.close()]);
    await written;

    await (await openEmbeddedMeta({ dir })).close();
  });

  it("is not opened where a queue keeps its messages", async () => {
    const dir = newDirectory();
    const mq = await openRocksMq({ dir });
    await mq.createChannel("orders");
    await mq.close();

    await expect(openEmbeddedMeta({ dir })).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "dir" } });

    await (await openRocksMq({ dir })).close();
  });

  it.each<[string, object]>([
    ["dir", {}],
    ["dir", { dir: "" }],
    ["dir", { dir: "a\0b" }],
    ["clock", { dir: "d", clock: {} }],
    ["vfs", { dir: "d", vfs: {} }],
  ])("refuses a bad %s before it touches the disk", async (argument, options) => {
    const open: (options: never) => Promise<unknown> = openEmbeddedMeta;

    await expect(open(options as never)).rejects.toMatchObject({ code: "invalid-argument", details: { argument } });
  });
});
