/**
 * What a live Milvus 2.3.5 stored, read and held against what its client says it sent.
 */
import { describe, expect, it } from "vitest";
import {
  columnsOf,
  int64MessageId,
  MilvusViewer,
  msgTypeNumber,
  protoUnmarshal,
  type TsMsg,
  unmarshalRecord,
} from "../../src/message/index.js";
import { unhex, vectorFile } from "./vectors.js";

interface Stored {
  readonly id?: string;
  readonly offset?: string;
  readonly hex?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly base: { readonly msgType: number; readonly msgID?: string };
}
interface Dump {
  readonly topics: Readonly<Record<string, readonly Stored[]>>;
}
type Row = Readonly<Record<string, unknown>>;
interface Operation {
  readonly op: string;
  readonly collection: string;
  readonly rows?: readonly Row[];
  readonly pks?: readonly unknown[];
}
interface Truth {
  readonly ops: readonly Operation[];
}

const dispatcher = protoUnmarshal.newUnmarshalDispatcher();
const storedIn = (dump: Dump): Stored[] => Object.values(dump.topics).flat();
const messageOf = ({ hex = "", headers = [] }: Stored): TsMsg =>
  unmarshalRecord({ properties: Object.fromEntries(headers), payload: unhex(hex) }, dispatcher);

/** A row as the client has it, made of the columns: its key, texts, numbers, JSON read. */
function rowsIn(msg: TsMsg): Row[] {
  if (msg.type !== "insert") return [];
  const columns = Object.entries(columnsOf(msg.body));
  return Array.from({ length: Number(msg.body.numRows) }, (_, at) =>
    Object.fromEntries(columns.flatMap(([name, values]) => fieldOf(name, msg, values[at]))),
  );
}

/** The dynamic column holds fields of its own, JSON is text, and ids that the client did not give are not in its record. */
function fieldOf(name: string, msg: TsMsg, value: unknown): [string, unknown][] {
  if (name === "$meta") return Object.entries(JSON.parse(String(value)) as Row);
  if (msg.type === "insert" && msg.body.collectionName === "gamma" && name === "id") return [];
  if (name === "j") return [[name, JSON.parse(String(value))]];
  return [[name, value]];
}

/** One text a row: 64-bit numbers as digits, keys in order. */
function rowText(collection: string, row: Row): string {
  const plain = (value: unknown): unknown =>
    typeof value === "bigint" ? value.toString() : typeof value === "number" ? `${value}` : value;
  const entries = Object.entries(row).map(([key, value]) => [key, Array.isArray(value) ? value.map(plain) : plain(value)]);
  return JSON.stringify([collection, ...entries.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))]);
}

describe.each([
  ["rocksmq-clean", "rocksmq-clean-truth", 474, 0],
  ["kafka", "kafka-truth", 2006, 1],
])("what Milvus 2.3.5 stored (%s)", (file, truthFile, count, hashed) => {
  const stored = storedIn(vectorFile<Dump>(`milvus-2.3.5/${file}`));
  const kept = stored.filter(({ hex }) => hex !== undefined);
  const { ops } = vectorFile<Truth>(`milvus-2.3.5/${truthFile}`);

  it("is all there, but for what is kept as its hash only", () => {
    expect(Object.keys(vectorFile<Dump>(`milvus-2.3.5/${file}`).topics)).toHaveLength(11);
    expect(stored.length).toBe(count);
    expect(stored.length - kept.length).toBe(hashed);
  });

  it("decodes, every message to the type and id that it has", () => {
    for (const record of kept) {
      const msg = messageOf(record);

      expect([msgTypeNumber[msg.type], msg.id.toString()]).toEqual([record.base.msgType, record.base.msgID ?? "0"]);
    }
  });

  it("holds every row that the client says it sent, value for value, and no other", () => {
    const found = kept
      .map(messageOf)
      .flatMap((msg) => rowsIn(msg).map((row) => rowText(msg.type === "insert" ? msg.body.collectionName : "", row)));
    const sent = ops.flatMap(({ op, collection, rows = [] }) =>
      op === "insert" || op === "upsert" ? rows.map((row) => rowText(collection, row)) : [],
    );
    // The one record that is too large to be kept has rows too.
    const missing = stored.length === kept.length ? 0 : sent.length - found.length;

    expect(found.filter((row) => !sent.includes(row))).toEqual([]);
    expect(sent.length - found.length).toBe(missing);
    if (missing === 0) expect([...found].sort()).toEqual([...sent].sort());
  });

  it("holds every key that the client deleted", () => {
    const deleted = kept
      .map(messageOf)
      .flatMap((msg) => (msg.type === "delete" ? (msg.body.primaryKeys?.idField.value?.data ?? []) : []).map(String));
    const told = ops.flatMap(({ op, pks = [], rows = [] }) =>
      (op === "delete" ? pks : op === "upsert" ? rows.map(({ id }) => id) : []).map(String),
    );

    expect(deleted.sort()).toEqual(told.sort());
  });

  it("can be shown to people", () => {
    const viewer = new MilvusViewer();
    const views = kept.map(({ hex = "" }) => viewer.view({ properties: {}, payload: unhex(hex) }, int64MessageId("rocksmq", 1n)));

    expect(views.find(({ type }) => type === "insert")).toMatchObject({ collection: "alpha", partition: "_default" });
    expect(new Set(views.map(({ type }) => type))).toContain("createCollection");
  });
});
