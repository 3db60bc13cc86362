/**
 * Reads messages: payloads and properties go side by side, each family from its own iterator.
 *
 *     default      c/…7  c/…8  c/…9 …          both iterators are made at once, and see the database as it is then;
 *     properties   c/…7  c/…8  c/…9 …          rows are deleted only after readers are refused them
 */
import type { ChannelReader, StoredMessage } from "../engine.js";
import { channelNotFound, positionTrimmed } from "../refusals.js";
import { indexFrom, isDense } from "../stretches.js";
import { corruptRow } from "./corrupt-row.js";
import { idIn, messageKey } from "./keys.js";
import type { OpenReads } from "./open-reads.js";
import type { Page } from "./pages.js";
import type { PeerDatabase } from "./peer.js";
import type { RocksDbChannel } from "./rocksdb-channel.js";
import { RowCursor, storeIn } from "./row-cursor.js";
import { PropertiesReader } from "./stored-properties.js";

/** A step of an iterator becomes objects on the main thread, which is kept for so many at a time. */
const mostRows = 1_000;
const mostBytes = 1024 * 1024;

/** Where messages are read. */
export interface ReadSource {
  readonly database: PeerDatabase;
  readonly columns: { readonly payloads: object; readonly properties: object };
  readonly dir: string;
  readonly reads: OpenReads;
}

/** See `ChannelReader`; it keeps no place: a new iterator costs less than one that holds what is deleted meanwhile. */
export class RocksDbChannelReader implements ChannelReader {
  readonly #channel: RocksDbChannel;
  readonly #source: ReadSource;
  readonly #properties = new PropertiesReader();

  constructor(channel: RocksDbChannel, source: ReadSource) {
    this.#channel = channel;
    this.#source = source;
  }

  read(fromId: bigint, max: number, maxBytes: number): Promise<StoredMessage[]> {
    return this.#source.reads.run(() => this.#read(fromId, max, maxBytes));
  }

  async #read(fromId: bigint, max: number, maxBytes: number): Promise<StoredMessage[]> {
    const { name, beginId, endId } = readable(this.#channel, this.#source);
    if (fromId < beginId) throw positionTrimmed(name, fromId, beginId);
    if (fromId >= endId) return [];
    const { database, columns, dir } = this.#source;
    const place = storeIn(dir);
    const range = { gte: messageKey(name, fromId), lt: messageKey(name, endId) };
    const most = Math.min(max, mostRows);
    const highWaterMarkBytes = Math.min(Math.max(Math.floor(maxBytes), 0), mostBytes);
    const keyed = { keys: true, values: true, keyEncoding: "utf8", valueEncoding: "buffer" } as const;
    const payloads = new RowCursor(database, { ...range, ...keyed, column: columns.payloads, limit: most, highWaterMarkBytes }, place);
    const texts = { keys: false, values: true, valueEncoding: "utf8" } as const;
    const rows = new RowCursor(database, { ...range, ...texts, column: columns.properties, limit: most }, place);
    try {
      const found = await step(payloads, most);
      const count = found.length / 2;
      const beside = count === 0 ? [] : await step(rows, count);
      if (beside.length !== found.length) throw corruptRow(this.#source.dir, range.gte, "the families hold different messages");
      return this.#messages(found, beside, maxBytes);
    } finally {
      payloads.close();
      rows.close();
    }
  }

  #messages(found: readonly unknown[], beside: readonly unknown[], maxBytes: number): StoredMessage[] {
    const messages: StoredMessage[] = [];
    let bytes = 0;
    for (let at = 0; at < found.length; at += 2) {
      const message = this.#message(found[at], found[at + 1], beside[at + 1]);
      bytes += message.payload.byteLength + bytesOf(message.properties);
      if (messages.length > 0 && bytes > maxBytes) break;
      messages.push(message);
    }
    return messages;
  }

