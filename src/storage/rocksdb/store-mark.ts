/**
 * The file that says whose database it is: `tidemark-rocksdb`, with `{"format":1}`.
 *
 * It is looked at before RocksDB is let near the directory, since opening a database rewrites it: one that Milvus wrote is refused by it
 * afterwards.
 */
import { TidemarkError } from "../../base/errors.js";
import type { Vfs } from "../../base/vfs.js";
import { foreignFiles, holdsRocksDb, holdsStore, rocksDbMarkName as markName } from "../segment/file-names.js";
import { isMissing } from "../segment/system-error.js";

const format = 1;
/** A mark is a few bytes. */
const mostBytes = 1024;

/**
 * Makes sure that the directory is ours, or is taken now. The caller holds its lock.
 *
 * @throws `invalid-argument` for a store of the segment engine, and a database that somebody else made; `unsupported-format`; `corrupt`
 */
export async function claimDirectory(vfs: Vfs, dir: string): Promise<void> {
  const names = await vfs.list(dir);
  const found = await readMark(vfs, dir);
  if (found === undefined || found === "") {
    refuseOthers(dir, names);
    return writeMark(vfs, dir);
  }
  checkMark(dir, found);
}

/** @throws `invalid-argument`; nothing is written there before, not a lock either */
export async function refuseOtherStores(vfs: Vfs, dir: string): Promise<void> {
  const names = await vfs.list(dir);
  if (!names.includes(markName)) refuseOthers(dir, names);
}

function refuseOthers(dir: string, names: readonly string[]): void {
  const found = whatOthersKeep(names.filter((name) => name !== markName));
  if (found !== undefined) throw new TidemarkError("invalid-argument", `${dir} holds ${found}`, { argument: "dir" });
}

/** With what to do about it; undefined when nobody keeps anything there. */
function whatOthersKeep(names: readonly string[]): string | undefined {
  if (holdsStore(names)) return 'a store of the segment engine: open it with engine "segment", or name another directory';
  if (holdsRocksDb(names))
    return "a RocksDB database that Tidemark did not make: name another directory (importMilvusRocksMq copies one that Milvus wrote)";
  const foreign = foreignFiles(names);
  return foreign && `${foreign}: name another directory`;
}

async function readMark(vfs: Vfs, dir: string): Promise<string | undefined> {
  try {
    const file = await vfs.open(`${dir}/${markName}`, "read");
    try {
      const bytes = Buffer.alloc(mostBytes);
      return bytes.toString("utf8", 0, await file.read(bytes, 0));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Durably, before RocksDB makes a file. A crash in between leaves it empty, or alone: then it is written again. */
async function writeMark(vfs: Vfs, dir: string): Promise<void> {
  const path = `${dir}/${markName}`;
  const names = await vfs.list(dir);
  const file = await vfs.open(path, names.includes(markName) ? "write" : "create");
  try {
    await file.write([Buffer.from(`${JSON.stringify({ format })}\n`)], 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await vfs.syncDirectory(dir);
}

function checkMark(dir: string, text: string): void {
  const found = formatIn(text);
  if (found === format) return;
  if (found === undefined) {
    throw new TidemarkError("corrupt", `${dir}/${markName} does not say which format the store has`, {
      file: `${dir}/${markName}`,
      offset: 0,
    });
  }
  const what = `the store in ${dir} has the format ${found}, and this version of Tidemark reads ${format}: take a newer one`;
  throw new TidemarkError("unsupported-format", what, {});
}

function formatIn(text: string): number | undefined {
  try {
    const mark: unknown = JSON.parse(text);
    return typeof mark === "object" && mark !== null && "format" in mark && typeof mark.format === "number" ? mark.format : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
