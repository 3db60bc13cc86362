import { describe, expect, it } from "vitest";
import { unhex, vectorCases, type VectorCase } from "../../../test/message/vectors.js";
import type { PeerDatabase, RangeOptions } from "../rocksdb/peer.js";
import { MilvusRows, type NamedDatabase } from "./milvus-rows.js";

interface KeyCase extends VectorCase<{
  readonly kind?: string;
  readonly topic: string;
  readonly id: string;
  readonly pageEndId: string;
  readonly value: string;
}> {
  readonly key: string;
  readonly valueHex?: string;
}

const cases = vectorCases<KeyCase>("rocksmq");
const storeKeys = cases.filter(({ name }) => name.startsWith("store key"));
const metaKeys = cases.filter(({ name }) => name.startsWith("meta key"));

/** Rows in memory that are read as the peer's are. */
function database(rows: ReadonlyMap<string, Uint8Array>): PeerDatabase {
  const columns = { default: {}, properties: {} };
  const refuse = (): never => {
    throw new Error("only for reading");
  };
  return {
    handle: 0n,
    sequence: 0,
    columns,
    open: refuse,
    close: refuse,
    _chainedBatch: refuse,
    _clear: refuse,
    // No message here has properties.
    iterator: (range) => iteratorOf(range.column === columns.properties ? new Map() : rows, range),
  };
}

function named(rows: ReadonlyMap<string, Uint8Array>): NamedDatabase {
  return { database: database(rows), place: { dir: "/milvus", remedy: "import from another" } };
}

function iteratorOf(
  rows: ReadonlyMap<string, Uint8Array>,
  { gte, lt, keyEncoding, valueEncoding, limit }: RangeOptions,
): ReturnType<PeerDatabase["iterator"]> {
  const order = (a: string | Uint8Array, b: string | Uint8Array): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const keys = [...rows.keys()].filter((key) => order(key, gte) >= 0 && order(key, lt) < 0).sort(order);
  const found = keys.slice(0, limit).flatMap((key) => {
    const value = rows.get(key) ?? new Uint8Array();
    return [keyEncoding === "buffer" ? Buffer.from(key) : key, valueEncoding === "utf8" ? Buffer.from(value).toString() : value];
  });
  return { _nextvAsync: async () => ({ rows: found, finished: true }), _closeSync: () => undefined };
}

function milvusRows(): MilvusRows {
  const store = new Map(storeKeys.map(({ key }) => [key, new Uint8Array(1)]));
  const meta = new Map(metaKeys.map(({ key, valueHex = "" }) => [key, unhex(valueHex)]));
  return new MilvusRows({ store: named(store), meta: named(meta) });
}

describe("Milvus's rows", () => {
  it("of the metadata say of each topic which pages are closed, how large they are, and what is behind them", async () => {
    const of = (kind: string, topic: string): KeyCase[] =>
      metaKeys.filter(({ meaning }) => meaning.kind === kind && meaning.topic === topic);
    const topics = metaKeys.filter(({ meaning }) => meaning.kind === "topic_id").map(({ meaning }) => meaning.topic);

    expect(topics).toHaveLength(3);
    expect(await milvusRows().topics()).toEqual(
      topics.map((name) => ({
        name,
        closed: of("page_message_size", name).map(({ meaning }) => ({ endId: BigInt(meaning.pageEndId), bytes: Number(meaning.value) })),
        openBytes: Number(of("message_size", name)[0]?.meaning.value),
      })),
    );
  });

  it.each(storeKeys)("have topic and id of a message in its key: $name", async ({ meaning: { topic, id } }) => {
    const ids: bigint[] = [];
    for await (const messages of milvusRows().messages(topic)) ids.push(...messages.map((message) => message.id));

    expect(ids).toContain(BigInt(id));
    expect((await milvusRows().strangers([])).topics).toContain(topic);
  });

  it.each(["9223372036854775808", "9999999999999999999", "12345678901234567890", "-1", ""])("with the id %j are corrupt", async (id) => {
    const store = new Map([[`t/${id}`, new Uint8Array(1)]]);
    const rows = new MilvusRows({ store: named(store), meta: named(new Map()) });

    await expect(rows.ends("t")).rejects.toMatchObject({ code: "corrupt", message: expect.stringContaining(`"t/${id}"`) as string });
  });

  it("whose keys are no message's are counted, and what is behind them is seen", async () => {
    const keys = ["", "\0", "/1", "a", "t", "t/1", "t/u/2", "tt", "tt/3", "zz"];
    const store = new Map(keys.map((key) => [key, new Uint8Array(1)]));
    const rows = new MilvusRows({ store: named(store), meta: named(new Map()) });

    expect(await rows.strangers(["t"])).toEqual({ topics: ["", "tt"], keys: 6, firstKey: "" });
  });
});
