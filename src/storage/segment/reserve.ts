/**
 * The reserve: a file of zeros that is given up when the disk is full, so that a trim, a destroy, a cursor's move and the checkpoint that
 * lets segments go always find room.
 */
import type { Logger } from "../../base/logger.js";
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { reserveName } from "./file-names.js";
import { openIfThere, openOrCreate, removeIfThere } from "./optional-file.js";
import { isDiskFull } from "./system-error.js";

const leastBytes = 1024 * 1024;
const slackBytes = 64 * 1024;
/** So that a segment as small as they are on a full disk can be compacted there, beside large checkpoints too: half of it, and what copies take beside themselves. */
const copiesBytes = 640 * 1024;
const zeros = Buffer.alloc(256 * 1024);

/** What trims and the checkpoints that let segments go can't do without: two of those, and a small segment. */
export function leastRoom(checkpointBytes: number): number {
  return 2 * checkpointBytes + slackBytes;
}

/** How large a reserve is beside a checkpoint of this size. */
export function reserveBytes(checkpointBytes: number): number {
  return Math.max(leastBytes, leastRoom(checkpointBytes) + copiesBytes);
}

/** One file; `bytes` is what it holds now. */
export class Reserve {
  readonly #vfs: Vfs;
  readonly #path: string;
  readonly #logger: Logger;
  /** 0 when it is given up, or could not be made. */
  #bytes: number;

  private constructor(vfs: Vfs, path: string, logger: Logger, bytes: number) {
    this.#vfs = vfs;
    this.#path = path;
    this.#logger = logger;
    this.#bytes = bytes;
  }

  /** The reserve as an earlier open left it. */
  static async find(vfs: Vfs, dir: string, logger: Logger): Promise<Reserve> {
    const path = `${dir}/${reserveName}`;
    const file = await openIfThere(vfs, path);
    try {
      return new Reserve(vfs, path, logger, (await file?.size()) ?? 0);
    } finally {
      await file?.close();
    }
  }

  /** Whether it is as large as a checkpoint of this size asks for: so that two of them fit, and a small segment. */
  isEnough(checkpointBytes: number): boolean {
    return this.#bytes >= reserveBytes(checkpointBytes);
  }

  /** False when it is given up, or could not be made: what is free then is for those who free more. */
  get isThere(): boolean {
    return this.#bytes > 0;
  }

  /** What giving it up would free. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Makes it large enough. Whether the disk had room for it. */
  async refill(checkpointBytes: number): Promise<boolean> {
    if (this.isEnough(checkpointBytes)) return true;
    const wanted = reserveBytes(checkpointBytes);
    let file: VfsFile | undefined;
    try {
      // A crash may have left it empty: then it is there, and holds nothing.
      file = await openOrCreate(this.#vfs, this.#path);
      await this.#fill(file, wanted);
      return true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      // Half a reserve is none: leave the room to those who need it now.
      await removeIfThere(this.#vfs, this.#path);
      this.#bytes = 0;
      return false;
    } finally {
      await file?.close();
    }
  }

  /** Gives its space to whoever writes next. Whether there was any. */
  async giveUp(): Promise<boolean> {
    if (this.#bytes === 0) return false;
    await this.#vfs.unlink(this.#path);
    this.#bytes = 0;
    this.#logger.warn({ file: this.#path }, "the disk is full: the reserve is given up so that trims and cursors can go on");
    return true;
  }

  async #fill(file: VfsFile, wanted: number): Promise<void> {
    for (let at = this.#bytes; at < wanted; at += zeros.length) {
      const part = zeros.subarray(0, Math.min(zeros.length, wanted - at));
      await file.write([part], at);
      this.#bytes = at + part.length;
    }
  }
}
