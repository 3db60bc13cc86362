/**
 * Goes through rows of a database, and says in our words what RocksDB can't read.
 *
 *     Corruption: block checksum mismatch: … in /queue/000012.sst offset 0 size 1234      ▸ corrupt { file: "/queue/000012.sst", offset: 0 }
 *     IO error: While pread …: /queue/000012.sst: Input/output error                        ▸ io-failed
 */
import { TidemarkError } from "../../base/errors.js";
import type { PeerDatabase, PeerIterator, PeerRows, RangeOptions } from "./peer.js";

/** A directory with a database, as errors name it. */
export interface NamedPlace {
  /** As the user knows it. */
  readonly dir: string;
  /** Where RocksDB has it open, when that is a copy. */
  readonly copy?: string | undefined;
  /** What to do about damage, as the end of a sentence. */
  readonly remedy: string;
}

/** A store of ours. */
export function storeIn(dir: string): NamedPlace {
  return { dir, remedy: "restore it from a copy" };
}

/** An iterator of the database, which it sees as it was when it was made. It owes a `close()`. */
export class RowCursor {
  readonly #rows: PeerIterator;
  readonly #place: NamedPlace;

  constructor(database: PeerDatabase, range: RangeOptions, place: NamedPlace) {
    this.#place = place;
    this.#rows = database.iterator(range);
  }

  /** So many rows at most. @throws `corrupt`, `io-failed` */
  async next(count: number): Promise<PeerRows> {
    try {
      return await this.#rows._nextvAsync(count);
    } catch (error) {
      throw unreadable(this.#place, error);
    }
  }

  close(): void {
    this.#rows._closeSync();
  }
}

/** What RocksDB says of something that it could not read. Nothing that anybody asked to store is at stake. */
export function unreadable({ dir, copy, remedy }: NamedPlace, error: unknown): TidemarkError<"corrupt" | "io-failed"> {
  const said = copy === undefined ? saidBy(error) : saidBy(error).replaceAll(copy, dir);
  // What the database counts on and is not there is damage too.
  if (!/^Corruption\b|No such file/.test(said)) {
    return new TidemarkError("io-failed", `the database in ${dir} can't be read: ${said}`, {}, { cause: error, effect: "none" });
  }
  const text = `the database in ${dir} is damaged: ${said}; ${remedy}`;
  const offset = Number(/\boffset (\d{1,15})\b/.exec(said)?.[1] ?? 0);
  return new TidemarkError("corrupt", text, { file: fileIn(said) ?? dir, offset }, { cause: error });
}

/** RocksDB names the file that it stumbled over, as a path or by its name alone. */
function fileIn(said: string): string | undefined {
  return /[^\s:,]*\d{6}\.(?:sst|log)|[^\s:,]*MANIFEST-\d+|[^\s:,]*CURRENT/.exec(said)?.[0];
}

/** The binding wraps what RocksDB says. */
export function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? saidBy(error.cause) : error.message;
}
