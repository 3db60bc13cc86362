import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemCode } from "../base/system-error.js";

/** A folder before something is made in it, there or not: so that a command that fails leaves it as it was. */
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

  /** As it is now. */
  static async of(folder: string): Promise<FolderBefore> {
    const names = await namesIn(folder);
    const missing: string[] = [];
    for (let at = folder; !(await isThere(at)); at = dirname(at)) missing.push(at);
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

/** Undefined when there is no such folder. Of one that can't be read nobody may think that it was empty: all of it would be taken away. */
async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Those that can't be looked at too: they are not ours to remove. */
async function isThere(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return !isMissing(error);
  }
}

function isMissing(error: unknown): boolean {
  return systemCode(error) === "ENOENT";
}
