/**
 * The ceiling: what this disk does with the same bytes when nothing is made of them. A file, `write`, `fdatasync`, again.
 *
 * Blocking calls, because they are the fastest way that Node has; a ceiling must not flatter us.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.js";
import type { Load } from "./load.js";

/** One file, appended to; gone when closed. */
export class BareDisk {
  readonly #path: string;
  readonly #file: number;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#path = join(folder, "bare-disk.tmp");
    this.#file = openSync(this.#path, "w");
    this.#clock = clock;
    // What making a file costs is not the ceiling's.
    fsyncSync(this.#file);
  }

  /** Milliseconds for messages `from` to `to` - 1, `inFlight` of them a sync. */
  write(load: Load, { from, to, inFlight }: { readonly from: number; readonly to: number; readonly inFlight: number }): number {
    const startedAt = this.#clock.monotonicMs();
    for (let at = from; at < to; at += inFlight) {
      const group = load.slice(at, Math.min(at + inFlight, to));
      for (let written = 0; written < group.length;) written += writeSync(this.#file, group, written);
      fdatasyncSync(this.#file);
    }
    return this.#clock.monotonicMs() - startedAt;
  }

  close(): void {
    closeSync(this.#file);
    unlinkSync(this.#path);
  }
}
