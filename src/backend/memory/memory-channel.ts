/**
 * One channel in memory.
 *
 *     places   0 1 2 │ 3 4 5 6       a place counts the records ever stored; it never moves, whatever is trimmed
 *              gone  │ #records
 *                    #first
 */
import { int64Of, type MessageId } from "../../message/index.js";
import type { ReadBounds } from "../arguments.js";
import type { LogRecord, ReadStart } from "../log-backend.js";
import { channelNotFound, positionAhead, positionTrimmed } from "../refusals.js";
import { ownCopies } from "./memory-records.js";

/** Its records, and who waits for more. */
export class MemoryChannel {
  readonly name: string;
  /** Those that are retained, and before them, up to `#gone`, some that were trimmed and not yet let go of. */
  #records: LogRecord[] = [];
  /** In bytes, of each of `#records`: they are asked for at every read. */
  #sizes: number[] = [];
  #gone = 0;
  /** The place of `#records[#gone]`. */
  #first = 0;
  #lastTrimmed: MessageId | undefined;
  #destroyed = false;
  readonly #waiting = new Set<() => void>();

  constructor(name: string) {
    this.name = name;
  }

  get destroyed(): boolean {
    return this.#destroyed;
  }

  get earliest(): LogRecord | undefined {
    return this.#records[this.#gone];
  }

  get latest(): LogRecord | undefined {
    return this.#records.at(-1);
  }

  /** The place that the next record gets. */
  get end(): number {
    return this.#first + this.#records.length - this.#gone;
  }

  append(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#records.push(record);
      this.#sizes.push(sizeOf(record));
    }
    this.#wake();
  }

  destroy(): void {
    this.#destroyed = true;
    this.#records = [];
    this.#sizes = [];
    this.#wake();
  }

  /** @throws `position-ahead` for an id behind the latest */
  trim(before: MessageId): void {
    if (this.#isAhead(before)) throw this.#ahead();
    const keep = this.#search((record) => int64Of(record.id) >= int64Of(before));
    if (keep === this.#gone) return;
    this.#lastTrimmed = this.#records[keep - 1]?.id;
    this.#first += keep - this.#gone;
    this.#gone = keep;
    // Letting go of half at a time costs each record one move.
    if (this.#gone * 2 < this.#records.length) return;
    this.#records = this.#records.slice(this.#gone);
    this.#sizes = this.#sizes.slice(this.#gone);
    this.#gone = 0;
  }

  firstAt(timeMs: number): LogRecord | undefined {
    return this.#records[this.#search((record) => record.timeMs >= timeMs)];
  }

  /** @throws `position-trimmed`, `position-ahead` */
  placeOf(start: ReadStart): number {
    if (start === "earliest") return this.#first;
    if (start === "latest") return this.end;
    const id = "at" in start ? start.at : start.after;
    if (this.#isAhead(id)) throw this.#ahead();
    const lost = this.#lastTrimmed;
    if (lost !== undefined && id.compare(lost) < ("at" in start ? 1 : 0)) throw this.#trimmed();
    const least = int64Of(id) + ("at" in start ? 0n : 1n);
    return this.#first + this.#search((record) => int64Of(record.id) >= least) - this.#gone;
  }

  /**
   * The records from `place` on, none at the end. They are the reader's own.
   *
   * @throws `position-trimmed`; `channel-not-found` once destroyed
   */
  read(place: number, { maxRecords, maxBytes }: ReadBounds): LogRecord[] {
    if (this.#destroyed) throw channelNotFound(this.name);
    if (place < this.#first) throw this.#trimmed();
    const from = this.#gone + place - this.#first;
    const most = Math.min(maxRecords, this.#records.length - from);
    let count = 0;
    for (let bytes = 0; count < most; count++) {
      bytes += this.#sizes[from + count] ?? 0;
      if (bytes > maxBytes && count > 0) break;
    }
    return ownCopies(this.#records.slice(from, from + count));
  }

  /** Calls `ring` once, when something has happened; the function takes it back. */
  whenMoved(ring: () => void): () => void {
    this.#waiting.add(ring);
    return () => this.#waiting.delete(ring);
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const ring of waiting) ring();
  }

  /** The first index at or behind `#gone` that holds; the length when none does. Records that hold stand behind those that do not. */
  #search(holds: (record: LogRecord) => boolean): number {
    let [low, high] = [this.#gone, this.#records.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const record = this.#records[middle];
      if (record !== undefined && holds(record)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #isAhead(id: MessageId): boolean {
    const last = this.latest?.id;
    return last === undefined || id.compare(last) > 0;
  }

  #ahead(): Error {
    return positionAhead(this.name, this.latest?.id.toString() ?? "its beginning");
  }

  #trimmed(): Error {
    return positionTrimmed(this.name, this.earliest?.id.toString() ?? "its end");
  }
}

/** Properties by their characters: it bounds memory, and need not be exact. */
function sizeOf({ payload, properties }: LogRecord): number {
  let bytes = payload.byteLength;
  for (const key in properties) bytes += key.length + (properties[key]?.length ?? 0);
  return bytes;
}
