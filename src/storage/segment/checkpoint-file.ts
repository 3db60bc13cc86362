/**
 * Puts a checkpoint in the place of the one before: written beside it, synced, renamed, and the rename synced.
 */
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { checkpointName, checkpointTempName } from "./file-names.js";
import { removeIfThere } from "./optional-file.js";
import { fatal, isDiskFull } from "./system-error.js";

/**
 * Resolves once the new checkpoint is durable under its name.
 *
 * @throws the system's error when the disk is full, with the old checkpoint in place; `FatalFailure` when a sync or the rename failed.
 */
export async function replaceCheckpoint(vfs: Vfs, dir: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${dir}/${checkpointTempName}`;
  await removeIfThere(vfs, temporary);
  const file = await vfs.open(temporary, "create");
  try {
    await writeAndSync(file, bytes);
  } catch (error) {
    // Its bytes are of no use to anybody, and a full disk wants them back.
    if (isDiskFull(error)) await vfs.unlink(temporary);
    throw error;
  } finally {
    await file.close();
  }
  await fatal(vfs.rename(temporary, `${dir}/${checkpointName}`));
  // The rename is not durable before the directory is.
  await fatal(vfs.syncDirectory(dir));
}

async function writeAndSync(file: VfsFile, bytes: Uint8Array): Promise<void> {
  await file.write([bytes], 0);
  await fatal(file.sync());
}
