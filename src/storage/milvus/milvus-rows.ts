/**
 * The rows of an opened copy.
 */
import { TidemarkError } from "../../base/errors.js";
import type { Column, PeerDatabase, RangeOptions } from "../rocksdb/peer.js";
import { type NamedPlace, RowCursor } from "../rocksdb/row-cursor.js";
import { greatestId } from "../draft-rules.js";
import type { NewMessage } from "../engine.js";
import type { MilvusPages } from "./milvus-pages.js";

/** So many at a time: what becomes objects on this thread in one go. */
const rowsAStep = 1_000;
const bytesAStep = 1024 * 1024;
/** The code unit behind "/": it ends the keys that begin with a topic's name and "/". */
const behindSlash = "0";
/** No key of Milvus begins with it. */
const behindAll = Buffer.alloc(16, 0xff);

/** A message of Milvus. */
export interface MilvusMessage extends NewMessage {
  readonly id: bigint;
}

/** A topic that the metadata knows. */
export interface MilvusTopic extends MilvusPages {
  readonly name: string;
}

/** What stands among the messages and is no known topic's. */
export interface Strangers {
  /** Topics that have messages and are not known: one that Milvus destroyed leaves its messages there. */
  readonly topics: readonly string[];
  /** How many keys are no message's: they have no "/". */
  readonly keys: number;
  /** The first of them. */
  readonly firstKey: string;
}

/** An open database, and what errors call it. */
export interface NamedDatabase {
  readonly database: PeerDatabase;
  readonly place: NamedPlace;
}

/** Messages, and what is known of their topics. */
export interface MilvusDatabases {
  readonly store: NamedDatabase;
  readonly meta: NamedDatabase;
}

/** Reads what Milvus wrote. */
export class MilvusRows {
  readonly #store: NamedDatabase;
  readonly #meta: NamedDatabase;

  constructor({ store, meta }: MilvusDatabases) {
    this.#store = store;
    this.#meta = meta;
  }

