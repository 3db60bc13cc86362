import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { openRocksMq } from "../../rocksmq/index.js";

it("without the peer the engine is refused with the package to install, and nothing is made", async () => {
  const dir = mkdtempSync(`${tmpdir()}/tidemark-no-peer-`);
  try {
    await expect(openRocksMq({ dir, engine: "rocksdb" })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "engine" },
      message: expect.stringContaining("npm install @nxtedition/rocksdb@12.2.12") as string,
    });
    expect(readdirSync(dir)).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
