/**
 * Two processes at one disk, one step at a time: each has a gate before every operation, and whoever directs them says who is next.
 *
 *     writer   open ‖ write ½ ‖ write ½ ‖ sync ‖ …
 *     reader           list ‖ read ½ ‖ read ½ ‖ …            ‖ waits at its gate until it is let through
 */
import { vfs, type Vfs, type VfsFile, type VfsLock } from "../../../src/base/vfs.js";
import type { MemoryVfs } from "../../../src/testing/index.js";
import type { SeededRandom } from "../../../src/testing/seeded-random.js";
import { FaultFound } from "../fault-found.js";
import { turn } from "../patience.js";

/** Far more turns than anything takes between two operations. */
const manyTurns = 500;

/** One process: what it does comes to a stop before each operation on the disk. */
export class Actor {
  readonly name: string;
  readonly vfs: Vfs;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  #failure: { readonly error: unknown } | undefined;
  #steps = 0;

  /** @param split says where reads and writes are interrupted */
  constructor(name: string, disk: MemoryVfs, split: Split) {
    this.name = name;
    this.vfs = new SteppedVfs(disk, { pass: () => this.#pass(), split });
  }

  /** Operations let through. */
  get steps(): number {
    return this.#steps;
  }

  /** Has nothing to do: what it began has ended, and what that set off. */
  get isIdle(): boolean {
    return !this.#isBusy && this.#waiting.length === 0;
  }

  /** Begins some work, which comes as far as its first operation. */
  begin(work: () => Promise<void>): void {
    this.#isBusy = true;
    work().then(
      () => {
        this.#isBusy = false;
      },
      (error: unknown) => {
        this.#isBusy = false;
        this.#failure ??= { error };
      },
    );
  }

  /** Lets one operation through, and comes as far as the next one. Rethrows what the work has thrown. */
  async step(): Promise<void> {
    this.#steps += 1;
    this.#waiting.shift()?.();
    for (let turns = 0; ; turns++) {
      await turn();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (!this.#isBusy || this.#waiting.length > 0) return;
      if (turns === manyTurns) throw new FaultFound(`the ${this.name} waits for something that never comes`);
    }
  }

  /** Steps until it is idle. */
  async finish(): Promise<void> {
    while (!this.isIdle) await this.step();
  }

  #pass(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

/** Where to interrupt so many bytes; 0: not at all. */
export type Split = (length: number) => number;

/** Somewhere, at a multiple of `grain`: a part may be whole frames then. */
export function splitAtRandom(random: SeededRandom, grain = 8): Split {
  return (length) => (length <= grain ? 0 : grain * (1 + random.below(Math.ceil(length / grain) - 1)));
}

interface Gate {
  readonly pass: () => Promise<void>;
  readonly split: Split;
}

/** A disk that others use too. Reads and writes come in two parts, as they may on a real one. */
class SteppedVfs implements Vfs {
  readonly kind = "stepped";
  readonly [vfs] = true;
  readonly #disk: MemoryVfs;
  readonly #gate: Gate;

  constructor(disk: MemoryVfs, gate: Gate) {
    this.#disk = disk;
    this.#gate = gate;
  }

  async makeDirectory(path: string): Promise<void> {
    await this.#gate.pass();
    await this.#disk.makeDirectory(path);
  }

  async list(path: string): Promise<string[]> {
    await this.#gate.pass();
    return this.#disk.list(path);
  }

  async open(path: string, mode: "read" | "write" | "create"): Promise<VfsFile> {
    await this.#gate.pass();
    return new SteppedFile(await this.#disk.open(path, mode), this.#gate);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#gate.pass();
    await this.#disk.rename(from, to);
  }

  async unlink(path: string): Promise<void> {
    await this.#gate.pass();
    await this.#disk.unlink(path);
  }

  async freeBytes(path: string): Promise<number> {
    await this.#gate.pass();
    return this.#disk.freeBytes(path);
  }

  async syncDirectory(path: string): Promise<void> {
    await this.#gate.pass();
    await this.#disk.syncDirectory(path);
  }

  /** Of a process that is stopped for good, as after a kill: the next one gets it. */
  lock(): Promise<VfsLock> {
    return Promise.resolve({ release: () => Promise.resolve() });
  }

  lockHolder(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

class SteppedFile implements VfsFile {
  readonly #file: VfsFile;
  readonly #gate: Gate;

  constructor(file: VfsFile, gate: Gate) {
    this.#file = file;
    this.#gate = gate;
  }

  get path(): string {
    return this.#file.path;
  }

  /** The border is somewhere in what is there: most reads ask for far more. */
  async read(into: Uint8Array, offset: number): Promise<number> {
    await this.#gate.pass();
    const half = this.#gate.split(Math.min(into.length, (await this.#file.size()) - offset));
    if (half === 0) return this.#file.read(into, offset);
    const first = await this.#file.read(into.subarray(0, half), offset);
    if (first < half) return first;
    await this.#gate.pass();
    return half + (await this.#file.read(into.subarray(half), offset + half));
  }

  async write(parts: readonly Uint8Array[], offset: number): Promise<void> {
    await this.#gate.pass();
    const bytes = Buffer.concat(parts);
    const half = this.#gate.split(bytes.length);
    if (half === 0) return this.#file.write([bytes], offset);
    await this.#file.write([bytes.subarray(0, half)], offset);
    await this.#gate.pass();
    return this.#file.write([bytes.subarray(half)], offset + half);
  }

  async sync(): Promise<void> {
    await this.#gate.pass();
    await this.#file.sync();
  }

  async truncate(size: number): Promise<void> {
    await this.#gate.pass();
    await this.#file.truncate(size);
  }

  async size(): Promise<number> {
    await this.#gate.pass();
    return this.#file.size();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
