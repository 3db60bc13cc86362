/**
 * The end of the log: where the next group goes, what is known durable, and the roll from one segment to the next.
 *
 *     old segment            new segment
 *     … groups ┃ end         ┃ header: previous = (old, end) ┃ first group …
 *              └── closed for good from the header's first byte on
 *
 * A roll, in this order: sync the old segment if anything in it is not durable · make the next file under a number never used and sync the
 * directory · write the header and sync it · the first group. A roll that a full disk stopped is taken up again where it stopped.
 */
import { closeAll } from "../../base/close-all.js";
import type { StoreKind } from "../store-kind.js";
import type { Group } from "./group.js";
import { paddedLength, segmentSeed } from "./frame.js";
import type { BatchPlace } from "./batch-place.js";
import type { LogWriter } from "./log-writer.js";
import type { Prefill } from "./prefill.js";
import type { Position } from "./position.js";
import { encodeSegmentHeader, segmentHeaderBytes } from "./segment-header.js";
import { fatal, isDiskFull } from "./system-error.js";

const firstLimit = 1024 * 1024;
const growth = 4;
/** So many more would fit: on a disk that fills segments get smaller, and what is dead in small ones comes back with little room for copies. */
const ofFree = 8;

/** Where the log stands when it is opened. */
export interface TailStart {
  readonly storeId: bigint;
  readonly term: bigint;
  /** The end of the log; nothing is appended to its segment. `origin` when there is none. */
  readonly end: Position;
  /** The limit of the last segment; undefined when there is none. */
  readonly lastLimit: number | undefined;
  readonly nextSegment: number;
  /** What the next header says of this open. */
  readonly unclean: boolean;
  /** What each header says the store is for. */
  readonly keeps: StoreKind;
  readonly segmentBytes: number;
}

/** What a roll closed, and where. */
export interface Rolled {
  readonly previous: Position;
  readonly segment: number;
}

/** A file for the next segment, and how large that may become. */
interface NextFile {
  readonly segment: number;
  readonly limit: number;
}

/** A group, written. */
export interface Written {
  readonly batches: readonly BatchPlace[];
  readonly bytes: number;
}

/** The one that writes the log. One call at a time. After a failure that is not a full disk it must not be used again. */
export class LogTail {
  readonly #writer: LogWriter;
  readonly #prefill: Prefill | undefined;
  readonly #start: TailStart;
  /** Where the next group goes, or the end of the old segment until one of this open's is there. */
  #end: Position;
  /** The greatest position known durable. */
  #durable: Position;
  #limit: number;
  /** What was free at the last roll, without the segment that was begun then. */
  #freeBytes = Infinity;
  #seed = 0;
  #nextSegment: number;
  /** A segment of this open takes groups. */
  #open = false;
  /** Only the first header of an open tells of the stop before it. */
  #rolled = false;
  /** The file of the next segment is there, its header is not: a full disk stopped the roll. */
  #halfRolled: NextFile | undefined;
  /** Of the segment that is filled ahead. */
  #prefillLimit = 0;

  constructor(writer: LogWriter, start: TailStart, prefill: Prefill | undefined) {
    this.#writer = writer;
    this.#prefill = prefill;
    this.#start = start;
    this.#end = start.end;
    this.#durable = start.end;
    this.#nextSegment = start.nextSegment;
    this.#limit = start.lastLimit ?? 0;
  }

  get end(): Position {
    return this.#end;
  }

  get durable(): Position {
    return this.#durable;
  }

  /** Whether something written is not known durable. */
  get isDirty(): boolean {
    return this.#end.offset !== this.#durable.offset || this.#end.segment !== this.#durable.segment;
  }

  get nextSegment(): number {
    return this.#nextSegment;
  }

  /** Whether a group of this size needs a new segment first. A fresh one takes any. */
  needsRoll(groupBytes: number): boolean {
    return !this.#open || (this.#end.offset > segmentHeaderBytes && this.#end.offset + groupBytes > this.#limit);
  }

  /** Opens the next segment. @param freeBytes on the disk, as far as anybody knows */
  async roll(timeMs: number, freeBytes = Infinity): Promise<Rolled> {
    if (this.isDirty) await this.sync();
    this.#open = false;
    this.#halfRolled ??= await this.#createNext(freeBytes);
    const { segment, limit } = this.#halfRolled;
    const { storeId, keeps, term } = this.#start;
    const header = { storeId, previous: this.#end, limit, unclean: this.#start.unclean && !this.#rolled, keeps };
    await this.#writer.write(encodeSegmentHeader(segment, header, this.#durable, term, timeMs), 0, true);
    const previous = this.#end;
    this.#halfRolled = undefined;
    this.#open = true;
    this.#rolled = true;
    this.#limit = limit;
    this.#freeBytes = Math.max(0, freeBytes - limit);
    this.#seed = segmentSeed(this.#start.storeId, segment);
    this.#end = { segment, offset: segmentHeaderBytes };
    this.#durable = this.#end;
    return { previous, segment };
  }

  /** Writes a group at the end. On a full disk it leaves the log as it was, and rejects with the system's error. */
  async write(group: Group, timeMs: number, o: { sync: boolean }): Promise<Written> {
    const { segment, offset } = this.#end;
    const place = { segment, offset, seed: this.#seed, durableThrough: this.#durable, term: this.#start.term, timeMs };
    const { bytes, batches } = group.encode(place, (size) => this.#writer.staging(size));
    try {
      await this.#writer.write(bytes, offset, o.sync);
    } catch (error) {
      // A partial group counts for nobody; cut it away all the same, so that the next one does not stand in front of its rest.
      if (isDiskFull(error)) await fatal(this.#writer.truncate(offset));
      throw error;
    }
    this.#end = { segment, offset: offset + paddedLength(bytes.length) };
    if (o.sync) this.#durable = this.#end;
    if (this.#prefill?.wrote(bytes.length) === true) this.#beginPrefill(this.#prefill);
    return { batches, bytes: bytes.length };
  }

  /** Makes durable what was written before the call. */
  async sync(): Promise<void> {
    const proves = this.#end;
    await this.#writer.sync();
    this.#durable = proves;
  }

  /** Gives up the space of the segment that was filled ahead. Whether there was one. */
  async giveUpPrefill(): Promise<boolean> {
    return (await this.#prefill?.giveUp()) ?? false;
  }

  close(): Promise<void> {
    return closeAll(
      () => this.giveUpPrefill(),
      () => this.#writer.close(),
    );
  }

  async #createNext(freeBytes: number): Promise<NextFile> {
    const prefilled = await this.#prefill?.take();
    const segment = prefilled ?? this.#nextSegment++;
    await this.#writer.open(segment, prefilled === undefined ? "create" : "write");
    if (prefilled === undefined) await this.#writer.syncNames();
    return { segment, limit: prefilled === undefined ? this.#nextLimit(freeBytes) : this.#prefillLimit };
  }

  #beginPrefill(prefill: Prefill): void {
    this.#prefillLimit = this.#nextLimit(this.#freeBytes);
    prefill.begin(this.#nextSegment++, this.#prefillLimit);
  }

  #nextLimit(freeBytes: number): number {
    const most = Math.min(this.#limit * growth, Math.floor(freeBytes / ofFree));
    return Math.min(this.#start.segmentBytes, Math.max(firstLimit, most));
  }
}
