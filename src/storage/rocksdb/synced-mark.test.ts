import { expect, it } from "vitest";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { decodeSyncedMark, encodeSyncedMark, readSyncedMark, writeSyncedMark } from "./synced-mark.js";

const mark = { sequence: 2n ** 40n + 7n, manifest: 17n, manifestBytes: 660n };

it("a mark comes back as it was written, and with any byte changed it is none", () => {
  const bytes = encodeSyncedMark(mark);

  expect(decodeSyncedMark(bytes)).toEqual(mark);
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    expect(decodeSyncedMark(damaged)).toBeUndefined();
  }
  expect(decodeSyncedMark(bytes.subarray(0, 31))).toBeUndefined();
});

it("a directory has none, one that is damaged, or the one that was written last", async () => {
  const vfs = new MemoryVfs();
  await vfs.makeDirectory("/queue");
  expect(await readSyncedMark(vfs, "/queue")).toBeUndefined();

  await writeSyncedMark(vfs, "/queue", { ...mark, sequence: 1n });
  await writeSyncedMark(vfs, "/queue", mark);
  expect(await readSyncedMark(vfs, "/queue")).toEqual(mark);

  const file = await vfs.open("/queue/tidemark-rocksdb-synced", "write");
  await file.truncate(5);
  await file.close();
  expect(await readSyncedMark(vfs, "/queue")).toBe("damaged");
});
