import { describe, expect, it } from "vitest";
import { MemoryVfs } from "../testing/index.js";
import { importMilvusRocksMq } from "./import-milvus.js";
import { openRocksMq } from "./open.js";

// What it does with the peer is tested beside it: test/rocksdb/import.rocksdb.ts.
describe("importing from Milvus", () => {
  it("without the peer names the package to install, and makes nothing", async () => {
    await using into = await openRocksMq({ dir: "/queue", vfs: new MemoryVfs() });

    await expect(importMilvusRocksMq({ from: "/var/lib/milvus/rdb_data", into })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("npm install @nxtedition/rocksdb") as string,
    });

    expect(await into.channels()).toEqual([]);
  });

  it.each<[string, object]>([
    ["from", { from: "" }],
    ["into", { into: {} }],
    ["topics", { topics: "dml_0" }],
    ["topic", { topic: "dml_0" }],
    ["topics", { topics: ["dml_0", 5] }],
    ["onProgress", { onProgress: 5 }],
    ["onProgress", { onProgress: null }],
  ])("refuses a wrong %s", async (argument, wrong) => {
    await using into = await openRocksMq({ dir: "/queue", vfs: new MemoryVfs() });

    const imported: unknown = Reflect.apply(importMilvusRocksMq, undefined, [{ from: "/var/lib/milvus/rdb_data", into, ...wrong }]);

    await expect(imported).rejects.toMatchObject({ code: "invalid-argument", details: { argument } });
  });

  it("into a queue that is closed is refused", async () => {
    const into = await openRocksMq({ dir: "/queue", vfs: new MemoryVfs() });
    await into.close();

    await expect(importMilvusRocksMq({ from: "/var/lib/milvus/rdb_data", into })).rejects.toMatchObject({ code: "closed" });
  });
});
