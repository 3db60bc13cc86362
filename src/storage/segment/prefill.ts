/**
 * Fills the next segment with zeros ahead of need, in the background: a sync over blocks that are there already commits no change of the
 * file's size, and takes a third of the time.
 *
 *     segment 7 (being written)     segment 8 (zeros)
 *     ████████████░░░░░░░░░░░░      ░░░░░░░░░░░░░░░░░░░░░░░░      the roll to 8 writes its header over the first of them
 *
 * It costs about one more device byte a byte, so it begins only once the log is written at a megabyte a second for a second. A file of zeros
 * above the last segment holds nothing of the log: an open removes it.
 */
import type { Clock } from "../../base/clock.js";
import type { Logger } from "../../base/logger.js";
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { removeIfThere } from "./optional-file.js";
import { segmentName } from "./file-names.js";

const worthwhileBytes = 1_000_000;
const windowMs = 1_000;
const zeros = Buffer.alloc(1024 * 1024);

/** What it works with. */
export interface PrefillParts {
  readonly vfs: Vfs;
  readonly dir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Does not wait until the log is written fast. */
  readonly always: boolean;
}

/** One segment ahead at the most. */
export class Prefill {
  readonly #parts: PrefillParts;
  #windowStartMs: number;
  #windowBytes = 0;
  #isFast = false;
  /** The segment that is filled or being filled. */
  #segment: number | undefined;
  /** It was given up, and would only be given up again: until the roll nothing is filled. */
  #rests = false;
  #isStopped = false;
  /** Resolves once nothing is written any more; whether there is a file to take. Never rejects. */
  #filling: Promise<boolean> | undefined;

  constructor(parts: PrefillParts) {
    this.#parts = parts;
    this.#windowStartMs = parts.clock.monotonicMs();
  }

  /** Notes what was written. Whether it is time to `begin`. */
  wrote(bytes: number): boolean {
    this.#windowBytes += bytes;
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - this.#windowStartMs >= windowMs) {
      this.#isFast = this.#windowBytes >= worthwhileBytes * ((nowMs - this.#windowStartMs) / windowMs);
      this.#windowStartMs = nowMs;
      this.#windowBytes = 0;
    }
    return (this.#isFast || this.#parts.always) && this.#segment === undefined && !this.#rests;
  }

  /** Makes the file of a segment, and fills it in the background. */
  begin(segment: number, bytes: number): void {
    this.#segment = segment;
    this.#isStopped = false;
    this.#filling = this.#tryToFill(segment, bytes);
  }

  /** For a roll: the segment that was made, filled as far as it got; undefined when there is none. It is the caller's now. */
  take(): Promise<number | undefined> {
    this.#rests = false;
    return this.#stop();
  }

  /** Removes the file. Whether it has given space back since it was begun, also by itself, when there was no room for it. */
  async giveUp(): Promise<boolean> {
    const segment = this.#segment;
    if (segment === undefined) return false;
    this.#rests = true;
    await this.#stop();
    await this.#remove(segment);
    return true;
  }

  async #stop(): Promise<number | undefined> {
    const segment = this.#segment;
    if (segment === undefined) return undefined;
    this.#isStopped = true;
    const isThere = await this.#filling;
    this.#segment = undefined;
    return isThere === true ? segment : undefined;
  }

  async #tryToFill(segment: number, bytes: number): Promise<boolean> {
    const { dir, logger } = this.#parts;
    try {
      await this.#fill(segment, bytes);
      return true;
    } catch (error) {
      logger.debug({ err: error, dir, segment }, "a segment could not be filled ahead of need");
    }
    // What there is of it is of no use to anybody, and a full disk wants it back. If it won't go, the next open removes it.
    await this.#remove(segment).catch(() => undefined);
    return false;
  }

  async #fill(segment: number, bytes: number): Promise<void> {
    const { vfs, dir } = this.#parts;
    const file = await vfs.open(this.#path(segment), "create");
    try {
      await vfs.syncDirectory(dir);
      await this.#fillFile(file, bytes);
    } finally {
      await file.close();
    }
  }

  async #fillFile(file: VfsFile, bytes: number): Promise<void> {
    for (let at = 0; at < bytes && !this.#isStopped; at += zeros.length) {
      await file.write([zeros.subarray(0, Math.min(zeros.length, bytes - at))], at);
      // Piece by piece: the log's own syncs stand still for as long as one of everything takes (90 ms at their p99, against 17).
      await file.sync();
    }
  }

  #remove(segment: number): Promise<void> {
    return removeIfThere(this.#parts.vfs, this.#path(segment));
  }

  #path(segment: number): string {
    return `${this.#parts.dir}/${segmentName(segment)}`;
  }
}
