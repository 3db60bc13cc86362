/**
 * The oldest batches of a channel, as they were appended: the row of a batch's last message says that it is the last.
 */
import { corruptRow } from "./corrupt-row.js";
import { idIn, messageKey } from "./keys.js";
import { indexFrom, type Page } from "./pages.js";
import type { RocksDbChannel } from "./rocksdb-channel.js";
import { readable, type ReadSource } from "./rocksdb-reader.js";
import { batchEnd, PropertiesReader } from "./stored-properties.js";

const rowsAStep = 1_000;

/** A batch as policy sees it. */
export interface OldestBatch {
  /** Of its first retained message. */
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly timeMs: number;
  /** Its share of its page's, by its messages. */
  readonly bytes: number;
}

/** At least one, unless nothing is retained: of a batch that is larger than a step all is gone through. */
export async function oldestBatches(channel: RocksDbChannel, source: ReadSource): Promise<readonly OldestBatch[]> {
  const { name, beginId, endId, facts } = readable(channel, source);
  const { database, columns, dir } = source;
  const range = { gte: messageKey(name, beginId), lt: messageKey(name, endId) };
  const rows = database.iterator({ ...range, keyEncoding: "utf8", valueEncoding: "utf8", column: columns.properties });
  const reader = new PropertiesReader();
  const found: OldestBatch[] = [];
  try {
    let firstId: bigint | undefined;
    let count = 0;
    for (let finished = false; !finished && found.length === 0;) {
      const step = await rows._nextvAsync(rowsAStep);
      finished = step.finished;
      for (let at = 0; at < step.rows.length; at += 2) {
        const [key, row] = [step.rows[at], step.rows[at + 1]];
        if (typeof key !== "string" || typeof row !== "string") throw corruptRow(dir, String(key), "a row is missing");
        const lastId = idIn(key);
        firstId ??= lastId;
        count += 1;
        if (!row.endsWith(batchEnd)) continue;
        found.push({
          firstId,
          lastId,
          timeMs: reader.read(row).timeMs,
          bytes: shareOf(facts.pages[indexFrom(facts.pages, lastId)], count),
        });
        firstId = undefined;
        count = 0;
      }
    }
    return found;
  } finally {
    rows._closeSync();
  }
}

function shareOf(page: Page | undefined, count: number): number {
  return page === undefined ? 0 : Math.round((page.bytes * count) / page.count);
}
