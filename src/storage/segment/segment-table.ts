/**
 * The segments that hold something live, and how much: what may go, and when.
 */
import { assert } from "../../base/assert.js";

/** A segment of the log. */
export interface Segment {
  readonly number: number;
  /** Where it ends, once that is recorded by its successor's header; undefined while it is the last one. */
  readonly end: number | undefined;
}

interface Entry {
  readonly number: number;
  end: number | undefined;
  /** Runs of channels in it that still hold a message. */
  liveRuns: number;
  /** Of those runs' frames. */
  liveBytes: number;
}

/** All segments from the oldest live one to the last. */
export class SegmentTable {
  readonly #segments = new Map<number, Entry>();
  /** Sealed segments without a live run. */
  readonly #dead = new Set<number>();
  /** Sealed segments of which less than half is live. */
  readonly #sparse = new Set<number>();

  get(number: number): Segment | undefined {
    return this.#segments.get(number);
  }

  /** A segment that nothing lives in yet; without an end, the last one. */
  add(number: number, end?: number): void {
    this.#segments.set(number, { number, end, liveRuns: 0, liveBytes: 0 });
    this.#note(this.#entry(number));
  }

  /** Its successor's header says where it ends. */
  seal(number: number, end: number): void {
    const entry = this.#entry(number);
    entry.end = end;
    this.#note(entry);
  }

  remove(number: number): void {
    this.#segments.delete(number);
    this.#dead.delete(number);
    this.#sparse.delete(number);
  }

  /** A run begins in it. */
  retain(number: number): void {
    const entry = this.#entry(number);
    entry.liveRuns++;
    this.#note(entry);
  }

  /** The runs in it hold so many bytes more, or fewer. */
  grow(number: number, bytes: number): void {
    const entry = this.#entry(number);
    entry.liveBytes += bytes;
    this.#note(entry);
  }

  /** A run in it holds nothing any more. */
  release(number: number): void {
    const entry = this.#entry(number);
    entry.liveRuns--;
    this.#note(entry);
  }

  /** Sealed segments that hold nothing live: a checkpoint that does not list them lets them go. */
  get dead(): ReadonlySet<number> {
    return this.#dead;
  }

  /** Sealed segments that hold something live, and less of it than would not be missed: their batches are worth to be copied forward. */
  get sparse(): ReadonlySet<number> {
    return this.#sparse;
  }

  /** What the live runs in a segment take. */
  liveBytes(number: number): number {
    return this.#segments.get(number)?.liveBytes ?? 0;
  }

  /** Sealed segments that hold something live, ascending. */
  sealed(): { number: number; end: number }[] {
    const live = [...this.#segments.values()].filter(({ liveRuns }) => liveRuns > 0);
    return live.flatMap(({ number, end }) => (end === undefined ? [] : [{ number, end }])).sort((a, b) => a.number - b.number);
  }

  #entry(number: number): Entry {
    const entry = this.#segments.get(number);
    assert(entry !== undefined, `segment ${number} is not in the table`);
    return entry;
  }

  #note({ number, end, liveRuns, liveBytes }: Entry): void {
    // The one being written to is of neither kind, and what is added to it is the most frequent change.
    if (end === undefined) return;
    if (liveRuns === 0) this.#dead.add(number);
    else this.#dead.delete(number);
    if (liveRuns > 0 && 2 * liveBytes < end) this.#sparse.add(number);
    else this.#sparse.delete(number);
  }
}
