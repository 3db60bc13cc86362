/**
 * The oldest batches of a channel, as they were appended: the row of a batch's last message says that it is the last.
 */
import { indexFrom } from "../stretches.js";
import { corruptRow } from "./corrupt-row.js";
import { idIn, messageKey } from "./keys.js";
import { bytesFrom } from "./pages.js";
import type { RocksDbChannel } from "./rocksdb-channel.js";
import { readable, type ReadSource } from "./rocksdb-reader.js";
import { RowCursor, storeIn } from "./row-cursor.js";
import { batchEnd, PropertiesReader } from "./stored-properties.js";

const rowsAStep = 1_000;
/** It goes through no more rows once it has found a batch and gone through so many: so much at once goes before the next is asked for. */
const enoughRows = 16_000;
/** Nor once it has found so many batches. */
const enoughBatches = 256;

/** A batch as policy sees it. */
export interface OldestBatch {
  /** Of its first retained message. */
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly timeMs: number;
  /** Its share of its page's, by its ids, as the channel's bytes are told. */
  readonly bytes: number;
}

/** At least one, unless nothing is retained: of a batch that is larger than that all is gone through. */
export async function oldestBatches(channel: RocksDbChannel, source: ReadSource): Promise<readonly OldestBatch[]> {
  const { name, beginId, endId, facts } = readable(channel, source);
  const { database, columns, dir } = source;
  const range = { gte: messageKey(name, beginId), lt: messageKey(name, endId) };
  const texts = { keyEncoding: "utf8", valueEncoding: "utf8" } as const;
  const rows = new RowCursor(database, { ...range, ...texts, column: columns.properties }, storeIn(dir));
  const reader = new PropertiesReader();
  const found: OldestBatch[] = [];
  try {
    let firstId: bigint | undefined;
    let from = beginId;
    let seen = 0;
    for (let finished = false; !finished && found.length < (seen < enoughRows ? enoughBatches : 1);) {
      const step = await rows.next(rowsAStep);
      finished = step.finished;
      seen += rowsAStep;
      for (let at = 0; at < step.rows.length; at += 2) {
        const [key, row] = [step.rows[at], step.rows[at + 1]];
        if (typeof key !== "string" || typeof row !== "string") throw corruptRow(dir, String(key), "a row is missing");
        const lastId = idIn(key);
        firstId ??= lastId;
        if (!row.endsWith(batchEnd)) continue;
        const page = facts.pages[indexFrom(facts.pages, lastId)];
        const bytes = page === undefined ? 0 : bytesFrom([page], from) - bytesFrom([page], lastId + 1n);
        found.push({ firstId, lastId, timeMs: reader.read(row).timeMs, bytes });
        firstId = undefined;
        from = lastId + 1n;
      }
    }
    return found;
  } finally {
    rows.close();
  }
}
