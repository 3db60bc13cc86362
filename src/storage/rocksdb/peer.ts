/**
 * The optional peer `@nxtedition/rocksdb`, as far as it is used here: it brings no types, and the default install has no native code.
 *
 * What begins with an underscore is the binding's own interface: the public one encodes every key and value once more, and waits a turn.
 */
import { TidemarkError } from "../../base/errors.js";

/** The package. */
const peerName = "@nxtedition/rocksdb";
/** What this is written for. */
const peerVersion = "12.2.12";

/** A handle of a column family; only good for the database that gave it. */
export type Column = object;

/** What an iterator goes through: keys from `gte` on and below `lt`, ascending unless `reverse`, `limit` of them. */
export interface RangeOptions {
  readonly gte: string | Uint8Array;
  readonly lt: string | Uint8Array;
  /** Default: the family that every database has. */
  readonly column?: Column;
  readonly keys?: boolean;
  readonly values?: boolean;
  readonly keyEncoding?: "utf8" | "buffer";
  readonly valueEncoding?: "utf8" | "buffer";
  readonly limit?: number;
  readonly reverse?: boolean;
  /** A step ends with the row that goes beyond this. */
  readonly highWaterMarkBytes?: number;
}

/** Keys and values in turns; undefined in the place of those that were not asked for. */
export interface PeerRows {
  readonly rows: readonly unknown[];
  readonly finished: boolean;
}

/** Sees the database as it was when it was made. */
export interface PeerIterator {
  _nextvAsync(count: number): Promise<PeerRows>;
  _closeSync(): void;
}

/** Writes collected in the process, to be done at once. */
export interface PeerBatch {
  _put(key: Uint8Array, value: Uint8Array, options: { readonly column: Column } | undefined): void;
  _del(key: Uint8Array, options: { readonly column: Column }): void;
  _clear(): void;
  /** Blocks the thread until it is written, and synced if asked for with all that was written before. */
  _writeSync(options: { readonly sync: boolean }): void;
}

/** An open database. */
export interface PeerDatabase {
  /** With it another thread of this process opens the same database. */
  readonly handle: bigint;
  readonly columns: Readonly<Record<string, Column>>;
  /** How many writes it has taken, over all its lives. */
  readonly sequence: number;
  open(options: object): Promise<void>;
  close(): Promise<void>;
  iterator(options: RangeOptions): PeerIterator;
  _chainedBatch(): PeerBatch;
  /** Deletes a range; blocks the thread, but does not sync. */
  _clear(options: Required<Pick<RangeOptions, "gte" | "lt" | "column">>, callback: (error: Error | null) => void): void;
}

/** The package's one export. */
export interface Peer {
  readonly RocksLevel: new (location: string | bigint, options: object) => PeerDatabase;
}

/**
 * Loads the peer.
 *
 * @param argument what asked for it
 * @throws `invalid-argument` that names the package when it is not installed, or has no binary for this machine
 */
export async function loadPeer(argument: string): Promise<Peer> {
  let loaded: unknown;
  try {
    loaded = await import(peerName);
  } catch (error) {
    const text = `RocksDB needs the package ${peerName}, which can't be loaded here: npm install ${peerName}@${peerVersion}`;
    throw new TidemarkError("invalid-argument", text, { argument }, { cause: error });
  }
  if (isPeer(loaded)) return loaded;
  const text = `the installed ${peerName} is not what is expected: npm install ${peerName}@${peerVersion}`;
  throw new TidemarkError("invalid-argument", text, { argument });
}

/**
 * Closes a database; what RocksDB says against it is returned. Resolves once all that it held is free.
 *
 * The binding has taken a database apart when it says that closing failed, as on a full disk, and counts it as open: it is told once more.
 */
export async function closeDatabase(database: Pick<PeerDatabase, "close">): Promise<unknown> {
  try {
    await database.close();
    return undefined;
  } catch (error) {
    await database.close();
    return error;
  }
}

function isPeer(loaded: unknown): loaded is Peer {
  return typeof loaded === "object" && loaded !== null && "RocksLevel" in loaded && typeof loaded.RocksLevel === "function";
}
