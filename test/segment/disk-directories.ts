/** Directories on the real disk for the stores of one test file, gone when all its tests are over. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true });
});

/** One more. */
export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/tidemark-conformance-`);
  directories.push(directory);
  return directory;
}
