/**
 * The port to the file that the log is written to. It has no clock and decides nothing: what to write, and when to sync, comes in.
 */
import { assert } from "../../base/assert.js";
import type { WritableDisk } from "../../base/blocking-vfs.js";
import { segmentName } from "./file-names.js";
import { fatal } from "./system-error.js";

/** Writes one segment file at a time. One call at a time; failures are the system's own, or a `FatalFailure` where a sync failed. */
export interface LogWriter {
  /** A buffer to lay a group out in. What was laid out in it before is lost. */
  staging(size: number): Buffer;
  /** Makes the file of a segment, or takes the one that was made ahead of need. From now on it is the one written to. */
  open(segment: number, mode: "create" | "write"): Promise<void>;
  /** Resolves once the names of all files made before the call are durable. */
  syncNames(): Promise<void>;
  /** Writes what was laid out in `staging`, or other bytes; with `sync` it is durable then, with all that was written before. */
  write(bytes: Uint8Array, offset: number, sync: boolean): Promise<void>;
  /** Resolves once all writes that ended before the call are durable. */
  sync(): Promise<void>;
  /** Takes away what stands from `size` on. */
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** A group closes at 4 MiB, and its last change may be larger than what was left. */
const largestStagingKept = 8 * 1024 * 1024;

/** A buffer that is used again and again, and grows by doubling; one that is too large to keep is made for one use. */
export class Staging {
  readonly #make: (size: number) => Buffer;
  #kept: Buffer | undefined;

  constructor(make: (size: number) => Buffer) {
    this.#make = make;
  }

  take(size: number): Buffer {
    if (size > largestStagingKept) return this.#make(size);
    if (this.#kept === undefined || this.#kept.length < size) {
      this.#kept = this.#make(Math.min(largestStagingKept, Math.max(64 * 1024, size, 2 * (this.#kept?.length ?? 0))));
    }
    return this.#kept.subarray(0, size);
  }
}

/** Writes from the thread that calls it. */
export class InlineLogWriter implements LogWriter {
  readonly #disk: WritableDisk;
  readonly #dir: string;
  readonly #staging = new Staging((size) => Buffer.allocUnsafe(size));
  #file: Awaited<ReturnType<WritableDisk["open"]>> | undefined;

  constructor(disk: WritableDisk, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
  }

  staging(size: number): Buffer {
    return this.#staging.take(size);
  }

  async open(segment: number, mode: "create" | "write"): Promise<void> {
    await this.close();
    this.#file = await this.#disk.open(`${this.#dir}/${segmentName(segment)}`, mode);
  }

  async syncNames(): Promise<void> {
    await fatal(this.#disk.syncDirectory(this.#dir));
  }

  async write(bytes: Uint8Array, offset: number, sync: boolean): Promise<void> {
    const file = this.#opened();
    await file.write([bytes], offset);
    if (sync) await fatal(file.sync());
  }

  async sync(): Promise<void> {
    await fatal(this.#opened().sync());
  }

  truncate(size: number): Promise<void> {
    return this.#opened().truncate(size);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  #opened(): Awaited<ReturnType<WritableDisk["open"]>> {
    assert(this.#file !== undefined, "the log is written before it has a segment");
    return this.#file;
  }
}