  #message(key: unknown, payload: unknown, row: unknown): StoredMessage {
    if (typeof key !== "string" || !(payload instanceof Uint8Array) || typeof row !== "string") {
      throw corruptRow(this.#source.dir, String(key), "a row is missing");
    }
    try {
      const { timeMs, properties } = this.#properties.read(row);
      return { id: idIn(key), payload, properties, timeMs };
    } catch (error) {
      throw corruptRow(this.#source.dir, key, "its row of properties is none", error);
    }
  }
}

/** See `Engine.countFrom`. Pages without gaps are counted by subtraction, of others only the cut one is gone through. */
export async function countFrom(channel: RocksDbChannel, source: ReadSource, fromId: bigint): Promise<number> {
  const { beginId, facts } = readable(channel, source);
  const from = fromId > beginId ? fromId : beginId;
  const [first, ...whole] = facts.pages.slice(indexFrom(facts.pages, from));
  if (first === undefined) return 0;
  const behind = whole.reduce((sum, { count }) => sum + count, 0);
  if (from <= first.firstId) return behind + first.count;
  if (isDense(first)) return behind + Number(first.lastId - from + 1n);
  return behind + (await countRows(channel, source, from, first.lastId + 1n));
}

/** See `Engine.idAt`. Times never go down, so the page and the place in it are found by halving. */
export async function idAtTime(channel: RocksDbChannel, source: ReadSource, timeMs: number): Promise<bigint | undefined> {
  for (;;) {
    const { beginId, facts } = readable(channel, source);
    const page = facts.pages.find((candidate) => candidate.lastTimeMs >= timeMs && candidate.lastId >= beginId);
    if (page === undefined) return undefined;
    const found = await firstAt(channel, source, { low: page.firstId > beginId ? page.firstId : beginId, high: page.lastId }, timeMs);
    if (found !== undefined) return found;
    // Its rows went meanwhile, as they may once they are trimmed; else they are lost.
    if (channel.beginId === beginId && !channel.destroyed) {
      throw corruptRow(source.dir, messageKey(channel.name, page.lastId), "a page's last message is missing");
    }
  }
}

/** The least id from which on a row is found whose time is late enough. `high` holds such a row. */
async function firstAt(
  channel: RocksDbChannel,
  source: ReadSource,
  range: { readonly low: bigint; readonly high: bigint },
  timeMs: number,
): Promise<bigint | undefined> {
  let { low, high } = range;
  while (low < high) {
    const middle = (low + high) / 2n;
    const row = await rowFrom(channel, source, middle, range.high);
    if (row === undefined) return undefined;
    if (row.timeMs >= timeMs) high = middle;
    else low = row.id + 1n;
  }
  return (await rowFrom(channel, source, low, range.high))?.id;
}

async function rowFrom(
  channel: RocksDbChannel,
  source: ReadSource,
  fromId: bigint,
  throughId: bigint,
): Promise<{ readonly id: bigint; readonly timeMs: number } | undefined> {
  readable(channel, source);
  const { database, columns, dir } = source;
  const range = { gte: messageKey(channel.name, fromId), lt: messageKey(channel.name, throughId + 1n) };
  const texts = { keyEncoding: "utf8", valueEncoding: "utf8" } as const;
  const rows = new RowCursor(database, { ...range, ...texts, column: columns.properties, limit: 1 }, storeIn(dir));
  try {
    const [key, row] = await step(rows, 1);
    if (typeof key !== "string" || typeof row !== "string") return undefined;
    try {
      return { id: idIn(key), timeMs: new PropertiesReader().read(row).timeMs };
    } catch (error) {
      throw corruptRow(dir, key, "its row of properties is none", error);
    }
  } finally {
    rows.close();
  }
}

/** See `LastInPage`. */
export async function lastInPage(channel: RocksDbChannel, source: ReadSource, page: Page, id: bigint): Promise<bigint | undefined> {
  const { database, columns, dir } = source;
  const range = { gte: messageKey(channel.name, page.firstId), lt: messageKey(channel.name, id) };
  const last = { values: false, keyEncoding: "utf8", limit: 1, reverse: true } as const;
  const rows = new RowCursor(database, { ...range, ...last, column: columns.properties }, storeIn(dir));
  try {
    const [key] = await step(rows, 1);
    return typeof key === "string" ? idIn(key) : undefined;
  } finally {
    rows.close();
  }
}

async function countRows(channel: RocksDbChannel, source: ReadSource, fromId: bigint, toId: bigint): Promise<number> {
  const { database, columns, dir } = source;
  const range = { gte: messageKey(channel.name, fromId), lt: messageKey(channel.name, toId) };
  const rows = new RowCursor(database, { ...range, values: false, keyEncoding: "utf8", column: columns.properties }, storeIn(dir));
  try {
    let count = 0;
    for (let found = -1; found !== 0; count += found) found = (await step(rows, mostRows)).length / 2;
    return count;
  } finally {
    rows.close();
  }
}

/** @throws `closed`; `channel-not-found` once it is destroyed */
export function readable(channel: RocksDbChannel, source: ReadSource): RocksDbChannel {
  source.reads.check();
  if (channel.destroyed) throw channelNotFound(channel.name);
  return channel;
}

async function step(cursor: RowCursor, count: number): Promise<readonly unknown[]> {
  return (await cursor.next(count)).rows;
}

function bytesOf(properties: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const key in properties) bytes += Buffer.byteLength(key) + Buffer.byteLength(properties[key] ?? "");
  return bytes;
}
