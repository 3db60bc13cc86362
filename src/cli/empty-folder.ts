/** Folders that a command wants for itself: absent, or empty; and folders that it leaves as they were. */
import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
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

/** Takes away all that stands in a folder that was absent or empty. */
export async function emptyAgain(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) await rm(join(folder, name), { recursive: true, force: true });
}

/** A folder before something is made in it, there or not. */
export class FolderBefore {
  readonly #folder: string;
  /** What stands in it; undefined when it is not there. */
  readonly #names: ReadonlySet<string> | undefined;
  /** It and those above it that are not there, itself first. */
  readonly #missing: readonly string[];

  private constructor(folder: string, names: readonly string[] | undefined, missing: readonly string[]) {
    this.#folder = folder;
    this.#names = names === undefined ? undefined : new Set(names);
    this.#missing = missing;
  }

  static async of(folder: string): Promise<FolderBefore> {
    const names = await namesIn(folder);
    const missing: string[] = [];
    for (let at = folder; (await namesIn(at)) === undefined && dirname(at) !== at; at = dirname(at)) missing.push(at);
    return new FolderBefore(folder, names, missing);
  }

  /** Takes away what has come into it, and the folders that were made for that. */
  async restore(): Promise<void> {
    const came = ((await namesIn(this.#folder)) ?? []).filter((name) => this.#names?.has(name) !== true);
    for (const name of came) await rm(join(this.#folder, name), { recursive: true, force: true });
    await this.removeFolders();
  }

  /** Takes away the folders that were made, as far as nothing stands in them. */
  async removeFolders(): Promise<void> {
    for (const folder of this.#missing) {
      try {
        await rmdir(folder);
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
        return;
      }
    }
  }
}

/** Undefined when there is no such folder. */
async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
