/**
 * An open file of a `MemoryVfs`.
 *
 * A write is seen in two steps, half of it before the other half, as readers of a real file may see it.
 */
import type { VfsFile } from "../base/vfs.js";
import type { MemoryDisk } from "./memory-disk.js";
import { sectorBytes, type MemoryFile } from "./memory-file.js";
import { SystemError } from "./system-error.js";
import type { SystemGate } from "./system-gate.js";

/** A handle on a file; it keeps the file's bytes even when no name leads to it any more. */
export class MemoryHandle implements VfsFile {
  readonly path: string;
  readonly #file: MemoryFile;
  readonly #disk: MemoryDisk;
  readonly #gate: SystemGate;
  readonly #writable: boolean;
  #open = true;

  constructor(path: string, file: MemoryFile, disk: MemoryDisk, gate: SystemGate, writable: boolean) {
    this.path = path;
    this.#file = file;
    this.#disk = disk;
    this.#gate = gate;
    this.#writable = writable;
    disk.hold(file);
  }

  async read(into: Uint8Array, offset: number): Promise<number> {
    await this.#gate.pass("read", this.path, `${into.length}@${offset}`);
    this.#assertOpen("read");
    const bytes = this.#file.read(into, offset);
    // The system may drop a clean page at any time; this is where a reader would notice.
    if (this.#file.spoiled && this.#disk.random.chance(0.25)) this.#file.evict();
    return bytes;
  }

  async write(parts: readonly Uint8Array[], offset: number): Promise<void> {
    const bytes = concatenated(parts);
    const course = await this.#gate.enter("write", this.path, `${bytes.length}@${offset}`);
    this.#assertWritable("write");
    const half = Math.floor(bytes.length / 2);
    if (course.kind === "fails") {
      this.#leaveBehind(bytes, offset, course.code);
      throw this.#gate.planned(course.code, "write", this.path);
    }
    this.#put(bytes.subarray(0, half), offset);
    if (course.kind === "torn") return this.#gate.step("write", this.path);
    await this.#gate.step("write", this.path);
    this.#put(bytes.subarray(half), offset + half);
  }

  async sync(): Promise<void> {
    const course = await this.#gate.enter("sync", this.path);
    this.#assertOpen("fsync");
    const began = this.#disk.lastChange;
    this.#file.beginSync();
    if (course.kind === "fails") {
      this.#file.failSync(began, this.#disk.random);
      throw this.#gate.planned(course.code, "fsync", this.path);
    }
    await this.#gate.step("fsync", this.path);
    this.#file.endSync(began);
  }

  async truncate(size: number): Promise<void> {
    await this.#gate.pass("truncate", this.path, `${size}`);
    this.#assertWritable("ftruncate");
    if (!this.#disk.hasRoomFor(this.#file, size)) throw new SystemError("ENOSPC", "ftruncate", this.path);
    this.#file.truncate(size, this.#disk.nextChange());
  }

  async size(): Promise<number> {
    await this.#gate.step("fstat", this.path);
    this.#assertOpen("fstat");
    return this.#file.size;
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#disk.release(this.#file);
    await this.#gate.turn();
  }

  /** All of it, or what fits and then ENOSPC. */
  #put(bytes: Uint8Array, offset: number): void {
    const fits = this.#disk.roomAt(this.#file, offset, bytes.length);
    this.#file.write(bytes.subarray(0, fits), offset, this.#disk.nextChange());
    if (fits < bytes.length) throw new SystemError("ENOSPC", "write", this.path);
  }

  /** What a failed write leaves: of a full disk's any beginning but not all, of a broken one's any sectors. */
  #leaveBehind(bytes: Uint8Array, offset: number, code: "EIO" | "ENOSPC"): void {
    const { random } = this.#disk;
    if (code === "ENOSPC") {
      // Never all of it: something has found no place. Space is found sector by sector.
      const border = Math.floor((offset + random.below(bytes.length)) / sectorBytes) * sectorBytes;
      this.#file.write(bytes.subarray(0, Math.max(0, border - offset)), offset, this.#disk.nextChange());
      return;
    }
    for (let at = 0; at < bytes.length;) {
      const border = (Math.floor((offset + at) / sectorBytes) + 1) * sectorBytes - offset;
      if (random.chance(0.5)) this.#file.write(bytes.subarray(at, border), offset + at, this.#disk.nextChange());
      at = border;
    }
  }

  #assertOpen(syscall: string): void {
    if (!this.#open) throw new SystemError("EBADF", syscall, this.path, "the file is closed");
  }

  #assertWritable(syscall: string): void {
    this.#assertOpen(syscall);
    if (!this.#writable) throw new SystemError("EBADF", syscall, this.path, "opened for reading only");
  }
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
