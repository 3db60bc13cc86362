import { describe, expect, it } from "vitest";
import type { MemoryVfs } from "../../testing/memory-vfs.js";
import type { TestStore } from "../conformance/test-store.js";
import { HeldDisk } from "../../../test/segment/held-disk.js";
import { openOn, pathOf, segmentFile, textOfBytes } from "../../../test/segment/segment-store.js";

/** Channel "a" with ten messages, two a segment, whose ids are odd, so that no count can do without a look; perhaps one of "b" in the first. */
async function storeOn(disk: MemoryVfs, { beside = false } = {}): Promise<TestStore> {
  const store = await openOn(disk, { segmentBytes: 4096, ids: "external" });
  await store.create("a", "b");
  if (beside) await store.appendAt("b", 1n, "keeps the file");
  for (let id = 1n; id < 20n; id += 2n) await store.appendAt("a", id, textOfBytes(1500));
  return store;
}

/** A trim is done before the files go that it freed; the next turn comes behind that. */
function filesGone(store: TestStore): Promise<void> {
  return store.write(() => undefined);
}

describe.each<[string, (store: TestStore) => Promise<unknown>, { readonly before: unknown; readonly left: unknown }]>([
  ["a look-up of a time", (store) => store.engine.idAt(store.view("a"), 0), { before: 1n, left: 7n }],
  ["a count", (store) => store.engine.countFrom(store.view("a"), 2n), { before: 9, left: 7 }],
])("%s", (_, ask, { before, left }) => {
  it("finds what is left when a trim takes the file away under it", async () => {
    const disk = new HeldDisk(segmentFile(1));
    const store = await storeOn(disk);

    const asked = ask(store);
    await disk.asked.promise;
    await store.trim("a", 7n);
    await filesGone(store);
    disk.held.resolve();

    expect(await asked).toBe(left);
  });

  it("answers for the moment of the call when a trim overtakes it, and the file stays", async () => {
    const disk = new HeldDisk(segmentFile(1));
    const store = await storeOn(disk, { beside: true });

    const asked = ask(store);
    await disk.asked.promise;
    await store.trim("a", 7n);
    disk.held.resolve();

    expect(await asked).toBe(before);
  });

  it("is refused when the channel's end does", async () => {
    const disk = new HeldDisk(segmentFile(1));
    const store = await storeOn(disk);

    const asked = ask(store);
    await disk.asked.promise;
    await store.destroy("a");
    await filesGone(store);
    disk.held.resolve();

    await expect(asked).rejects.toMatchObject({ code: "channel-not-found" });
  });

  it("is corrupt when the file is gone by itself", async () => {
    const disk = new HeldDisk(segmentFile(1));
    const store = await storeOn(disk);

    const asked = ask(store);
    await disk.asked.promise;
    disk.removeFile(pathOf(segmentFile(1)));
    disk.held.resolve();

    await expect(asked).rejects.toMatchObject({ code: "corrupt", details: { file: pathOf(segmentFile(1)) } });
  });
});
