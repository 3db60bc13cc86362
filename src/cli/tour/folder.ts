/** Where the tour puts its queue: on a disk, in an empty folder, with room enough. */
import { lstat, mkdtemp, readdir, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { systemCode } from "../../base/system-error.js";
import { makeFolder, refuseIfInUse } from "../empty-folder.js";
import { Failure } from "../failure.js";
import { bytes } from "../figures.js";

/** File systems that live in memory, by statfs's magic numbers: an fsync costs and proves nothing there. */
const inMemory = new Set([0x0102_1994, 0x8584_58f6]);

/** What the tour needs at most, by far. */
const neededBytes = 200_000_000;

/** A new folder, or the one asked for if it is absent or empty. It stays when the tour ends. */
export async function chooseFolder(wanted: string | undefined): Promise<string> {
  if (wanted === undefined) {
    const parent = await temporaryFolder();
    await refuseIfFull(parent);
    return mkdtemp(join(parent, "tidemark-tour-"));
  }
  const folder = resolve(wanted);
  await refuseIfInUse(folder, `--dir ${wanted}`);
  await refuseIfFull(await existingPart(folder));
  await makeFolder(folder);
  return folder;
}

/** Whether what is written there never sees a disk. */
export async function isInMemory(folder: string): Promise<boolean> {
  return inMemory.has((await statfs(folder)).type);
}

/** Bytes that the file system has given to everything below `folder`, as `du` counts. */
export async function diskUsage(folder: string): Promise<number> {
  let used = 0;
  for (const name of await readdir(folder, { recursive: true })) used += await allocated(join(folder, name));
  return used;
}

/** Before anything is made there. */
async function refuseIfFull(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= neededBytes) return;
  throw new Failure(`${folder} has ${bytes(free)} free and the tour wants ${bytes(neededBytes)}: name another place with --dir`);
}

async function existingPart(folder: string): Promise<string> {
  try {
    await lstat(folder);
    return folder;
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    return existingPart(dirname(folder));
  }
}

/** The system's folder for temporary files, unless that one is in memory and the one that outlives a restart is not. */
export async function temporaryFolder(): Promise<string> {
  const usual = tmpdir();
  if (!(await isInMemory(usual))) return usual;
  const lasting = await isInMemory("/var/tmp").catch(() => true);
  return lasting ? usual : "/var/tmp";
}

/** 0 for a file that was removed meanwhile. */
async function allocated(path: string): Promise<number> {
  try {
    return (await lstat(path)).blocks * 512;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
}
