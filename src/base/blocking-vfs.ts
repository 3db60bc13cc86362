/**
 * The log writer's few calls on the real disk, blocking: for a thread of its own, where a call that blocks keeps nobody waiting and saves
 * the way through the system's thread pool.
 */
import * as fs from "node:fs";
import { mostBytesAtOnce } from "./byte-parts.js";
import { systemError } from "./system-error.js";
import type { Vfs, VfsFile } from "./vfs.js";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;

/** What a log writer needs of a disk. */
export interface WritableDisk {
  open(path: string, mode: "write" | "create"): Promise<Pick<VfsFile, "write" | "sync" | "truncate" | "close">>;
  syncDirectory: Vfs["syncDirectory"];
}

/** Its promises are settled when it returns them. */
export class BlockingVfs implements WritableDisk {
  async open(path: string, mode: "write" | "create"): Promise<BlockingFile> {
    return new BlockingFile(path, fs.openSync(path, mode === "create" ? O_RDWR | O_CREAT | O_EXCL : O_RDWR));
  }

  async syncDirectory(path: string): Promise<void> {
    const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY);
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
}

/** An open file; see `VfsFile`. */
class BlockingFile {
  readonly #path: string;
  readonly #fd: number;

  constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  async write(parts: readonly Uint8Array[], offset: number): Promise<void> {
    let at = offset;
    for (const part of parts) {
      this.#writeAll(part, at);
      at += part.byteLength;
    }
  }

  async sync(): Promise<void> {
    fs.fdatasyncSync(this.#fd);
  }

  async truncate(size: number): Promise<void> {
    fs.ftruncateSync(this.#fd, size);
  }

  async close(): Promise<void> {
    fs.closeSync(this.#fd);
  }

  #writeAll(bytes: Uint8Array, offset: number): void {
    for (let done = 0; done < bytes.byteLength;) {
      const written = fs.writeSync(this.#fd, bytes, done, Math.min(bytes.byteLength - done, mostBytesAtOnce), offset + done);
      // Else this would never end.
      if (written === 0) throw systemError("EIO", `the system wrote nothing and gave no reason, write '${this.#path}' at ${offset + done}`);
      done += written;
    }
  }
}
