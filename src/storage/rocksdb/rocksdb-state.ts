/**
 * What the database holds besides messages: channels, metadata, counters. All of it is in memory; it grows with the pages, not with messages.
 */
import { MetaMap } from "../meta-map.js";
import type { MessageRange } from "./batch-writer-protocol.js";
import { beginKey, channelKey, doomedKey, endKey, pageKey, revisionsKey, stateKey, valueKey } from "./keys.js";
import type { Operation } from "./group-layout.js";
import type { MetaEntry } from "../engine.js";
import type { Page } from "./pages.js";
import type { ChannelFacts, RocksDbChannel } from "./rocksdb-channel.js";

/** The state as readers may see it, and the counters that the next group goes on from. */
export class RocksDbState {
  readonly meta = new MetaMap();
  readonly channels = new Map<string, RocksDbChannel>();
  /** Channels made from now on begin above it. */
  floor = 0n;
  /** Of the open that writes, or wrote last. */
  term = 0n;
  /** The time of the last group; the next one's is no earlier. */
  timeMs = 0;
  /** Rows of destroyed channels that are still to go, by the number of their note. */
  readonly doomed = new Map<number, MessageRange>();
  nextDoomed = 0;
  /** Channels that may have rows below their first page. */
  readonly trimmed = new Set<RocksDbChannel>();
  /** Channels whose ceiling was raised and not yet synced. */
  readonly raised = new Set<RocksDbChannel>();

  /** All that was written is synced now. */
  synced(): void {
    for (const channel of this.raised) channel.durableCeiling = channel.facts.ceiling;
    this.raised.clear();
  }
}

/** The row of the counters. `clean`: nothing was written after it, and it was synced. */
export function stateRow(
  counters: { readonly term: bigint; readonly revision: bigint; readonly floor: bigint; readonly timeMs: number },
  clean: boolean,
): Operation {
  const { term, revision, floor, timeMs } = counters;
  const row = { term: String(term), revision: String(revision), floor: String(floor), timeMs, clean };
  return { do: "put", key: stateKey, value: JSON.stringify(row) };
}

/** The rows of a channel but its closed pages. Where it begins is left out when that is what is stored. */
export function channelRows(name: string, firstId: bigint, facts: ChannelFacts, sweptId: bigint, storedBeginId?: bigint): Operation[] {
  const { beginId, endId, lastId, ceiling, pages } = facts;
  const open = pages.at(-1);
  const ids = { firstId: String(firstId), lastId: String(lastId), ceiling: String(ceiling), sweptId: String(sweptId) };
  return [
    ...(beginId === storedBeginId ? [] : [{ do: "put", key: beginKey(name), value: String(beginId) } as const]),
    { do: "put", key: endKey(name), value: String(endId) },
    { do: "put", key: channelKey(name), value: JSON.stringify({ ...ids, open: open === undefined ? null : pageJson(open) }) },
  ];
}

/** Takes the rows of a channel away, and notes which messages are to go. */
export function goneRows(name: string, pages: readonly Page[]): Operation[] {
  const keys = [beginKey(name), endKey(name), channelKey(name), ...pages.map(({ lastId }) => pageKey(name, lastId))];
  return keys.map((key) => ({ do: "delete", key }));
}

/** A page that takes no more batches. */
export function pageRow(name: string, page: Page): Operation {
  return { do: "put", key: pageKey(name, page.lastId), value: JSON.stringify(pageJson(page)) };
}

/** The note of messages that are to go. */
export function doomedRow(number: number, { channel, fromId, toId }: MessageRange): Operation {
  return { do: "put", key: doomedKey(number), value: JSON.stringify({ channel, fromId: String(fromId), toId: String(toId) }) };
}

/** A key of the metadata with its value, and when it was made and changed. */
export function entryRows({ key, value, createRevision, modRevision }: MetaEntry): Operation[] {
  return [
    { do: "put", key: valueKey(key), value },
    { do: "put", key: revisionsKey(key), value: `${createRevision} ${modRevision}` },
  ];
}

/** Takes a key of the metadata away. */
export function noEntryRows(key: string): Operation[] {
  return [
    { do: "delete", key: valueKey(key) },
    { do: "delete", key: revisionsKey(key) },
  ];
}

/** A page as its row has it. */
export interface PageJson {
  readonly firstId: string;
  readonly lastId: string;
  readonly count: number;
  readonly bytes: number;
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
}

function pageJson({ firstId, lastId, count, bytes, firstTimeMs, lastTimeMs }: Page): PageJson {
  // Field by field: one is made for each channel of a group.
  return { firstId: String(firstId), lastId: String(lastId), count, bytes, firstTimeMs, lastTimeMs };
}
