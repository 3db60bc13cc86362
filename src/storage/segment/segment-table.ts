/**
 * The segments that hold something live, and how much: what may go, and when.
 */

/** A segment of the log. */
export interface Segment {
  readonly number: number;
  /** Where it ends, once that is recorded by its successor's header; undefined while it is the last one. */
  end: number | undefined;
  /** Runs of channels in it that still hold a message. */
  liveRuns: number;
}

/** All segments from the oldest live one to the last. */
export class SegmentTable {
  readonly #segments = new Map<number, Segment>();

  get(number: number): Segment | undefined {
    return this.#segments.get(number);
  }

  add(number: number, end?: number): Segment {
    const segment: Segment = { number, end, liveRuns: 0 };
    this.#segments.set(number, segment);
    return segment;
  }

  remove(number: number): void {
    this.#segments.delete(number);
  }

  /** Sealed segments that hold nothing live: a checkpoint that does not list them lets them go. */
  dead(): Segment[] {
    return [...this.#segments.values()].filter((segment) => segment.end !== undefined && segment.liveRuns === 0);
  }

  /** Sealed segments that hold something live, ascending. */
  sealed(): { number: number; end: number }[] {
    const live = [...this.#segments.values()].filter((segment) => segment.liveRuns > 0);
    return live.flatMap(({ number, end }) => (end === undefined ? [] : [{ number, end }])).sort((a, b) => a.number - b.number);
  }
}
