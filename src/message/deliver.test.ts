import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import { hex, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { decodeMessage } from "./decode-message.js";
import { type DeliverFilter, deliverFilter, deliverPolicy, filterMessage, passesFilters } from "./deliver.js";
import { deliverFilterFromBytes, deliverFilterToBytes, deliverPolicyFromBytes, deliverPolicyToBytes } from "./deliver-bytes.js";
import { int64MessageId } from "./int64-message-id.js";
import { type MessageType, messageTypeNumber, messageTypeOf } from "./message-type.js";
import type { AnyPlainMessage, PlainMessage, TxnMessage } from "./stored-message.js";
import { timeTickFrom } from "../base/time-tick.js";
import { assembleTxn } from "./txn-message.js";

interface FilterCase extends VectorCase<{
  readonly passes: readonly string[];
  readonly drops: readonly string[];
  readonly filters: readonly {
    readonly time_tick_gt?: { readonly time_tick: string };
    readonly time_tick_gte?: { readonly time_tick: string };
    readonly message_type?: { readonly message_types?: readonly (string | number)[] };
  }[];
}> {
  readonly filterBytes?: readonly string[];
}

interface PolicyCase extends VectorCase<{ readonly json: Readonly<Record<string, { readonly WAL_name?: string; readonly id?: string }>> }> {
  readonly bytes: string;
}

/** The vectors' words: `Insert@10`; `txn:` before it, of a message in a transaction. */
function record(word: string): AnyPlainMessage {
  const [, txn, name = "", tick = ""] = /^(txn:)?(\w+)@(\d+)$/.exec(word) ?? [];
  return record_(typeNamed(name), BigInt(tick), txn !== undefined);
}

function record_(type: MessageType, tick: bigint, inTxn: boolean): AnyPlainMessage {
  const number = type === "unknown" ? 0 : messageTypeNumber[type];
  const properties = { _v: "1", _t: number.toString(), _tt: tick.toString(36), _lcs: "", _h: "", ...(inTxn ? { _tx: "CAEQkE4=" } : {}) };
  return decodeMessage({ properties, payload: new Uint8Array(0) }, int64MessageId("memory", tick & 0xffffn));
}

function typeNamed(name: string | number): MessageType {
  if (typeof name === "number") return messageTypeOf(name);
  return (name.slice(0, 1).toLowerCase() + name.slice(1)) as MessageType;
}

function filtersOf({ meaning }: FilterCase): DeliverFilter[] {
  return meaning.filters.map((filter) => {
    if (filter.time_tick_gt !== undefined) return deliverFilter.timeTickGT(timeTickFrom(BigInt(filter.time_tick_gt.time_tick)));
    if (filter.time_tick_gte !== undefined) return deliverFilter.timeTickGTE(timeTickFrom(BigInt(filter.time_tick_gte.time_tick)));
    return deliverFilter.messageType(...(filter.message_type?.message_types ?? []).map(typeNamed));
  });
}

const cases = vectorCases<FilterCase>("deliver-filters");
const policies = vectorCases<PolicyCase>("deliver-filters").filter(({ name }) => name.startsWith("policy/"));
const unknownTypes = /5000|unknown/i;

describe("deliver filters", () => {
  it.each(cases.filter(({ filterBytes }) => filterBytes !== undefined))("let pass what Milvus's do: $name", (vector) => {
    const filters = filtersOf(vector);
    // A number that no version knows can't be told from another here.
    const known = (word: string): boolean =>
      !(unknownTypes.test(word) && filters.some((filter) => filter.kind === "messageType" && filter.types.includes("unknown")));

    expect(vector.meaning.passes.filter(known).filter((word) => !passesFilters(filters, record(word)))).toEqual([]);
    expect(vector.meaning.drops.filter(known).filter((word) => passesFilters(filters, record(word)))).toEqual([]);
  });

  it.each(cases.filter(({ filterBytes }) => filterBytes !== undefined))("are Milvus's bytes both ways: $name", (vector) => {
    const filters = filtersOf(vector);
    const bytes = vector.filterBytes?.map(unhex) ?? [];

    expect(bytes.map(deliverFilterFromBytes)).toEqual(filters);
    expect(bytes.map(deliverFilterFromBytes).map(deliverFilterToBytes).map(hex)).toEqual(vector.filterBytes);
    // Of a filter that was made, "unknown" has no number.
    const known = (filter: DeliverFilter): boolean => filter.kind !== "messageType" || !filter.types.includes("unknown");
    if (filters.every(known)) expect(filters.map(deliverFilterToBytes).map(hex)).toEqual(vector.filterBytes);
  });

  it.each(cases.filter(({ name }) => name.startsWith("filter-on-system-type/")))("are corrupt where Milvus panics: $name", ({ name }) => {
    const type = typeNamed(name.slice("filter-on-system-type/".length)) as "timeTick" | "beginTxn" | "commitTxn" | "rollbackTxn";
    const numbers = new Uint8Array(new BinaryWriter().tag(1, 0).int32(messageTypeNumber[type]).finish());
    const bytes = new BinaryWriter().tag(3, 2).bytes(numbers).finish();

    expect(() => deliverFilterFromBytes(bytes)).toThrow(expect.objectContaining({ code: "corrupt" }));
    expect(() => deliverFilter.messageType(type)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  it.each(cases.filter(({ name }) => name === "filter-of-no-kind"))("are corrupt where Milvus panics: $name", () => {
    expect(() => deliverFilterFromBytes(new Uint8Array(0))).toThrow(expect.objectContaining({ code: "corrupt" }));
  });

  it("name no system type, and are of a kind", () => {
    for (const type of ["timeTick", "beginTxn", "commitTxn", "rollbackTxn"] as const)
      expect(() => deliverFilter.messageType("insert", type)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => void Reflect.apply(deliverFilter.messageType, undefined, ["nonsense"])).toThrow("names of message types");
    expect(() => void Reflect.apply(deliverFilter.timeTickGT, undefined, [5])).toThrow("filter.timeTick must be a bigint");
  });

  it("take a transaction whole by its commit, then its bodies by their types", () => {
    const [begin, commit] = [record_("beginTxn", 5n, true), record_("commitTxn", 9n, true)];
    const bodies = [record_("insert", 6n, true), record_("delete", 7n, true)];
    const txn = assembleTxn(begin as PlainMessage<"beginTxn">, bodies, commit as PlainMessage<"commitTxn">);
    const types = (message: ReturnType<typeof filterMessage>): MessageType[] | undefined =>
      (message as TxnMessage | undefined)?.messages.map(({ type }) => type);

    expect(types(filterMessage([], txn))).toEqual(["insert", "delete"]);
    expect(types(filterMessage([deliverFilter.timeTickGT(timeTickFrom(8n))], txn))).toEqual(["insert", "delete"]);
    expect(filterMessage([deliverFilter.timeTickGT(timeTickFrom(9n))], txn)).toBeUndefined();
    expect(types(filterMessage([deliverFilter.messageType("delete")], txn))).toEqual(["delete"]);
    expect(filterMessage([deliverFilter.messageType("flush")], txn)).toBeUndefined();
  });
});

describe("deliver policies", () => {
  it.each(policies)("are Milvus's bytes both ways: $name", ({ name, bytes, meaning }) => {
    const policy = deliverPolicyFromBytes(unhex(bytes));

    const [[kind, id] = []] = Object.entries(meaning.json);
    expect(policy.kind, name).toBe(kind?.replace(/_(.)/, (_, letter: string) => letter.toUpperCase()));
    if ("id" in policy) expect([policy.id.backend, policy.id.toString()]).toEqual([id?.WAL_name?.toLowerCase(), id?.id ?? ""]);
    expect(hex(deliverPolicyToBytes(policy))).toBe(bytes);
  });

  it("of a log that nobody knows, or of no kind, are corrupt; a time has no form there", () => {
    const corrupt: unknown = expect.objectContaining({ code: "corrupt" });

    expect(() => deliverPolicyFromBytes(new Uint8Array(0))).toThrow(corrupt);
    expect(() => deliverPolicyFromBytes(unhex("1a060a022d321063"))).toThrow(corrupt);
    expect(() => deliverPolicyFromBytes(unhex("1a060a0225251003"))).toThrow(corrupt);
    expect(() => deliverPolicyToBytes(deliverPolicy.startFromTime(1))).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  it("are what the seed calls them", () => {
    const id = int64MessageId("memory", 3n);

    expect([
      deliverPolicy.all(),
      deliverPolicy.latest(),
      deliverPolicy.startFrom(id),
      deliverPolicy.startAfter(id),
      deliverPolicy.startFromTime(7),
    ]).toEqual([
      { kind: "all" },
      { kind: "latest" },
      { kind: "startFrom", id },
      { kind: "startAfter", id },
      { kind: "startFromTime", timeMs: 7 },
    ]);
    expect(() => deliverPolicy.startFromTime(-1)).toThrow("timeMs must be a whole number");
  });
});
