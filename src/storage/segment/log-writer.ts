/**
 * The port to the file that the log is written to. It has no clock and decides nothing: what to write, and when to sync, comes in.
 */
import { assert } from "../../base/assert.js";
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { segmentName } from "./file-names.js";

/** Writes one segment file at a time. One call at a time; failures are the system's own. */
export interface LogWriter {
  /** Makes the file of a segment; from now on it is the one written to. */
  create(segment: number): Promise<void>;
  /** Resolves once the names of all files made before the call are durable. */
  syncNames(): Promise<void>;
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** Resolves once all writes that ended before the call are durable. */
  sync(): Promise<void>;
  /** Takes away what stands from `size` on. */
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** Writes from this thread, through the disk's asynchronous calls. */
export class InlineLogWriter implements LogWriter {
  readonly #vfs: Vfs;
  readonly #dir: string;
  #file: VfsFile | undefined;

  constructor(vfs: Vfs, dir: string) {
    this.#vfs = vfs;
    this.#dir = dir;
  }

  async create(segment: number): Promise<void> {
    await this.close();
    this.#file = await this.#vfs.open(`${this.#dir}/${segmentName(segment)}`, "create");
  }

  syncNames(): Promise<void> {
    return this.#vfs.syncDirectory(this.#dir);
  }

  write(bytes: Uint8Array, offset: number): Promise<void> {
    return this.#open().write([bytes], offset);
  }

  sync(): Promise<void> {
    return this.#open().sync();
  }

  truncate(size: number): Promise<void> {
    return this.#open().truncate(size);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  #open(): VfsFile {
    assert(this.#file !== undefined, "the log is written before it has a segment");
    return this.#file;
  }
}
