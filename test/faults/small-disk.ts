/** A disk of a few megabytes: a file system in memory that is full when it is full. Root on Linux only. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounted; the caller owes a `remove`. */
export interface SmallDisk {
  readonly folder: string;
  remove(): void;
}

/** Why none can be mounted here; undefined when one can. */
export function whyNoSmallDisk(): string | undefined {
  try {
    mountSmallDisk("1m").remove();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @param size as mount takes it: "8m" */
export function mountSmallDisk(size: string): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-small-"));
  try {
    run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tidemark-test", folder]);
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  return {
    folder,
    remove: () => {
      run("umount", [folder]);
      rmdirSync(folder);
    },
  };
}

function run(command: string, args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (error !== undefined) throw new Error(`no small disk can be mounted here: ${error.message}`);
  if (status !== 0) throw new Error(`no small disk can be mounted here: ${stderr.trim()}`);
}
