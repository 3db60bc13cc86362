/**
 * Files that may be there or not, either of which is fine.
 */
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { isMissing } from "./system-error.js";

/** The file, to read; undefined when there is none. */
export async function openIfThere(vfs: Vfs, path: string): Promise<VfsFile | undefined> {
  try {
    return await vfs.open(path, "read");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The file, to write, as it is; made when there is none. Its name is not durable then. */
export async function openOrCreate(vfs: Vfs, path: string): Promise<VfsFile> {
  try {
    return await vfs.open(path, "write");
  } catch (error) {
    if (!isMissing(error)) throw error;
    return vfs.open(path, "create");
  }
}

/** Removes a file; nothing when there is none. */
export async function removeIfThere(vfs: Vfs, path: string): Promise<void> {
  try {
    await vfs.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
