/**
 * The names of a `MemoryVfs`: what the directories show, and which of it is on the disk.
 *
 * A name lives by itself: syncing a file does not make its name durable, only syncing its directory does. Each change (made, renamed,
 * unlinked) survives a power cut or not by itself, but never by half: a rename gives the old state or the new one.
 */
import type { MemoryFile } from "./memory-file.js";
import type { SeededRandom } from "./seeded-random.js";
import type { Survival } from "./survival.js";

/** One change of names; `remove` goes before `set`. */
interface NameChange {
  readonly change: number;
  readonly remove?: string | undefined;
  readonly set?: { readonly path: string; readonly file: MemoryFile } | undefined;
}

type Names = Map<string, MemoryFile>;

/** Which file each path names, in the cache and on the disk. */
export class MemoryNames {
  readonly #cached: Names = new Map();
  readonly #durable: Names = new Map();
  /** Un-synced, in order. */
  #waiting: NameChange[] = [];
  readonly #directories = new Set<string>([".", "/"]);

  get(path: string): MemoryFile | undefined {
    return this.#cached.get(path);
  }

  entries(): Iterable<[string, MemoryFile]> {
    return this.#cached.entries();
  }

  /** Every file that a name leads to, now or after a power cut. */
  files(): Set<MemoryFile> {
    const waiting = this.#waiting.flatMap((change) => (change.set === undefined ? [] : [change.set.file]));
    return new Set([...this.#cached.values(), ...this.#durable.values(), ...waiting]);
  }

  hasDirectory(path: string): boolean {
    return this.#directories.has(path);
  }

  /** The directory and those above it, durable at once. */
  addDirectory(path: string): void {
    for (let at = path; !this.#directories.has(at); at = directoryOf(at)) this.#directories.add(at);
  }

  list(directory: string): string[] {
    const paths = [...this.#cached.keys(), ...this.#directories];
    return paths
      .filter((path) => path !== directory && directoryOf(path) === directory)
      .map((path) => path.slice(path.lastIndexOf("/") + 1));
  }

  set(path: string, file: MemoryFile, change: number): void {
    this.#change({ change, set: { path, file } });
  }

  rename(from: string, to: string, file: MemoryFile, change: number): void {
    this.#change({ change, remove: from, set: { path: to, file } });
  }

  remove(path: string, change: number): void {
    this.#change({ change, remove: path });
  }

  /** Another file under the path, or none: durable at once, whatever was waiting there. */
  place(path: string, file: MemoryFile | undefined): void {
    for (const names of [this.#cached, this.#durable]) {
      if (file === undefined) names.delete(path);
      else names.set(path, file);
    }
    this.#waiting = this.#waiting.filter((waiting) => waiting.remove !== path && waiting.set?.path !== path);
  }

  oldestChange(): number | undefined {
    return this.#waiting[0]?.change;
  }

  /** Makes durable what changes up to `change`, the last one before the sync began, had done in the directory. */
  sync(directory: string, change: number): void {
    this.#settle(directory, change, (waiting) => apply(this.#durable, waiting));
  }

  /** A sync that fails: some of it is on the disk, some still waits, and some stays in the cache only, whatever is synced later. */
  failSync(directory: string, change: number, random: SeededRandom): void {
    const kept: NameChange[] = [];
    this.#settle(directory, change, (waiting) => {
      const fate = random.pick(["written", "waiting", "spoiled", "spoiled"]);
      if (fate === "written") apply(this.#durable, waiting);
      if (fate === "waiting") kept.push(waiting);
    });
    this.#waiting = [...kept, ...this.#waiting].toSorted((a, b) => a.change - b.change);
  }

  /** The names after a power cut. Files are still those from before it: see `mapFiles`. */
  afterPowerCut(survival: Survival): MemoryNames {
    const after = new MemoryNames();
    for (const [path, file] of this.#durable) after.#durable.set(path, file);
    for (const waiting of this.#waiting) if (survival.keeps(waiting.change)) apply(after.#durable, waiting);
    for (const [path, file] of after.#durable) after.#cached.set(path, file);
    for (const path of this.#directories) after.#directories.add(path);
    return after;
  }

  /** The same names, durable or not, of other files. */
  mapFiles(other: (file: MemoryFile) => MemoryFile): MemoryNames {
    const copy = new MemoryNames();
    for (const [path, file] of this.#cached) copy.#cached.set(path, other(file));
    for (const [path, file] of this.#durable) copy.#durable.set(path, other(file));
    for (const path of this.#directories) copy.#directories.add(path);
    copy.#waiting = this.#waiting.map((waiting) =>
      waiting.set === undefined ? waiting : { ...waiting, set: { path: waiting.set.path, file: other(waiting.set.file) } },
    );
    return copy;
  }

  #change(change: NameChange): void {
    apply(this.#cached, change);
    this.#waiting.push(change);
  }

  /** Takes out of the waiting changes those that a sync of `directory` covers, and hands each to `settle`. */
  #settle(directory: string, change: number, settle: (waiting: NameChange) => void): void {
    const covered = (waiting: NameChange): boolean => waiting.change <= change && touches(waiting, directory);
    const settled = this.#waiting.filter(covered);
    this.#waiting = this.#waiting.filter((waiting) => !covered(waiting));
    for (const waiting of settled) settle(waiting);
  }
}

/** Where a path's name stands. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf("/");
  if (slash === -1) return ".";
  return slash === 0 ? "/" : path.slice(0, slash);
}

function touches(change: NameChange, directory: string): boolean {
  const paths = [change.remove, change.set?.path];
  return paths.some((path) => path !== undefined && directoryOf(path) === directory);
}

function apply(names: Names, change: NameChange): void {
  if (change.remove !== undefined) names.delete(change.remove);
  if (change.set !== undefined) names.set(change.set.path, change.set.file);
}
