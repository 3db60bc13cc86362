/**
 * The mark: a hint, beside the log, of how far it was durable. For detection only: a bad or old mark says nothing.
 *
 *     file `mark`:  u32 crc of the rest, seeded with the store's id · u32 segment · u32 offset
 *
 * It is written after a sync and never synced itself, so it can't know more than the log, and no legal crash makes it refuse one.
 */
import { crc32 } from "../../base/crc32.js";
import type { Clock } from "../../base/clock.js";
import type { Logger } from "../../base/logger.js";
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { markName } from "./file-names.js";
import { segmentSeed } from "./frame.js";
import { openOrCreate } from "./optional-file.js";
import type { Position } from "./position.js";
import { readFile } from "./read-file.js";

const markBytes = 12;
const intervalMs = 100;

/** The position in the store's mark; undefined when it says nothing. */
export async function readMark(vfs: Vfs, dir: string, storeId: bigint): Promise<Position | undefined> {
  const bytes = await readFile(vfs, `${dir}/${markName}`);
  if (bytes?.length !== markBytes || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4), segmentSeed(storeId, 0))) return undefined;
  return { segment: bytes.readUInt32LE(4), offset: bytes.readUInt32LE(8) };
}

/** Keeps the mark: at most every 100 ms, in the background. */
export class Mark {
  readonly #vfs: Vfs;
  readonly #path: string;
  readonly #seed: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #file: VfsFile | undefined;
  #due: Position | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;

  constructor(o: { vfs: Vfs; dir: string; storeId: bigint; clock: Clock; logger: Logger }) {
    this.#vfs = o.vfs;
    this.#path = `${o.dir}/${markName}`;
    this.#seed = segmentSeed(o.storeId, 0);
    this.#clock = o.clock;
    this.#logger = o.logger;
  }

  /**
   * Opens its file ahead of the first note. A note is handed to the disk right away then, before those are answered whom the sync was for: it
   * never stands between them and what they call next. Never rejects: without it the first note opens the file.
   */
  async open(): Promise<void> {
    try {
      this.#file ??= await openOrCreate(this.#vfs, this.#path);
    } catch (error) {
      this.#logger.debug({ err: error, file: this.#path }, "the mark could not be opened");
    }
  }

  /** Tells it what a sync proved. */
  note(durable: Position): void {
    this.#due = durable;
    if (this.#writing !== undefined || this.#cancelTimer !== undefined) return;
    const waitMs = this.#lastMs + intervalMs - this.#clock.monotonicMs();
    if (waitMs <= 0) this.#start();
    else this.#cancelTimer = this.#clock.setTimer(waitMs, () => this.#start());
  }

  /** Stops, once a write under way has ended. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    this.#due = undefined;
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
  }

  #start(): void {
    this.#cancelTimer = undefined;
    const durable = this.#due;
    if (durable === undefined) return;
    this.#due = undefined;
    this.#lastMs = this.#clock.monotonicMs();
    this.#writing = this.#write(durable).finally(() => {
      this.#writing = undefined;
      if (this.#due !== undefined) this.note(this.#due);
    });
  }

  /** Never rejects: without a mark the log is as safe, and only damage at its very end goes unseen. */
  async #write(durable: Position): Promise<void> {
    const bytes = Buffer.alloc(markBytes);
    bytes.writeUInt32LE(durable.segment, 4);
    bytes.writeUInt32LE(durable.offset, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(4), this.#seed), 0);
    try {
      this.#file ??= await openOrCreate(this.#vfs, this.#path);
      await this.#file.write([bytes], 0);
    } catch (error) {
      this.#logger.debug({ err: error, file: this.#path }, "the mark could not be written");
    }
  }
}
