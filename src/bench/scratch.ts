/**
 * The disk space of a run: one folder under the place that is measured, gone when the run is over, also when it is interrupted.
 */
import { rmSync } from "node:fs";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../base/system-error.js";

/** Made by `open`; the caller owes a `remove`. */
export class Scratch {
  readonly folder: string;
  readonly #onExit: () => void;
  #folders = 0;

  private constructor(folder: string) {
    this.folder = folder;
    // The last chance, for whoever is told to end at once.
    this.#onExit = () => rmSync(folder, { recursive: true, force: true });
    process.on("exit", this.#onExit);
  }

  static async open(place: string): Promise<Scratch> {
    return new Scratch(await mkdtemp(join(place, "tidemark-bench-")));
  }

  /** Gives `use` the path of a folder that is not there yet, and removes what has come to be there. Resolves with what `use` returned. */
  async use<T>(use: (path: string) => Promise<T>): Promise<T> {
    this.#folders += 1;
    const path = join(this.folder, String(this.#folders));
    try {
      return await use(path);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    process.off("exit", this.#onExit);
  }
}

/** Bytes that the file system has given to everything in a folder, as `du` counts. */
export async function diskUsage(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map((name) => allocated(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes that the file system has given to a file; 0 for one that was removed meanwhile. */
export async function allocated(path: string): Promise<number> {
  try {
    return (await lstat(path)).blocks * 512;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
}