  /** What the metadata knows. */
  async topics(): Promise<MilvusTopic[]> {
    const names = (await this.#metaRows("topic_id/")).map(([key]) => key.slice("topic_id/".length));
    const topics: MilvusTopic[] = [];
    for (const name of names) {
      const pages = await this.#metaRows(`page_message_size/${name}/`);
      const closed = pages.map(([key, bytes]) => ({ endId: this.#pageEnd(key), bytes: this.#bytesIn(key, bytes) }));
      closed.sort((a, b) => (a.endId < b.endId ? -1 : 1));
      const [open] = (await this.#metaRows(`message_size/${name}`)).filter(([key]) => key === `message_size/${name}`);
      topics.push({ name, closed, openBytes: open === undefined ? 0 : this.#bytesIn(...open) });
    }
    return topics;
  }

  /** Goes through all keys by what they begin with. Keys are bytes here: as texts, those that are no UTF-8 would not say where to go on. */
  async strangers(known: readonly string[]): Promise<Strangers> {
    const topics: string[] = [];
    let keys = 0;
    let firstKey = "";
    for (let from: Buffer = Buffer.alloc(0); ;) {
      const key = await this.#firstKey(this.#column("default"), from, behindAll);
      if (key === undefined) return { topics, keys, firstKey };
      const slash = key.lastIndexOf("/");
      if (slash === -1) {
        if (keys === 0) firstKey = key.toString();
        keys += 1;
        from = Buffer.concat([key, Buffer.of(0)]);
        continue;
      }
      const name = key.subarray(0, slash);
      if (!known.includes(name.toString())) topics.push(name.toString());
      from = Buffer.concat([name, Buffer.from(behindSlash)]);
    }
  }

  async ends(topic: string): Promise<{ readonly firstId: bigint; readonly lastId: bigint } | undefined> {
    let firstId: bigint | undefined;
    let lastId = -1n;
    // Decimal keys of one length sort as numbers; others are refused where they are met.
    for await (const keys of this.#steps({ ...within(topic), values: false, column: this.#column("default") })) {
      for (let at = 0; at < keys.length; at += 2) {
        const id = this.#idIn(topic, keys[at]);
        if (id <= lastId) throw this.#corrupt(`${topic}/${id}`, "ids of this topic do not sort as numbers");
        firstId ??= id;
        lastId = id;
      }
    }
    return firstId === undefined ? undefined : { firstId, lastId };
  }

  async *messages(topic: string): AsyncIterable<readonly MilvusMessage[]> {
    const column = this.#column("default");
    const hasProperties = await this.#hasProperties(topic);
    for await (const rows of this.#steps({ ...within(topic), valueEncoding: "buffer", highWaterMarkBytes: bytesAStep, column })) {
      const properties = hasProperties ? await this.#propertiesBeside(topic, rows) : undefined;
      const messages: MilvusMessage[] = [];
      for (let at = 0; at < rows.length; at += 2) {
        const id = this.#idIn(topic, rows[at]);
        const payload = rows[at + 1];
        if (!(payload instanceof Uint8Array)) throw this.#corrupt(`${topic}/${id}`, "it has no payload");
        messages.push({ id, payload, properties: properties?.get(id) });
      }
      yield messages;
    }
  }

  /** Milvus keeps none there but in versions that use the family. */
  async #hasProperties(topic: string): Promise<boolean> {
    const { gte, lt } = within(topic);
    return (await this.#firstKey(this.#column("properties"), gte, lt)) !== undefined;
  }

  /** Of the messages in these rows. */
  async #propertiesBeside(topic: string, rows: readonly unknown[]): Promise<Map<bigint, Record<string, string>>> {
    const found = new Map<bigint, Record<string, string>>();
    // Behind the last key, and before all others.
    const range = { gte: String(rows[0]), lt: `${String(rows.at(-2))}\0`, column: this.#column("properties") };
    for await (const beside of this.#steps({ ...range, valueEncoding: "utf8" })) {
      for (let at = 0; at < beside.length; at += 2) {
        const id = this.#idIn(topic, beside[at]);
        found.set(id, this.#propertiesIn(`${topic}/${id}`, beside[at + 1]));
      }
    }
    return found;
  }

  #propertiesIn(key: string, text: unknown): Record<string, string> {
    try {
      const parsed: unknown = JSON.parse(String(text));
      if (parsed === null) return {};
      if (isTexts(parsed)) return parsed;
    } catch (error) {
      throw this.#corrupt(key, "its properties are no JSON", this.#store, error);
    }
    throw this.#corrupt(key, "its properties are no texts");
  }

  /** Rows of the metadata whose keys begin so. */
  async #metaRows(prefix: string): Promise<[string, string][]> {
    const all: [string, string][] = [];
    // The one family of a database that names none.
    const range = { gte: prefix, lt: `${prefix}\u{10ffff}`, valueEncoding: "utf8" } as const;
    for await (const rows of this.#steps(range, this.#meta)) {
      for (let at = 0; at < rows.length; at += 2) all.push([String(rows[at]), String(rows[at + 1])]);
    }
    return all;
  }

  async #firstKey(column: Column, gte: string | Uint8Array, lt: string | Uint8Array): Promise<Buffer | undefined> {
    const rows = new RowCursor(
      this.#store.database,
      { gte, lt, keyEncoding: "buffer", values: false, limit: 1, column },
      this.#store.place,
    );
    try {
      const [key] = (await rows.next(1)).rows;
      return key instanceof Uint8Array ? Buffer.from(key) : undefined;
    } finally {
      rows.close();
    }
  }

  async *#steps(range: RangeOptions, { database, place } = this.#store): AsyncIterable<readonly unknown[]> {
    const rows = new RowCursor(database, { ...range, keyEncoding: "utf8" }, place);
    try {
      for (let finished = false; !finished;) {
        const step = await rows.next(rowsAStep);
        finished = step.finished;
        if (step.rows.length > 0) yield step.rows;
      }
    } finally {
      rows.close();
    }
  }

  #column(family: string): Column {
    const column = this.#store.database.columns[family];
    if (column === undefined) throw this.#corrupt(family, "there is no such column family");
    return column;
  }

  #idIn(topic: string, key: unknown): bigint {
    const digits = String(key).slice(topic.length + 1);
    if (!/^\d{1,19}$/.test(digits)) throw this.#corrupt(String(key), "it is no message's key");
    const id = BigInt(digits);
    if (id > greatestId) throw this.#corrupt(String(key), `ids end at ${greatestId}`);
    return id;
  }

  /** The id of a page's last message. */
  #pageEnd(key: string): bigint {
    const digits = key.slice(key.lastIndexOf("/") + 1);
    if (!/^\d{1,19}$/.test(digits)) throw this.#corrupt(key, "it is no page's key", this.#meta);
    return BigInt(digits);
  }

  #bytesIn(key: string, text: string): number {
    if (!/^\d{1,15}$/.test(text)) throw this.#corrupt(key, "its value is no number of bytes", this.#meta);
    return Number(text);
  }

  #corrupt(key: string, what: string, { place: { dir } } = this.#store, cause?: unknown): TidemarkError<"corrupt"> {
    const text = `${dir} makes no sense at the key ${JSON.stringify(key)}: ${what}`;
    return new TidemarkError("corrupt", text, { file: dir, offset: 0 }, { cause });
  }
}

function within(topic: string): { readonly gte: string; readonly lt: string } {
  return { gte: `${topic}/`, lt: `${topic}${behindSlash}` };
}

function isTexts(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
}
