/**
 * The two ceilings: what this disk does with the same bytes when nothing is made of them. One write, one fdatasync, again.
 *
 *     appended     ████ ████ ████ →              each sync commits a new size of the file too
 *     prefilled    ████ ████ ████ ░░░░ ░░░░      over zeros that are on the disk already
 *
 * Blocking calls, because they are the fastest way that Node has: a ceiling must not flatter us.
 */
import { closeSync, fdatasyncSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.js";
import { groupsPerSecond } from "./groups-per-second.js";

/** The prefilled file; writing goes round in it. */
const filledBytes = 64 * 1024 * 1024;
/** An appended file grows to this at the most. */
const mostBytes = 512 * 1024 * 1024;

/** Two files; the caller owes a `close`. */
export class BareDisk {
  readonly #clock: Clock;
  readonly #appended: number;
  readonly #prefilled: number;
  #at = 0;

  private constructor(folder: string, clock: Clock) {
    this.#clock = clock;
    this.#appended = openSync(join(folder, "appended"), "w");
    this.#prefilled = openSync(join(folder, "prefilled"), "w");
    const zeros = Buffer.alloc(1024 * 1024);
    for (let at = 0; at < filledBytes; at += zeros.length) writeWhole(this.#prefilled, zeros, at);
    fsyncSync(this.#prefilled);
  }

  static async open(folder: string, clock: Clock): Promise<BareDisk> {
    await mkdir(folder);
    return new BareDisk(folder, clock);
  }

  /** Groups of so many bytes a second, behind each other in a new file, for about so long. */
  appended(groupBytes: number, ms: number): number {
    ftruncateSync(this.#appended, 0);
    fsyncSync(this.#appended);
    let at = 0;
    return this.#perSecond(groupBytes, ms, (group) => {
      writeWhole(this.#appended, group, at);
      fdatasyncSync(this.#appended);
      at += group.length;
    });
  }

  /** The same over zeros. */
  prefilled(groupBytes: number, ms: number): number {
    return this.#perSecond(groupBytes, ms, (group) => {
      if (this.#at + group.length > filledBytes) this.#at = 0;
      writeWhole(this.#prefilled, group, this.#at);
      fdatasyncSync(this.#prefilled);
      this.#at += group.length;
    });
  }

  close(): void {
    closeSync(this.#appended);
    closeSync(this.#prefilled);
  }

  #perSecond(groupBytes: number, ms: number, write: (group: Buffer) => void): number {
    const group = Buffer.alloc(groupBytes, 7);
    return groupsPerSecond(this.#clock, { ms, most: mostBytes / groupBytes }, () => write(group));
  }
}

function writeWhole(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, at + done);
}
