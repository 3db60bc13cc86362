/**
 * The lock where open(2) itself can lock: macOS and the BSDs. The kernel drops it with the descriptor, however the process ends.
 * Best effort: it is not part of what is tested before a release.
 */
import { closeAfter, closeAll } from "./close-all.js";
import {
  lockedError,
  lockRecordName,
  lockRecordText,
  readLockRecord,
  type LockDirectory,
  type LockFile,
  type LockOptions,
} from "./directory-lock.js";
import { TidemarkError } from "./errors.js";
import { systemCode } from "./system-error.js";
import type { VfsLock } from "./vfs.js";

const O_SHLOCK = 0x10;
const O_EXLOCK = 0x20;

/** Takes the directory by its lock file, or rejects with `locked`. Owns `directory` from the call on. */
export async function lockByOpening(directory: LockDirectory, options: LockOptions): Promise<VfsLock> {
  let file: LockFile | undefined;
  try {
    if (process.platform === "win32") throw new TidemarkError("invalid-argument", "Windows is not supported yet", { argument: "dir" });
    file = await openUnlessHeld(directory, O_EXLOCK);
    if (file === undefined) throw lockedError(directory.path, await readLockRecord(directory));
    await file.write(lockRecordText(0, options.clock));
    const parts = [file, directory];
    let released: Promise<void> | undefined;
    return { release: () => (released ??= closeAll(...parts.map((part) => () => part.close()))) };
  } catch (error) {
    return closeAfter(
      error,
      async () => file?.close(),
      () => directory.close(),
    );
  }
}

/** The holder's pid; undefined when the directory is free. */
export async function holderByOpening(directory: LockDirectory): Promise<number | undefined> {
  const file = await openUnlessHeld(directory, O_SHLOCK);
  if (file === undefined) return (await readLockRecord(directory))?.pid ?? 0;
  await file.close();
  return undefined;
}

async function openUnlessHeld(directory: LockDirectory, flag: number): Promise<LockFile | undefined> {
  try {
    return await directory.openExclusive(lockRecordName, flag);
  } catch (error) {
    if (["EAGAIN", "EWOULDBLOCK"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}
