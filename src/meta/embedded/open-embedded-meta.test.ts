import { readdirSync, readFileSync, writeFileSync } from "node:fs";
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

  it.each([["with a channel"], ["without one"]])("is not opened where a queue is, %s, and writes nothing there", async (how) => {
    const dir = newDirectory();
    const mq = await openRocksMq({ dir });
    if (how === "with a channel") await mq.createChannel("orders");
    await mq.close();
    const before = filesIn(dir);

    await expect(openEmbeddedMeta({ dir })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "dir" },
      message: expect.stringContaining("holds a queue") as string,
    });

    expect(filesIn(dir)).toEqual(before);
    await (await openRocksMq({ dir })).close();
  });

  it("is no queue's directory either, also to be read only, and over a reopen and a damaged flag", async () => {
    const dir = newDirectory();
    const meta = await openEmbeddedMeta({ dir });
    await meta.put("k", bytes("v"));
    await meta.close();
    await (await openEmbeddedMeta({ dir })).close();
    const before = filesIn(dir);
    const refused = {
      code: "invalid-argument",
      details: { argument: "dir" },
      message: expect.stringContaining("a metadata store") as string,
    };

    await expect(openRocksMq({ dir })).rejects.toMatchObject(refused);
    await expect(openRocksMq({ dir, readOnly: true })).rejects.toMatchObject(refused);
    expect(filesIn(dir)).toEqual(before);

    // The flag alone is believed by nobody.
    const checkpoint = readFileSync(join(dir, "checkpoint"));
    checkpoint[48] = (checkpoint[48] ?? 0) ^ 2;
    writeFileSync(join(dir, "checkpoint"), checkpoint);
    await expect(openRocksMq({ dir })).rejects.toMatchObject({ code: "corrupt" });
    await expect(openEmbeddedMeta({ dir })).rejects.toMatchObject({ code: "corrupt" });
  });

  it("is not opened among other people's files, and writes nothing there; hidden ones are overlooked", async () => {
    const dir = newDirectory();
    writeFileSync(join(dir, ".hidden"), "");
    await (await openEmbeddedMeta({ dir: join(dir, "inner") })).close();
    const before = filesIn(dir);

    await expect(openEmbeddedMeta({ dir })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "dir" },
      message: expect.stringContaining('"inner"') as string,
    });

    expect(filesIn(dir)).toEqual(before);
    const other = newDirectory();
    writeFileSync(join(other, ".hidden"), "");
    await (await openEmbeddedMeta({ dir: other })).close();
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

function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).sort();
}
