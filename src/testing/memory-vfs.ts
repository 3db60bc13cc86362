/**
 * A disk in memory that keeps no promise it was not asked for.
 *
 *     write ──▶ page cache ──sync──▶ disk          names: cache ──syncDirectory──▶ disk
 *                  │                   │
 *     kill()       └── kept            └── kept     locks free, handles dead
 *     crash()      lost, or not: the seed says      locks free, handles dead
 *
 * Everything takes a few microtasks and nothing else, so that one seed and one order of calls give one run. It is a model of a file
 * system, not a fast one: files live in memory whole.
 */
import { TidemarkError } from "../base/errors.js";
import { vfs, type Vfs, type VfsFile, type VfsLock } from "../base/vfs.js";
import { FaultPlan, type Fault, type Operation, type PlannedFault } from "./fault-plan.js";
import { MemoryDisk } from "./memory-disk.js";
import { MemoryHandle } from "./memory-handle.js";
import { directoryOf } from "./memory-names.js";
import type { SurvivalPolicy } from "./survival.js";
import { SystemError } from "./system-error.js";
import { SystemGate } from "./system-gate.js";

/** An in-memory `Vfs` with power cuts, kills, failing operations and a capacity. */
export class MemoryVfs implements Vfs {
  readonly kind = "memory";
  readonly [vfs] = true;
  readonly #gate = new SystemGate(new FaultPlan());
  /** Directories that somebody has locked. */
  readonly #locks = new Set<string>();
  #disk: MemoryDisk;

  /** @param seed decides what power cuts and failing operations leave behind. Default 1. */
  constructor(seed = 1) {
    this.#disk = new MemoryDisk(seed);
  }

  /**
   * Power cut: un-synced data, sizes and names are lost in one of the ways that a file system may lose them. This disk and its handles
   * are dead from now on; the result is the disk after it.
   *
   * Called again it gives the disk after another power cut at the same moment.
   *
   * @param how by default the seed chooses, another way with each call
   */
  crash(how: { seed?: number | undefined; policy?: SurvivalPolicy | undefined } = {}): MemoryVfs {
    this.#gate.close("the power was cut");
    return MemoryVfs.#of(this.#disk.afterPowerCut(how));
  }

  /**
   * The process is killed: what it wrote is in the page cache, synced or not, its locks are free and its handles dead. The result is the
   * disk as the next process finds it.
   */
  kill(): MemoryVfs {
    this.#gate.close("the process was killed");
    return MemoryVfs.#of(this.#disk.copy());
  }

  /** The next operation that matches, after `after` others that do, fails so, once. @throws `invalid-argument` for a fault that could never fire */
  failNext(fault: Fault): PlannedFault {
    return this.#gate.plan.fail(fault);
  }

  /** Operations so far that changed the disk: writes, syncs, truncations, files made, renames, unlinks, directory syncs. */
  get operations(): number {
    return this.#gate.plan.operations;
  }

  /**
   * After so many more operations that change the disk nothing happens any more and nothing settles, as in a process that is killed.
   * Resolves when the first operation was stopped so; `torn`: half of it is done, if it is a write.
   */
  haltAfter(operations: number, options: { torn?: boolean | undefined } = {}): Promise<void> {
    return this.#gate.plan.haltAfter(operations, options.torn ?? false);
  }

  get halted(): boolean {
    return this.#gate.plan.halted;
  }

  /** Tells each operation just before it is done. At most one observer; undefined takes it away. */
  observe(observer: ((operation: Operation) => void) | undefined): void {
    this.#gate.plan.observe(observer);
  }

  /** What would not fit fails with ENOSPC. Whole sectors count, and unlinked files until their last handle is closed. */
  setCapacity(bytes: number): void {
    this.#disk.capacity = bytes;
  }

  /** Infinity unless one was set. */
  get capacity(): number {
    return this.#disk.capacity;
  }

  get usedBytes(): number {
    return this.#disk.usedBytes();
  }

  /** All files as readers see them now, by path. */
  snapshot(): Map<string, Uint8Array> {
    return new Map([...this.#disk.names.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, file]) => [path, file.bytes()]));
  }

  /** The whole file as readers see it now; ENOENT when there is none. */
  fileBytes(path: string): Uint8Array {
    return this.#disk.file(normal(path), "read").bytes();
  }

  /** Puts other bytes under the name, durably and behind everybody's back: damage at rest. */
  setFileBytes(path: string, bytes: Uint8Array): void {
    this.#disk.replace(normal(path), bytes);
  }

  /** Takes the file away, durably and behind everybody's back. */
  removeFile(path: string): void {
    this.#disk.remove(normal(path));
  }

  async makeDirectory(path: string): Promise<void> {
    const at = normal(path);
    await this.#gate.pass("makeDirectory", at, "", !this.#disk.names.hasDirectory(at));
    this.#disk.names.addDirectory(at);
  }

  async list(path: string): Promise<string[]> {
    const at = normal(path);
    await this.#gate.pass("list", at);
    if (!this.#disk.names.hasDirectory(at)) throw new SystemError("ENOENT", "scandir", at);
    return this.#disk.names.list(at);
  }

  async open(path: string, mode: "read" | "write" | "create"): Promise<VfsFile> {
    const at = normal(path);
    await this.#gate.pass("open", at, mode, mode === "create");
    const file = mode === "create" ? this.#disk.create(at) : this.#disk.file(at, "open");
    return new MemoryHandle(at, file, this.#disk, this.#gate, mode !== "read");
  }

  async rename(from: string, to: string): Promise<void> {
    const [at, target] = [normal(from), normal(to)];
    await this.#gate.pass("rename", at, target);
    this.#disk.rename(at, target);
  }

  async unlink(path: string): Promise<void> {
    const at = normal(path);
    await this.#gate.pass("unlink", at);
    this.#disk.unlink(at);
  }

  async freeBytes(_path: string): Promise<number> {
    await this.#gate.turn();
    return Math.max(0, this.capacity - this.usedBytes);
  }

  async syncDirectory(path: string): Promise<void> {
    const at = normal(path);
    const course = await this.#gate.enter("syncDir", at);
    const began = this.#disk.lastChange;
    if (course.kind === "fails") {
      this.#disk.names.failSync(at, began, this.#disk.random);
      throw this.#gate.planned(course.code, "fsync", at);
    }
    await this.#gate.step("fsync", at);
    this.#disk.names.sync(at, began);
  }

  async lock(path: string): Promise<VfsLock> {
    const at = normal(path);
    await this.#gate.step("lock", at);
    if (this.#locks.has(at)) {
      throw new TidemarkError("locked", `${at} is in use by process ${process.pid}; close it there first`, { pid: process.pid });
    }
    if (!this.#disk.names.hasDirectory(at)) throw new SystemError("ENOENT", "lock", at);
    this.#locks.add(at);
    let held = true;
    return {
      release: async () => {
        await this.#gate.turn();
        if (held) this.#locks.delete(at);
        held = false;
      },
    };
  }

  async lockHolder(path: string): Promise<number | undefined> {
    const at = normal(path);
    await this.#gate.step("lock", at);
    return this.#locks.has(at) ? process.pid : undefined;
  }

  static #of(disk: MemoryDisk): MemoryVfs {
    const found = new MemoryVfs();
    found.#disk = disk;
    return found;
  }
}

/** One spelling for each path: "a//b/", "./a/b" and "a/b" are the same. */
function normal(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const joined = parts.join("/");
  if (path.startsWith("/")) return `/${joined}`;
  return joined === "" ? directoryOf("") : joined;
}
