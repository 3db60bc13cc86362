/** Damage in a database: rows that make no sense. RocksDB's own checksums tell the rest. */
import { TidemarkError } from "../../base/errors.js";

/** A row under `key` that is not what it must be. RocksDB knows the file and the place in it, and tells neither. */
export function corruptRow(dir: string, key: string, what: string, cause?: unknown): TidemarkError<"corrupt"> {
  const text = `the database in ${dir} is damaged at the key ${JSON.stringify(key)}: ${what}`;
  return new TidemarkError("corrupt", text, { file: dir, offset: 0 }, { cause });
}
