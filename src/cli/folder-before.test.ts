import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FolderBefore } from "./folder-before.js";

describe("a folder before", () => {
  let place: string;

  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), "tidemark-folder-"));
  });
  afterEach(() => rm(place, { recursive: true, force: true }));

  it("is restored to what stood in it", async () => {
    await writeFile(join(place, "theirs"), "");
    const before = await FolderBefore.of(place);
    await mkdir(join(place, "ours"));
    await writeFile(join(place, "ours", "file"), "");

    await before.restore();

    expect(await readdir(place)).toEqual(["theirs"]);
  });

  it("is gone again where it was not there, with the folders above it that were made", async () => {
    const folder = join(place, "a", "b");
    const before = await FolderBefore.of(folder);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "ours"), "");

    await before.restore();

    expect(await readdir(place)).toEqual([]);
  });

  it("keeps the folders that were made where somebody else has put something there", async () => {
    const before = await FolderBefore.of(join(place, "a", "b"));
    await mkdir(join(place, "a", "b"), { recursive: true });
    await writeFile(join(place, "a", "theirs"), "");

    await before.removeFolders();

    expect(await readdir(join(place, "a"))).toEqual(["theirs"]);
  });

  it("is never taken for an empty one when it can't be read", async () => {
    const file = join(place, "file");
    await writeFile(file, "");

    await expect(FolderBefore.of(file)).rejects.toMatchObject({ code: "ENOTDIR" });
  });
});
