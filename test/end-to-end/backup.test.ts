/** The backup that docs/operations.md has, of a queue that is open. Beside a writer under load: `backup.deep.ts`. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { root } from "../layers/imports.js";

it("a copy has the last message also where it ends in pages of zeros", async () => {
  const place = await mkdtemp(join(tmpdir(), "tidemark-backup-"));
  try {
    const [dir, to] = [join(place, "queue"), join(place, "copy")];
    await using mq = await openRocksMq({ dir, prefill: "off" });
    await mq.createChannel("a");
    const { lastId } = await mq.produce("a", [{ payload: Buffer.from("before") }, { payload: Buffer.alloc(50_000) }]);

    await promisify(execFile)(process.execPath, [join(root, "examples", "backup.mjs"), dir, to]);

    await using copy = await openRocksMq({ dir: to });
    expect(await copy.describeChannel("a")).toMatchObject({ messages: 2n, endId: lastId + 1n });
    for await (const batch of copy.read("a", { from: "earliest" })) expect(batch.map(({ payload }) => payload.length)).toEqual([6, 50_000]);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});
