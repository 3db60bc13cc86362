/**
 * Reads the family meta of an open database into a state: once, when a store is opened.
 */
import type { MetaEntry } from "../engine.js";
import type { MessageRange } from "./batch-writer-protocol.js";
import { corruptRow } from "./corrupt-row.js";
import { lastCodePoint, metaRow } from "./keys.js";
import type { Page } from "./pages.js";
import type { PeerDatabase } from "./peer.js";
import { RocksDbChannel } from "./rocksdb-channel.js";
import { RowCursor, storeIn } from "./row-cursor.js";
import { type PageJson, RocksDbState } from "./rocksdb-state.js";

/** What was found. */
export interface LoadedState {
  readonly state: RocksDbState;
  /** Nothing was ever written. */
  readonly isNew: boolean;
  /** It was closed, and nothing was written since. */
  readonly clean: boolean;
}

const rowsAStep = 1_000;

/** @throws `corrupt` for rows that make no sense */
export async function loadState(database: PeerDatabase, dir: string): Promise<LoadedState> {
  const loader = new StateLoader(dir);
  const column = database.columns["meta"];
  if (column === undefined) throw corruptRow(dir, "", "it has no column family meta");
  const range = { gte: "", lt: lastCodePoint, column, keyEncoding: "utf8", valueEncoding: "buffer" } as const;
  const rows = new RowCursor(database, range, storeIn(dir));
  try {
    for (let finished = false; !finished;) {
      const step = await rows.next(rowsAStep);
      finished = step.finished;
      for (let at = 0; at < step.rows.length; at += 2) loader.take(step.rows[at], step.rows[at + 1]);
    }
  } finally {
    rows.close();
  }
  return loader.finish();
}

/** Of one channel, until all its rows are there. */
interface ChannelParts {
  begin?: bigint;
  end?: bigint;
  row?: ChannelJson;
  readonly pages: Page[];
}

interface ChannelJson {
  readonly firstId: string;
  readonly lastId: string;
  readonly ceiling: string;
  readonly sweptId: string;
  readonly open: PageJson | null;
}

interface StateJson {
  readonly term: string;
  readonly revision: string;
  readonly floor: string;
  readonly timeMs: number;
  readonly clean: boolean;
}

class StateLoader {
  readonly #dir: string;
  readonly #state = new RocksDbState();
  readonly #channels = new Map<string, ChannelParts>();
  readonly #values = new Map<string, Uint8Array>();
  readonly #revisions = new Map<string, string>();
  #counters: StateJson | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  take(key: unknown, value: unknown): void {
    if (typeof key !== "string" || !(value instanceof Uint8Array)) throw corruptRow(this.#dir, String(key), "it is no row");
    try {
      this.#take(key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    } catch (error) {
      throw corruptRow(this.#dir, key, "its value makes no sense", error);
    }
  }

  finish(): LoadedState {
    for (const [name, parts] of this.#channels) this.#state.channels.set(name, this.#channel(name, parts));
    for (const channel of this.#state.channels.values()) if (channel.sweepable !== undefined) this.#state.trimmed.add(channel);
    for (const [key, value] of this.#values) this.#state.meta.restore(this.#entry(key, value));
    const counters = this.#counters;
    if (counters === undefined) {
      if (this.#channels.size + this.#values.size > 0) throw corruptRow(this.#dir, "\0state", "it is missing");
      return { state: this.#state, isNew: true, clean: true };
    }
    this.#state.term = BigInt(counters.term);
    this.#state.floor = BigInt(counters.floor);
    this.#state.timeMs = counters.timeMs;
    this.#state.meta.advance(BigInt(counters.revision));
    return { state: this.#state, isNew: false, clean: counters.clean };
  }

  #take(key: string, value: Buffer): void {
    const found = metaRow(key);
    switch (found?.row) {
      case "state":
        this.#counters = json<StateJson>(value, ["term", "revision", "floor", "timeMs", "clean"]);
        return;
      case "begin":
        this.#parts(found.channel).begin = BigInt(value.toString());
        return;
      case "end":
        this.#parts(found.channel).end = BigInt(value.toString());
        return;
      case "channel":
        this.#parts(found.channel).row = json<ChannelJson>(value, ["firstId", "lastId", "ceiling", "sweptId", "open"]);
        return;
      case "page":
        this.#parts(found.channel).pages.push(
          pageOf(json<PageJson>(value, ["firstId", "lastId", "count", "bytes", "firstTimeMs", "lastTimeMs"])),
        );
        return;
      case "doomed": {
        const { channel, fromId, toId } = json<Record<keyof MessageRange, string>>(value, ["channel", "fromId", "toId"]);
        this.#state.doomed.set(found.number, { channel, fromId: BigInt(fromId), toId: BigInt(toId) });
        this.#state.nextDoomed = Math.max(this.#state.nextDoomed, found.number + 1);
        return;
      }
      case "revisions":
        this.#revisions.set(found.key, value.toString());
        return;
      case "value":
        this.#values.set(found.key, new Uint8Array(value));
        return;
      case undefined:
        throw new Error("no row has such a key");
      default:
        return found satisfies never;
    }
  }

  #parts(channel: string): ChannelParts {
    const parts = this.#channels.get(channel) ?? { pages: [] };
    this.#channels.set(channel, parts);
    return parts;
  }

  #channel(name: string, { begin, end, row, pages }: ChannelParts): RocksDbChannel {
    if (begin === undefined || end === undefined || row === undefined) throw corruptRow(this.#dir, name, "a row of the channel is missing");
    pages.sort((a, b) => (a.lastId < b.lastId ? -1 : 1));
    const open = row.open === null ? undefined : pageOf(row.open);
    // The last page is in the channel's own row too, closed or not.
    if (open !== undefined && pages.at(-1)?.lastId !== open.lastId) pages.push(open);
    const facts = { beginId: begin, endId: end, lastId: BigInt(row.lastId), ceiling: BigInt(row.ceiling), pages };
    return new RocksDbChannel(name, BigInt(row.firstId), facts, BigInt(row.sweptId));
  }

  #entry(key: string, value: Uint8Array): MetaEntry {
    const [created = "", changed = ""] = this.#revisions.get(key)?.split(" ") ?? [];
    if (!/^\d+$/.test(created) || !/^\d+$/.test(changed)) throw corruptRow(this.#dir, key, "its revisions are missing");
    return { key, value, createRevision: BigInt(created), modRevision: BigInt(changed) };
  }
}

function pageOf({ firstId, lastId, ...rest }: PageJson): Page {
  return { firstId: BigInt(firstId), lastId: BigInt(lastId), ...rest };
}

/** A JSON object that has all these members; a wrong one shows where it is used. */
function json<T>(value: Buffer, members: readonly (keyof T & string)[]): T {
  const parsed: unknown = JSON.parse(value.toString());
  if (hasAll<T>(parsed, members)) return parsed;
  throw new Error(`a member of ${members.join(", ")} is missing`);
}

function hasAll<T>(value: unknown, members: readonly string[]): value is T {
  return typeof value === "object" && value !== null && members.every((member) => member in value);
}
