/**
 * One file of a `MemoryVfs`: what the page cache shows of it, and what of that is on the disk.
 *
 *     cached    the bytes that every read sees
 *     sectors   per sector of 512 bytes that is not durable: its contents before each write since, the first one being the durable one
 *     sizes     the same for the size
 *     spoiled   sectors that a failed sync took for clean: reads may show them, no later sync writes them, a power cut takes them away
 *
 * A sync makes durable what was there when it began. What is written while it runs stays un-synced.
 */
import type { SeededRandom } from "./seeded-random.js";
import type { Survival } from "./survival.js";

/** What a disk writes whole or not at all. */
export const sectorBytes = 512;

/** More states than these of one sector and the middle ones are forgotten: there are enough ways to lose it. */
const maxStates = 8;

/** What a sector holds that nobody has written. */
const blankSector = new Uint8Array(sectorBytes);

/** What was in a place before the change of that number overwrote it. */
interface Before<T> {
  readonly change: number;
  readonly state: T;
}

/** A file: bytes in the cache, and which of them would survive. */
export class MemoryFile {
  /** Whole sectors, zeros behind the size. May be shorter than the file: the rest reads as zeros. */
  #cached: Uint8Array;
  /** A copy of this file has the same bytes in hand: they must not change before they are its own. */
  #shared = false;
  #size: number;
  readonly #sectors = new Map<number, Before<Uint8Array>[]>();
  #sizes: Before<number>[] = [];
  /** Durable contents of sectors whose newer contents no sync will write. A write to the sector ends that: the page is dirty again. */
  readonly #spoiled = new Map<number, Uint8Array>();
  #syncsInFlight = 0;

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#cached = new Uint8Array(allocatedBytes(bytes.length));
    this.#cached.set(bytes);
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  /** Whole sectors: what it takes of the disk's capacity. */
  get allocatedBytes(): number {
    return allocatedBytes(this.#size);
  }

  /** What every reader sees now. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.#size);
    bytes.set(this.#cached.subarray(0, this.#size));
    return bytes;
  }

  read(into: Uint8Array, offset: number): number {
    const end = Math.min(this.#size, offset + into.length);
    if (end <= offset) return 0;
    const stored = this.#cached.subarray(offset, end);
    into.set(stored);
    into.fill(0, stored.length, end - offset);
    return end - offset;
  }

  write(bytes: Uint8Array, offset: number, change: number): void {
    if (bytes.length === 0) return;
    const end = offset + bytes.length;
    // Zeros past the end read the same whether they get there or not.
    if (offset < this.#size || !isZero(bytes)) {
      this.#own(end);
      this.#remember(offset, end, change);
      this.#cached.set(bytes, offset);
    }
    if (end > this.#size) this.#resize(end, change);
  }

  truncate(size: number, change: number): void {
    if (size === this.#size) return;
    if (size < this.#size) {
      this.#own(size);
      this.#remember(size, this.#size, change);
      this.#cached.fill(0, size, this.#size);
    }
    this.#resize(size, change);
  }

  /** The number of the oldest un-synced change; undefined when all is durable. */
  oldestChange(): number | undefined {
    let oldest = this.#sizes[0]?.change;
    for (const states of this.#sectors.values()) oldest = Math.min(oldest ?? Infinity, states[0]?.change ?? Infinity);
    return oldest;
  }

  beginSync(): void {
    this.#syncsInFlight += 1;
  }

  /** Makes durable what changes up to `change`, the last one before the sync began, had made. */
  endSync(change: number): void {
    this.#syncsInFlight -= 1;
    this.#sizes = this.#sizes.filter((before) => before.change > change);
    for (const [sector, states] of this.#sectors) {
      const later = states.filter((before) => before.change > change);
      if (later.length === 0) this.#sectors.delete(sector);
      else this.#sectors.set(sector, later);
    }
  }

  /**
   * A sync that fails: of what it was to write, some is on the disk, some still waits, and some is taken for clean without being written,
   * so that the next sync succeeds and does not write it either.
   */
  failSync(change: number, random: SeededRandom): void {
    this.#syncsInFlight -= 1;
    const usual = random.pick(["written", "waiting", "spoiled", "spoiled"]);
    for (const [sector, states] of this.#sectors) {
      if ((states.at(-1)?.change ?? 0) > change) continue;
      const fate = random.chance(0.5) ? usual : random.pick(["written", "waiting", "spoiled"]);
      if (fate === "waiting") continue;
      if (fate === "spoiled" && states[0] !== undefined) this.#spoiled.set(sector, states[0].state);
      this.#sectors.delete(sector);
    }
  }

  /** The system lets go of clean pages when it likes; those that a failed sync spoiled show their old contents from then on. */
  evict(): void {
    for (const [sector, durable] of this.#spoiled) this.#place(sector, durable);
    this.#spoiled.clear();
  }

  get spoiled(): boolean {
    return this.#spoiled.size > 0;
  }

  /** The file that the disk holds after a power cut. */
  afterPowerCut(survival: Survival): MemoryFile {
    const sizes = [...this.#sizes.map((before) => before.state), this.#size];
    const size = sizes[survival.stateOf(this.#sizes.map((before) => before.change))] ?? this.#size;
    const after = this.#share();
    if (this.#sectors.size === 0 && this.#spoiled.size === 0 && size === this.#size) return after;
    after.#size = size;
    for (const [sector, durable] of this.#spoiled) after.#place(sector, durable);
    for (const [sector, states] of this.#sectors) {
      const chosen = states[survival.stateOf(states.map((before) => before.change))];
      if (chosen !== undefined) after.#place(sector, chosen.state);
    }
    // Past the size there is nothing, whatever became of the sectors there.
    after.#own(0);
    after.#cached.fill(0, size);
    return after;
  }

  /** The same file with the same cache: what is left when only the process is killed. */
  copy(): MemoryFile {
    const copy = this.#share();
    for (const [sector, states] of this.#sectors) copy.#sectors.set(sector, [...states]);
    for (const [sector, durable] of this.#spoiled) copy.#spoiled.set(sector, durable);
    copy.#sizes = [...this.#sizes];
    return copy;
  }

  /** A file with the same bytes, nothing un-synced. */
  #share(): MemoryFile {
    const other = new MemoryFile();
    other.#cached = this.#cached;
    other.#size = this.#size;
    other.#shared = this.#shared = true;
    return other;
  }

  /** Makes the bytes its own, with room up to `end`. */
  #own(end: number): void {
    const needed = allocatedBytes(end);
    const short = needed > this.#cached.length;
    if (!short && !this.#shared) return;
    const own = new Uint8Array(short ? Math.max(needed, this.#cached.length * 2) : this.#cached.length);
    own.set(this.#cached);
    this.#cached = own;
    this.#shared = false;
  }

  #resize(size: number, change: number): void {
    this.#sizes.push({ change, state: this.#size });
    if (this.#sizes.length > maxStates && this.#syncsInFlight === 0) this.#sizes.splice(1, 1);
    this.#size = size;
  }

  /** Keeps what the sectors of [from, to) hold before `change` writes there. */
  #remember(from: number, to: number, change: number): void {
    for (let sector = Math.floor(from / sectorBytes); sector * sectorBytes < to; sector += 1) {
      const states = this.#sectors.get(sector) ?? [];
      const start = sector * sectorBytes;
      const state = start >= Math.min(this.#size, this.#cached.length) ? blankSector : this.#cached.slice(start, start + sectorBytes);
      // A page that a failed sync spoiled is dirty again; what the disk holds of it is still the old contents.
      const durable = states.length === 0 ? this.#spoiled.get(sector) : undefined;
      if (durable !== undefined) states.push({ change, state: durable });
      else states.push({ change, state });
      this.#spoiled.delete(sector);
      // A sync in flight may need any of them to know what it found.
      if (states.length > maxStates && this.#syncsInFlight === 0) states.splice(1, 1);
      this.#sectors.set(sector, states);
    }
  }

  #place(sector: number, contents: Uint8Array): void {
    const at = sector * sectorBytes;
    if (at >= this.#size) return;
    this.#own(at + sectorBytes);
    this.#cached.set(contents, at);
  }
}

function isZero(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += sectorBytes) {
    const part = bytes.subarray(at, at + sectorBytes);
    if (Buffer.compare(part, blankSector.subarray(0, part.length)) !== 0) return false;
  }
  return true;
}

/** What a file of that size takes of the disk. */
export function allocatedBytes(size: number): number {
  return Math.ceil(size / sectorBytes) * sectorBytes;
}
