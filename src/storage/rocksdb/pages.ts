/**
 * The pages of a channel: what is known of its messages without reading them.
 *
 *     |── page ──|── page ──|── page ──|─ open ─|        each: first and last id, how many, how many bytes, first and last time
 *                     ▲ beginId
 *
 * A page closes once it holds 4 MiB or 16,384 messages, so their number grows with the bytes kept, not with the messages. A page goes when
 * all its messages are trimmed; of one that a trim cut, what is left is reckoned by the share of its ids.
 */
import { indexFrom } from "../stretches.js";

const fullBytes = 4 * 1024 * 1024;
const fullCount = 16_384;

/** Consecutive batches of one channel. Never changed: a page that grows is another page. */
export interface Page {
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly count: number;
  readonly bytes: number;
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
}

/** Pages in the order of their ids; each holds a message that is not trimmed. */
export type Pages = readonly Page[];

/** Whether a page takes no more batches. */
export function isClosed(page: Page): boolean {
  return page.bytes >= fullBytes || page.count >= fullCount;
}

/** Takes a batch in: into the last page, or into a new one behind it. Returns that page. */
export function addBatch(pages: Page[], batch: Page): Page {
  const open = pages.at(-1);
  if (open === undefined || isClosed(open)) {
    pages.push(batch);
    return batch;
  }
  // Field by field: it is made for each append.
  const grown = {
    firstId: open.firstId,
    lastId: batch.lastId,
    count: open.count + batch.count,
    bytes: open.bytes + batch.bytes,
    firstTimeMs: open.firstTimeMs,
    lastTimeMs: batch.lastTimeMs,
  };
  pages[pages.length - 1] = grown;
  return grown;
}

/** Takes away the pages that hold nothing from `beginId` on, and returns them. */
export function takeDead(pages: Page[], beginId: bigint): Page[] {
  return pages.splice(0, indexFrom(pages, beginId));
}

/** The bytes of what is there from `beginId` on. */
export function bytesFrom(pages: Pages, beginId: bigint): number {
  return pages.reduce((sum, page) => sum + Math.round(page.bytes * shareFrom(page, beginId)), 0);
}

function shareFrom({ firstId, lastId }: Page, beginId: bigint): number {
  if (beginId <= firstId) return 1;
  return beginId > lastId ? 0 : Number(lastId - beginId + 1n) / Number(lastId - firstId + 1n);
}
