/** Folders that a command wants for itself: absent, or empty. */
import { mkdir, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../base/system-error.js";
import { UsageError } from "./failure.js";

/** @param what names the folder in the error, as it was typed. @throws `UsageError` unless it is absent or empty */
export async function refuseIfInUse(folder: string, what: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return;
    if (code === "ENOTDIR") throw new UsageError(`${what} is a file: name a folder that is not there yet, or an empty one`);
    throw error;
  }
  throw new UsageError(`${what} is not empty: name a folder that is not there yet, or an empty one`);
}

/** With those above it. (Node's own `recursive` never ends where names can't be made, as under /proc.) */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder);
  }
}
