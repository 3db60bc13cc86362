/**
 * The ceiling: what this disk does with the same bytes when nothing is made of them. A file, `write`, `fdatasync`, again.
 *
 * Blocking calls, because they are the fastest way that Node has; a ceiling must not flatter us.
 */
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.js";
import type { Load } from "./load.js";

/** Milliseconds for messages `from` to `to` - 1, `inFlight` of them a sync, appended to a file that is gone afterwards. */
export function writeBare(
  folder: string,
  load: Load,
  options: { readonly from: number; readonly to: number; readonly inFlight: number; readonly clock: Clock },
): number {
  const path = join(folder, "bare-disk.tmp");
  const { from, to, inFlight, clock } = options;
  const file = openSync(path, "w");
  try {
    const startedAt = clock.monotonicMs();
    for (let at = from; at < to; at += inFlight) {
      const group = load.slice(at, Math.min(at + inFlight, to));
      for (let written = 0; written < group.length;) written += writeSync(file, group, written);
      fdatasyncSync(file);
    }
    return clock.monotonicMs() - startedAt;
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
