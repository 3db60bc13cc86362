/**
 * A place in the log: a byte offset in a segment. Segments are numbered from 1 and never reuse a number, so positions are totally ordered.
 */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/** Before everything. */
export const origin: Position = { segment: 0, offset: 0 };

/** Whether `a` is before `b`. */
export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}

/** The later of the two. */
export function laterOf(a: Position, b: Position): Position {
  return isBefore(a, b) ? b : a;
}
