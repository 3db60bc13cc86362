/**
 * A copy of directories to work on, for a program that rewrites what it opens, and the proof that the originals are as they were.
 *
 *     from/  table.sst ──hard link──▶ copy/  table.sst        files that are never changed once they are there
 *            CURRENT   ──bytes──────▶        CURRENT          all others
 *
 * The copy lies on the originals' file system where it can, else nothing can be linked and all is copied.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { systemCode } from "./system-error.js";

/** What is copied, and how. */
export interface CopyPlan {
  readonly directories: readonly string[];
  /** Where the copy should lie; the system's folder for temporary files if it can't. */
  readonly near: string;
  /** What nobody else makes copies for while this process does: what one that died left there for it is taken away. */
  readonly owner: string;
  /** Files that nobody ever changes in place. */
  readonly isNeverChanged: (name: string) => boolean;
  /** Files that must be the original's own, to see the locks that others hold on them. */
  readonly isLock: (name: string) => boolean;
}

/** Copies that are there; whoever made them owes a `remove()`. */
export interface DirectoryCopy {
  /** One for each directory of the plan, in its order. */
  readonly directories: readonly string[];
  /** Whether every original has the same files with the same bytes as before the copy was made. */
  isOriginalUnchanged(): Promise<boolean>;
  remove(): Promise<void>;
}

/** Makes a copy. Subdirectories are left out, symbolic links to files followed. @throws the system's errors; ENOENT where there is no such directory */
export async function copyDirectories(plan: CopyPlan): Promise<DirectoryCopy> {
  const before = await fingerprints(plan);
  await removeLeftOvers(plan);
  const home = await makeHome(plan);
  const remove = (): Promise<void> => rm(home, { recursive: true, force: true });
  try {
    const directories: string[] = [];
    for (const [at, directory] of plan.directories.entries()) {
      const target = join(home, `${at}-${basename(directory)}`);
      fs.mkdirSync(target);
      for (const name of await filesIn(directory)) await copyFile(join(directory, name), join(target, name), plan);
      directories.push(target);
    }
    return { directories, isOriginalUnchanged: async () => (await fingerprints(plan)) === before, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function makeHome({ near, owner }: CopyPlan): Promise<string> {
  try {
    return await mkdtemp(join(near, `.tidemark-import-${owner}-${process.pid}-`));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return mkdtemp(join(tmpdir(), "tidemark-import-"));
  }
}

/** Of this process there may be another copy that is in use: unless it is older, then another had the same number. */
async function removeLeftOvers({ near, owner }: CopyPlan): Promise<void> {
  const startedMs = performance.timeOrigin;
  for (const name of await readdir(near).catch(() => [])) {
    const pid = pidIn(name, owner);
    if (pid === undefined) continue;
    const path = join(near, name);
    try {
      const isOwn = pid === process.pid && (await stat(path)).mtimeMs >= startedMs;
      if (!isOwn) await rm(path, { recursive: true, force: true });
    } catch (error) {
      // Gone meanwhile, or not ours to remove: it is in nobody's way.
      if (systemCode(error) === undefined) throw error;
    }
  }
}

function pidIn(name: string, owner: string): number | undefined {
  const head = `.tidemark-import-${owner}-`;
  const rest = name.startsWith(head) ? /^(\d+)-\w{6}$/.exec(name.slice(head.length)) : null;
  return rest === null ? undefined : Number(rest[1]);
}

async function copyFile(from: string, to: string, { isNeverChanged, isLock }: CopyPlan): Promise<void> {
  const name = basename(from);
  if (isNeverChanged(name) || isLock(name)) {
    try {
      // The file itself: a link to a symbolic link would be another of those, which says nothing from elsewhere.
      fs.linkSync(fs.realpathSync(from), to);
      return;
    } catch (error) {
      // On another file system, or one without links.
      if (systemCode(error) === undefined) throw error;
    }
  }
  await pipeline(fs.createReadStream(from), fs.createWriteStream(to));
}

/** One text for all files: names and contents; of those that are never changed their sizes and times stand for their contents. */
async function fingerprints({ directories, isNeverChanged }: CopyPlan): Promise<string> {
  const lines: string[] = [];
  for (const directory of directories) {
    for (const name of await filesIn(directory)) {
      const path = join(directory, name);
      const { size, mtimeNs } = await stat(path, { bigint: true });
      lines.push(`${path} ${size} ${mtimeNs} ${isNeverChanged(name) ? "" : await hashOf(path)}`);
    }
  }
  return lines.join("\n");
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(fs.createReadStream(path), hash);
  return hash.digest("hex");
}

/** Those that symbolic links lead to count. */
async function filesIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const isFile = entry.isFile() || (entry.isSymbolicLink() && (await stat(join(directory, entry.name))).isFile());
    if (isFile) names.push(entry.name);
  }
  return names.sort();
}
