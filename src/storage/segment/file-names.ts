/**
 * The files of a store's directory.
 *
 *     checkpoint  checkpoint.tmp  mark  reserve  lock.<n>  lock.json
 *     0000000001.seg  0000000001.idx  0000000002.seg  …
 */

/** The state at one position. */
export const checkpointName = "checkpoint";
/** A checkpoint being written. */
export const checkpointTempName = "checkpoint.tmp";
/** A hint of what was durable last. */
export const markName = "mark";
/** Space kept for the day the disk is full. */
export const reserveName = "reserve";

const segmentPattern = /^(\d{10})\.seg$/;
const indexPattern = /^(\d{10})\.idx$/;

/** The log's own file of a segment. */
export function segmentName(segment: number): string {
  return `${String(segment).padStart(10, "0")}.seg`;
}

/** The index beside a sealed segment. */
export function indexName(segment: number): string {
  return `${String(segment).padStart(10, "0")}.idx`;
}

/** The number in a segment's name; undefined for other names. */
export function segmentOf(name: string): number | undefined {
  return numberIn(segmentPattern, name);
}

/** The number in an index file's name; undefined for other names. */
export function indexOf(name: string): number | undefined {
  return numberIn(indexPattern, name);
}

function numberIn(pattern: RegExp, name: string): number | undefined {
  const digits = pattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
