/** Where a queue can't be: said in words, before anything is written there. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openRocksMq } from "../../src/rocksmq/index.js";

const folder = mkdtempSync(join(tmpdir(), "tidemark-open-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a directory that can't hold a queue", () => {
  it("is a file, or lies below one", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");

    for (const dir of [file, join(file, "queue")]) {
      await expect(openRocksMq({ dir })).rejects.toMatchObject({
        code: "io-failed",
        effect: "none",
        message: expect.stringMatching(/can't be opened: it is a file, not a directory/) as string,
      });
    }
  });

  it("lies where nobody may make one", async () => {
    await expect(openRocksMq({ dir: "/proc/nowhere" })).rejects.toMatchObject({ code: "io-failed", effect: "none" });
  });

  it("holds a RocksDB database, and is left as it was", async () => {
    const dir = join(folder, "rocks");
    mkdirSync(dir);
    for (const name of ["CURRENT", "MANIFEST-000004", "000007.sst"]) writeFileSync(join(dir, name), "");

    await expect(openRocksMq({ dir })).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "dir" } });

    expect(readdirSync(dir).length).toBe(3);
  });

  it("holds what a queue of the RocksDB engine begins with, and is told to be opened with that", async () => {
    const dir = join(folder, "begun");
    mkdirSync(dir);
    writeFileSync(join(dir, "tidemark-rocksdb"), "");

    await expect(openRocksMq({ dir })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/a queue of the RocksDB engine.*engine "rocksdb"/) as string,
    });

    expect(readdirSync(dir)).toEqual(["tidemark-rocksdb"]);
  });

  it.each(["reserve", "mark", "checkpoint.tmp"])("holds a folder %s where a file of ours would be, and is left as it was", async (name) => {
    const dir = join(folder, `folder-${name}`);
    mkdirSync(join(dir, name), { recursive: true });

    await expect(openRocksMq({ dir })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(`a folder "${name}"`) as string,
    });

    expect(readdirSync(dir)).toEqual([name]);
  });

  it("holds other people's files, and is left as it was", async () => {
    const dir = join(folder, "photos");
    mkdirSync(dir);
    writeFileSync(join(dir, "summer.jpg"), "");

    await expect(openRocksMq({ dir })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "dir" },
      message: expect.stringContaining('"summer.jpg"') as string,
    });

    expect(readdirSync(dir)).toEqual(["summer.jpg"]);
  });

  it("holds the folder in which the command line keeps its queue, and is told to be opened there", async () => {
    const dir = join(folder, "of-tools");
    const mq = await openRocksMq({ dir: join(dir, "queue") });
    await mq.close();

    await expect(openRocksMq({ dir })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(`open ${dir}/queue`) as string,
    });

    expect(readdirSync(dir)).toEqual(["queue"]);
  });
});
