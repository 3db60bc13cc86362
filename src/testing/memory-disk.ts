/**
 * What outlives the process in a `MemoryVfs`: files, names, their un-synced changes, and how much fits.
 */
import { allocatedBytes, MemoryFile } from "./memory-file.js";
import { directoryOf, MemoryNames } from "./memory-names.js";
import { SeededRandom } from "./seeded-random.js";
import { Survival, survivalPolicies, type SurvivalPolicy } from "./survival.js";
import { SystemError } from "./system-error.js";

/** The disk and its page cache. */
export class MemoryDisk {
  readonly random: SeededRandom;
  names = new MemoryNames();
  /** In bytes. */
  capacity = Infinity;
  /** Open handles by file. */
  readonly #held = new Map<MemoryFile, number>();
  /** Number of the last change of data, size or name. */
  #lastChange = 0;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
  }

  get lastChange(): number {
    return this.#lastChange;
  }

  nextChange(): number {
    this.#lastChange += 1;
    return this.#lastChange;
  }

  file(path: string, syscall: string): MemoryFile {
    const file = this.names.get(path);
    if (file === undefined) throw new SystemError("ENOENT", syscall, path);
    return file;
  }

  create(path: string): MemoryFile {
    if (this.names.get(path) !== undefined) throw new SystemError("EEXIST", "open", path);
    this.#assertDirectory(path);
    const file = new MemoryFile();
    this.names.set(path, file, this.nextChange());
    return file;
  }

  rename(from: string, to: string): void {
    const file = this.file(from, "rename");
    this.#assertDirectory(to);
    this.names.rename(from, to, file, this.nextChange());
  }

  unlink(path: string): void {
    this.file(path, "unlink");
    this.names.remove(path, this.nextChange());
  }

  /** Damage at rest: another file under the name, durable at once. */
  replace(path: string, bytes: Uint8Array): void {
    this.names.addDirectory(directoryOf(path));
    this.names.place(path, new MemoryFile(bytes));
  }

  remove(path: string): void {
    this.file(path, "unlink");
    this.names.place(path, undefined);
  }

  hold(file: MemoryFile): void {
    this.#held.set(file, (this.#held.get(file) ?? 0) + 1);
  }

  release(file: MemoryFile): void {
    const left = (this.#held.get(file) ?? 0) - 1;
    if (left > 0) this.#held.set(file, left);
    else this.#held.delete(file);
  }

  usedBytes(): number {
    const files = new Set([...[...this.names.entries()].map(([, file]) => file), ...this.#held.keys()]);
    return [...files].reduce((sum, file) => sum + file.allocatedBytes, 0);
  }

  hasRoomFor(file: MemoryFile, size: number): boolean {
    return size <= file.size || allocatedBytes(size) - file.allocatedBytes <= this.#free();
  }

  /** How many of `bytes` written at `offset` find a place. */
  roomAt(file: MemoryFile, offset: number, bytes: number): number {
    if (this.hasRoomFor(file, offset + bytes)) return bytes;
    const end = file.allocatedBytes + Math.max(0, this.#free());
    return Math.min(bytes, Math.max(0, end - offset));
  }

  /** The disk after a power cut: nothing un-synced, everything else as `how` says. */
  afterPowerCut(how: { seed?: number | undefined; policy?: SurvivalPolicy | undefined }): MemoryDisk {
    const random = new SeededRandom(how.seed ?? this.random.bits());
    const survival = new Survival(how.policy ?? random.pick(survivalPolicies), random, this.#unsynced());
    const names = this.names.afterPowerCut(survival);
    return this.#successor(random, names, (file) => file.afterPowerCut(survival));
  }

  /** The same disk with the same cache. Files that only handles kept are gone. */
  copy(): MemoryDisk {
    return this.#successor(this.random.copy(), this.names, (file) => file.copy());
  }

  #successor(random: SeededRandom, names: MemoryNames, other: (file: MemoryFile) => MemoryFile): MemoryDisk {
    const disk = new MemoryDisk(random.bits());
    const files = new Map([...names.files()].map((file) => [file, other(file)]));
    disk.names = names.mapFiles((file) => files.get(file) ?? other(file));
    disk.capacity = this.capacity;
    disk.#lastChange = this.#lastChange;
    return disk;
  }

  #unsynced(): { oldest: number; newest: number } {
    const oldest = [this.names, ...this.names.files()].map((part) => part.oldestChange() ?? this.#lastChange);
    return { oldest: Math.min(...oldest), newest: this.#lastChange };
  }

  #free(): number {
    return this.capacity === Infinity ? Infinity : this.capacity - this.usedBytes();
  }

  #assertDirectory(path: string): void {
    if (!this.names.hasDirectory(directoryOf(path))) throw new SystemError("ENOENT", "open", path);
  }
}
