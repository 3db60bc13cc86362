/**
 * Whose a directory is, looked at before anything is written there, a lock too.
 *
 *     a store of ours that keeps the same        go on
 *     one that keeps something else              refused
 *     a RocksDB database, other people's files   refused
 *     nothing, or what a cut-short open left     a new store may be made
 */
import { TidemarkError } from "../../base/errors.js";
import { systemCode } from "../../base/system-error.js";
import type { Vfs } from "../../base/vfs.js";
import { type StoreKind, whatIsKept } from "../store-kind.js";
import { checkpointName, folderOfTools, foreignFiles, holdsRocksDb, holdsRocksDbQueue, holdsStore, isFileOfStore } from "./file-names.js";
import { keptByCheckpoint } from "./checkpoint.js";
import { readFile, readStart } from "./read-file.js";

const otherEngine = 'open it with engine "rocksdb", or name another directory';

/** @throws `invalid-argument` saying what is there */
export async function refuseOtherUse(vfs: Vfs, dir: string, keeps: StoreKind): Promise<void> {
  const names = await vfs.list(dir);
  if (holdsStore(names)) return refuseOtherStore(vfs, dir, keeps);
  if (holdsRocksDbQueue(names)) throw notForIt(dir, "a queue of the RocksDB engine", keeps, keeps === "queue" ? otherEngine : undefined);
  if (holdsRocksDb(names)) throw notForIt(dir, "a RocksDB database", keeps);
  if (names.includes(folderOfTools) && (await isStore(vfs, `${dir}/${folderOfTools}`)))
    throw notForIt(dir, `a store in its folder "${folderOfTools}"`, keeps, `open ${dir}/${folderOfTools}`);
  const foreign = foreignFiles(names);
  if (foreign !== undefined) throw notForIt(dir, foreign, keeps);
  for (const name of names.filter(isFileOfStore)) {
    if (!(await isFolder(vfs, `${dir}/${name}`))) continue;
    throw notForIt(dir, `a folder ${JSON.stringify(name)}, where a file of ours would be`, keeps);
  }
}

/** @throws `invalid-argument` unless what the store keeps is what is wanted */
export function checkKept(dir: string, keeps: StoreKind, wanted: StoreKind): void {
  if (keeps !== wanted) throw notForIt(dir, whatIsKept[keeps], wanted);
}

/** Only the start of the checkpoint is read; what it says counts once all of it is found sound. A damaged one is the recovery's to report. */
async function refuseOtherStore(vfs: Vfs, dir: string, wanted: StoreKind): Promise<void> {
  const path = `${dir}/${checkpointName}`;
  const start = await readStart(vfs, path, 64);
  const kept = start && keptByCheckpoint(start, "start");
  if (kept === undefined || kept === wanted) return;
  const whole = await readFile(vfs, path);
  const proven = whole && keptByCheckpoint(whole, "whole");
  if (proven !== undefined) checkKept(dir, proven, wanted);
}

/** Of something in the directory. Only a folder's bytes can't be read for that reason. */
async function isFolder(vfs: Vfs, path: string): Promise<boolean> {
  try {
    await readStart(vfs, path, 1);
    return false;
  } catch (error) {
    if (systemCode(error) === "EISDIR") return true;
    throw error;
  }
}

/** False where there is no such folder, or none that can be read. */
async function isStore(vfs: Vfs, dir: string): Promise<boolean> {
  try {
    return holdsStore(await vfs.list(dir));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function notForIt(dir: string, found: string, wanted: StoreKind, advice = "name another directory"): TidemarkError<"invalid-argument"> {
  const text = `${dir} holds ${found}, and ${whatIsKept[wanted]} needs a directory of its own: ${advice}`;
  return new TidemarkError("invalid-argument", text, { argument: "dir" });
}
