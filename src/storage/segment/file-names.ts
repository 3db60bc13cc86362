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
/** The folder that the command line makes for its queue in the one that it is given. */
export const folderOfTools = "queue";
/** What the RocksDB engine puts into its directory before all else. */
export const rocksDbMarkName = "tidemark-rocksdb";

const segmentPattern = /^(\d{10})\.seg$/;
const indexPattern = /^(\d{10})\.idx$/;

/** Whether a directory with these names holds a store, or what damage has left of one. */
export function holdsStore(names: readonly string[]): boolean {
  return names.some((name) => name === checkpointName || segmentOf(name) !== undefined);
}

/** Whether a directory with these names holds a RocksDB database, or is to: no store may be made there. */
export function holdsRocksDb(names: readonly string[]): boolean {
  return holdsRocksDbQueue(names) || names.some((name) => name === "CURRENT" || /^MANIFEST-\d+$/.test(name));
}

/** Whether such a database is a queue's of ours, perhaps one that was only begun. */
export function holdsRocksDbQueue(names: readonly string[]): boolean {
  return names.includes(rocksDbMarkName);
}

/**
 * A name that no store has, and that says that the place is somebody's: not a mount point's lost+found, nor the hidden notes that programs leave in a
 * folder.
 */
export function foreignName(names: readonly string[]): string | undefined {
  return names.find((name) => !isFileOfStore(name) && !name.startsWith("lock.") && !name.startsWith(".") && name !== "lost+found");
}

/** The same as the object of a sentence. */
export function foreignFiles(names: readonly string[]): string | undefined {
  const name = foreignName(names);
  return name === undefined ? undefined : `files that are not Tidemark's, such as ${JSON.stringify(name)}`;
}

/** Whether a store has a file of this name. Those of its lock are not counted: they are no plain files everywhere. */
export function isFileOfStore(name: string): boolean {
  const single = [checkpointName, checkpointTempName, markName, reserveName];
  return single.includes(name) || segmentOf(name) !== undefined || indexOf(name) !== undefined;
}

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
