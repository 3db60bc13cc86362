/**
 * Reading files as a whole, also where the disk can't read a sector of them.
 */
import { systemCode } from "../../base/system-error.js";
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { openIfThere } from "./optional-file.js";

const sectorBytes = 4096;

/** The bytes of a file; undefined when there is none. Unreadable sectors come back as zeros: to a log they are as bad as each other. */
export async function readFile(vfs: Vfs, path: string): Promise<Buffer | undefined> {
  const file = await openIfThere(vfs, path);
  if (file === undefined) return undefined;
  try {
    return await readWhole(file);
  } finally {
    await file.close();
  }
}

/** The first `length` bytes of a file, or fewer; undefined when there is none. */
export async function readStart(vfs: Vfs, path: string, length: number): Promise<Buffer | undefined> {
  const file = await openIfThere(vfs, path);
  if (file === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, await readTolerant(file, bytes, 0));
  } finally {
    await file.close();
  }
}

async function readWhole(file: VfsFile): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(await file.size());
  return bytes.subarray(0, await readTolerant(file, bytes, 0));
}

async function readTolerant(file: VfsFile, into: Buffer, offset: number): Promise<number> {
  try {
    return await file.read(into, offset);
  } catch (error) {
    if (systemCode(error) !== "EIO") throw error;
    if (into.length <= sectorBytes) return into.fill(0).length;
    let read = 0;
    for (let at = 0; at < into.length; at += sectorBytes)
      read += await readTolerant(file, into.subarray(at, at + sectorBytes), offset + at);
    return read;
  }
}
