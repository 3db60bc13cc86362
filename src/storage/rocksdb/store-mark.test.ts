import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { rocksDbMarkName as markName } from "../segment/file-names.js";
import { claimDirectory, refuseOtherStores } from "./store-mark.js";

async function directoryWith(files: Readonly<Record<string, string>>): Promise<MemoryVfs> {
  const vfs = new MemoryVfs();
  await vfs.makeDirectory("/d");
  for (const [name, text] of Object.entries(files)) {
    const file = await vfs.open(`/d/${name}`, "create");
    await file.write([Buffer.from(text)], 0);
    await file.close();
  }
  return vfs;
}

describe("the mark of a RocksDB store", () => {
  it("is made in an empty directory, before any database, and found again", async () => {
    const vfs = await directoryWith({});

    await claimDirectory(vfs, "/d");
    await claimDirectory(vfs, "/d");

    expect(await vfs.list("/d")).toEqual([markName]);
  });

  it("that a crash left empty is written again", async () => {
    const vfs = await directoryWith({ [markName]: "" });

    await claimDirectory(vfs, "/d");

    const file = await vfs.open(`/d/${markName}`, "read");
    expect(await file.size()).toBeGreaterThan(0);
  });

  it.each([
    ["a store of the segment engine", { checkpoint: "", "0000000001.seg": "" }],
    ["a database that Milvus made", { CURRENT: "", "MANIFEST-000004": "" }],
    ["files of somebody else", { "summer.jpg": "", "lock.1": "" }],
  ])("is not put on %s", async (_, files) => {
    const vfs = await directoryWith(files);
    const refusal = { code: "invalid-argument", details: { argument: "dir" } };

    await expect(refuseOtherStores(vfs, "/d")).rejects.toMatchObject(refusal);
    await expect(claimDirectory(vfs, "/d")).rejects.toMatchObject(refusal);

    expect((await vfs.list("/d")).sort()).toEqual(Object.keys(files).sort());
  });

  it("of a format that is not known is refused with its number, one that says nothing is corrupt", async () => {
    const newer = await directoryWith({ [markName]: '{"format":2}', CURRENT: "" });
    const damaged = await directoryWith({ [markName]: "{", CURRENT: "" });

    await expect(claimDirectory(newer, "/d")).rejects.toMatchObject({
      code: "unsupported-format",
      message: expect.stringContaining("the format 2") as string,
    });
    await expect(claimDirectory(damaged, "/d")).rejects.toMatchObject({ code: "corrupt", details: { file: `/d/${markName}` } });
  });
});
