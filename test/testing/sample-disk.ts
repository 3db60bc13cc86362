/**
 * Small disks in memory, for the tests of `MemoryVfs` itself.
 */
import type { VfsFile } from "../../src/base/vfs.js";
import { MemoryVfs } from "../../src/testing/index.js";

/** Bytes as text. */
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** Text as bytes. */
export const bytes = (words: string): Uint8Array => new TextEncoder().encode(words);

/** A disk with a durable directory `d` and these files in it. */
export async function diskWith(files: Readonly<Record<string, string>>, seed = 1): Promise<MemoryVfs> {
  const disk = new MemoryVfs(seed);
  await disk.makeDirectory("d");
  for (const [path, words] of Object.entries(files)) {
    const file = await disk.open(path, "create");
    await file.write([bytes(words)], 0);
    await file.sync();
    await file.close();
  }
  await disk.syncDirectory("d");
  return disk;
}

/** A disk with one durable file, `d/a`, open for writing. */
export async function openFile(words: string, seed = 1): Promise<{ disk: MemoryVfs; file: VfsFile }> {
  const disk = await diskWith({ "d/a": words }, seed);
  return { disk, file: await disk.open("d/a", "write") };
}

/** The file as a reader of its handle sees it. */
export async function readAll(disk: MemoryVfs, path: string): Promise<string> {
  const file = await disk.open(path, "read");
  const into = new Uint8Array(await file.size());
  await file.read(into, 0);
  await file.close();
  return text(into);
}
