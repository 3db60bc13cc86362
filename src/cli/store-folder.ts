/**
 * Which folder is meant by the D of `--dir D`.
 *
 *     D holds a store           D          a program's own, openRocksMq({ dir: D })
 *     D/queue holds one         D/queue    what the command line makes
 *     neither                   none; a new one goes to D/queue, unless somebody else's files lie there
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../base/system-error.js";
import { folderOfTools, foreignName, holdsRocksDb, holdsRocksDbQueue, holdsStore } from "../storage/index.js";
import { Failure, UsageError } from "./failure.js";

/** The folder that the command line makes for the queue inside the one that the user named. */
export function queueFolder(directory: string): string {
  return join(directory, folderOfTools);
}

/** The folder of the store that is meant, sound or damaged; undefined when there is none. */
export async function findStore(directory: string): Promise<string | undefined> {
  for (const folder of [directory, queueFolder(directory)]) {
    if (holdsStore((await namesIn(folder)) ?? [])) return folder;
  }
  return undefined;
}

/** The folder of a queue of the RocksDB engine, which the commands do not open; undefined when there is none. */
async function findRocksDbQueue(directory: string): Promise<string | undefined> {
  for (const folder of [directory, queueFolder(directory)]) {
    if (holdsRocksDbQueue((await namesIn(folder)) ?? [])) return folder;
  }
  return undefined;
}

/** Why no command goes on there, when none of the commands' own stores is; `otherwise` where nothing of ours is at all. */
export async function noStore(directory: string, otherwise: string): Promise<Failure> {
  const folder = await findRocksDbQueue(directory);
  if (folder === undefined) return new Failure(otherwise);
  const todo = `a program opens it with openRocksMq({ dir, engine: "rocksdb" }), and any RocksDB tool reads it`;
  return new Failure(`${folder} holds a queue of the RocksDB engine, which this command does not open: ${todo}`);
}

/**
 * Where a new store of `directory` goes; nothing is made yet.
 *
 * @throws `UsageError` among files that are not ours
 */
export async function placeForNewStore(directory: string): Promise<string> {
  const folder = queueFolder(directory);
  const rocksDb = await findRocksDbQueue(directory);
  if (rocksDb !== undefined) throw new UsageError(`${rocksDb} holds a queue of the RocksDB engine: name another folder`);
  if (holdsRocksDb((await namesIn(directory)) ?? [])) throw new UsageError(`${directory} holds a RocksDB database: name another folder`);
  const taken = foreignName((await namesIn(folder)) ?? []);
  if (taken !== undefined) {
    throw new UsageError(`${folder} holds files of something else ("${taken}") and no queue: name another folder with --dir`);
  }
  return folder;
}

async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR") throw new Failure(`${folder} is a file or lies below one: name a folder`);
    throw error;
  }
}

/** The folder itself, or the queue inside it: people have the one from `--dir` at hand. */
export async function storeIn(dir: string): Promise<string> {
  const found = await findStore(dir);
  if (found === undefined) throw await noStore(dir, `there is no queue in ${dir}: name its folder, or the one above a folder "queue"`);
  return found;
}
