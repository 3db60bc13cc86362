/**
 * A queue over either host of its log: the thread that a user gets, or the main thread, by a disk that does not say that it is the real one.
 */
import { NodeVfs } from "../base/node-vfs.js";
import { vfs, type Vfs, type VfsFile, type VfsLock } from "../base/vfs.js";
import { openRocksMq, type RocksMq, type RocksMqOptions } from "../rocksmq/index.js";
import type { LogHost } from "./figure.js";

/** In the order in which they take their turns. */
export const logHosts: readonly LogHost[] = ["thread", "inline"];

/** See `openRocksMq`. */
export function openOn(host: LogHost, options: RocksMqOptions): Promise<RocksMq> {
  return openRocksMq(host === "thread" ? options : { ...options, vfs: new InlineDisk() });
}

/** The real disk under another kind: the engine gives a thread only to the kind "node". */
class InlineDisk implements Vfs {
  readonly kind = "inline";
  readonly [vfs] = true;
  readonly #disk = new NodeVfs();

  makeDirectory(path: string): Promise<void> {
    return this.#disk.makeDirectory(path);
  }

  list(path: string): Promise<string[]> {
    return this.#disk.list(path);
  }

  open(path: string, mode: "read" | "write" | "create"): Promise<VfsFile> {
    return this.#disk.open(path, mode);
  }

  rename(from: string, to: string): Promise<void> {
    return this.#disk.rename(from, to);
  }

  unlink(path: string): Promise<void> {
    return this.#disk.unlink(path);
  }

  freeBytes(path: string): Promise<number> {
    return this.#disk.freeBytes(path);
  }

  syncDirectory(path: string): Promise<void> {
    return this.#disk.syncDirectory(path);
  }

  lock(path: string): Promise<VfsLock> {
    return this.#disk.lock(path);
  }

  lockHolder(path: string): Promise<number | undefined> {
    return this.#disk.lockHolder(path);
  }
}
