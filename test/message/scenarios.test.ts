/**
 * The scenarios of Milvus's own test suites that are about messages, in our terms. Numbers are those of spec/message-stream.md 8 and spec/streaming-wal.md 9.4.
 */
import { describe, expect, it } from "vitest";
import {
  assembleTxn,
  deleteFault,
  insertFault,
  insertRows,
  type MsgBody,
  decodeMessage,
  deliverFilter,
  draftMessage,
  encodeMessage,
  hashToBuckets,
  int64MessageId,
  isTidemarkError,
  marshal,
  message,
  messageIdFromString,
  passesFilters,
  type PlainMessage,
  protoUnmarshal,
  stampMessage,
  timeTick,
  timeTickFrom,
  tsMsg,
  unmarshalRecord,
  wireSize,
} from "../../src/message/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { MemoryVfs } from "../../src/testing/index.js";

const dispatcher = protoUnmarshal.newUnmarshalDispatcher();
const place = int64MessageId("memory", 5n);
const stamp = { timeTick: timeTick(9), lastConfirmedMessageId: undefined };
const codeOf = (call: () => unknown): string | undefined => {
  try {
    call();
    return undefined;
  } catch (error) {
    return isTidemarkError(error) ? error.code : String(error);
  }
};

describe("the message stream", () => {
  it("scenario 29: a tick with the property trace=a arrives with exactly that property, and its payload is still that tick", async () => {
    const mq = await openRocksMq({ dir: "/mq", vfs: new MemoryVfs(1) });
    await mq.createChannel("c");
    const ticks = ["a", "b"].map((trace) => tsMsg({ type: "timeTick", timestamp: timeTickFrom(100n), properties: { trace } }));
    await mq.produce("c", ticks.map(marshal));

    const received = [];
    for await (const records of mq.read("c", { from: "earliest" }))
      received.push(...records.map((record) => unmarshalRecord(record, dispatcher)));
    await mq.close();

    expect(received.map(({ type, endTs, properties }) => ({ type, endTs, properties }))).toEqual([
      { type: "timeTick", endTs: 100n, properties: { trace: "a" } },
      { type: "timeTick", endTs: 100n, properties: { trace: "b" } },
    ]);
  });

  it("scenario 32: no keys go to no channels, and no channels are refused", () => {
    expect(hashToBuckets([], 3)).toEqual([]);
    expect(codeOf(() => hashToBuckets([1n], 0))).toBe("invalid-argument");
  });

  it("scenario 49: a message keeps its id, type and source; rows [2, 1, 3] begin at 1 and end at 3; what is no bytes is refused", () => {
    const body = { rowIDs: [1n, 2n, 3n], timestamps: [2n, 1n, 3n], numRows: 3n, version: 1 as const };
    const draft = tsMsg({ type: "insert", timestamp: timeTickFrom(2n), id: 7n, sourceId: 9n, body });

    const read = unmarshalRecord(marshal(draft), dispatcher);
    const byItsBase = unmarshalRecord({ properties: {}, payload: marshal(draft).payload }, dispatcher);

    expect(read).toMatchObject({ type: "insert", id: 7n, sourceId: 9n, beginTs: 1n, endTs: 3n });
    expect(byItsBase.type).toBe("insert");
    expect(codeOf(() => dispatcher.unmarshal(draft, "insert"))).toBe("invalid-argument");
  });

  it("scenario 49: rows are counted by what the insert is made of, and the first one keeps its timestamp and row id", () => {
    const rows = { rowIDs: [11n, 12n], timestamps: [10n, 20n] };
    const byColumns = tsMsg({ type: "insert", timestamp: timeTickFrom(1n), hashKeys: [1, 2], body: { ...rows, numRows: 2n, version: 1 } });
    const byRows = tsMsg({ type: "insert", timestamp: timeTickFrom(1n), hashKeys: [1, 2], body: { ...rows, rowData: [{}, {}] } });

    expect([insertFault(byColumns.body), insertFault(byRows.body)]).toEqual([undefined, undefined]);
    expect(insertFault(tsMsg({ type: "insert", timestamp: timeTickFrom(1n), body: { ...rows, numRows: 2n } }).body)).toBe(
      "2 row ids for 0 rows",
    );
    const [first] = insertRows(byColumns, () => 5n);
    expect(first).toMatchObject({ beginTs: 10n, endTs: 10n, body: { rowIDs: [11n], timestamps: [10n] } });
  });

  it.each([
    ["one timestamp", { timestamps: [1n] }, undefined],
    ["no timestamp", { timestamps: [] }, "0 timestamps for one expression"],
    ["two timestamps", { timestamps: [1n, 2n] }, "2 timestamps for one expression"],
    ["a row", { timestamps: [1n], numRows: 1n }, "1 rows and 0 primary keys beside an expression"],
    [
      "a key",
      { timestamps: [1n], primaryKeys: { idField: { case: "intId" as const, value: { data: [7n] } } } },
      "0 rows and 1 primary keys beside an expression",
    ],
  ])("scenario 49: a delete by an expression has one timestamp, no rows and no keys: %s", (_, fields, fault) => {
    const serializedExprPlan = new Uint8Array([1]);
    // A draft gets its one timestamp by itself.
    expect(deleteFault(tsMsg({ type: "delete", timestamp: timeTickFrom(1n), body: { serializedExprPlan } }).body)).toBeUndefined();

    const { payload } = marshal(tsMsg({ type: "delete", timestamp: timeTickFrom(1n), body: { ...fields, serializedExprPlan } }));
    const read = unmarshalRecord({ properties: {}, payload }, dispatcher);

    if (fields.timestamps.length > 0) expect(read.type === "delete" && deleteFault(read.body)).toBe(fault);
    else expect(deleteFault({ ...(read.body as MsgBody<"delete">), timestamps: [] })).toBe(fault);
  });
});

describe("the streaming log", () => {
  it("scenario 32: a builder refuses a message without a vchannel, and one with a body of another type", () => {
    expect(codeOf(() => message.insert({ vchannel: "" }))).toBe("invalid-argument");
    expect(codeOf(() => void Reflect.apply(message.insert, undefined, [{}]))).toBe("invalid-argument");
    expect(codeOf(() => void Reflect.apply(message.user, undefined, [{ vchannel: "v" }]))).toBe("invalid-argument");
    expect(
      codeOf(() => void Reflect.apply(message.insert, undefined, [{ vchannel: "v", body: message.delete({ vchannel: "v" }).body }])),
    ).toBe("invalid-argument");
  });

  it("scenario 33: a message round-trips with its type, and a bad header is an error when it is asked for", () => {
    const wire = stampMessage(message.dropCollection({ vchannel: "v", header: { collectionId: 3n } }), stamp);

    const m = decodeMessage(wire, place);
    const bad = decodeMessage({ ...wire, properties: { ...wire.properties, _h: "%%" } }, place);

    expect(m.type === "dropCollection" && m.header.collectionId).toBe(3n);
    expect(codeOf(() => bad.header)).toBe("corrupt");
  });

  it("scenario 34: ids order by number, -1 and -2 round-trip, and bad texts are refused", () => {
    for (const text of ["-1", "-2"]) expect(messageIdFromString("kafka", text).toString()).toBe(text);
    expect(messageIdFromString("kafka", "-2").compare(messageIdFromString("kafka", "-1"))).toBe(-1);
    for (const backend of ["rocksmq", "kafka", "pulsar", "woodpecker", "memory"] as const)
      expect(codeOf(() => messageIdFromString(backend, "%%"))).toBe("invalid-argument");
  });

  it("scenario 35: a template of a type may be given again, and the last one wins", () => {
    const own = protoUnmarshal.newUnmarshalDispatcher();
    const [first, second] = [1n, 2n].map((tick) => tsMsg({ type: "timeTick", timestamp: timeTickFrom(tick) }));
    for (const msg of [first, second]) if (msg !== undefined) own.addMsgTemplate("timeTick", () => msg);

    expect(own.unmarshal(new Uint8Array(0), "timeTick")).toBe(second);
  });

  it("scenario 36: base 36 and base64 of protobuf round-trip in the properties, and bad ones are corrupt", () => {
    const txn = { txnId: 1n, keepaliveMs: 10_000 };
    const { properties, payload } = stampMessage(message.user({ vchannel: "v", payload: new Uint8Array(1) }), {
      ...stamp,
      timeTick: timeTickFrom(1234n),
      txn,
    });

    expect(properties).toMatchObject({ _tt: "ya", _tx: "CAEQkE4=" });
    expect(decodeMessage({ properties, payload }, place)).toMatchObject({ timeTick: 1234n, txn });
    expect(codeOf(() => decodeMessage({ properties: { ...properties, _tt: "y_a" }, payload }, place))).toBe("corrupt");
    expect(codeOf(() => decodeMessage({ properties: { ...properties, _tx: "CAEQkE4" }, payload }, place))).toBe("corrupt");
  });

  it("scenario 37: the bodies of a transaction have the commit's tick, in their order, and its size is the sum of theirs", () => {
    const txn = { txnId: 1n, keepaliveMs: 1_000 };
    const read = (type: "beginTxn" | "commitTxn" | "insert" | "delete", tick: bigint) =>
      decodeMessage(
        stampMessage(draftMessage(type, { vchannel: "v" }), { timeTick: timeTickFrom(tick), lastConfirmedMessageId: place, txn }),
        int64MessageId("memory", tick),
      );
    const bodies = [read("insert", 2n), read("delete", 3n)];

    const whole = assembleTxn(read("beginTxn", 1n) as PlainMessage<"beginTxn">, bodies, read("commitTxn", 4n) as PlainMessage<"commitTxn">);

    expect(whole.messages.map(({ type, timeTick: tick }) => [type, tick])).toEqual([
      ["insert", 4n],
      ["delete", 4n],
    ]);
    const sizes = (messages: typeof bodies): number => messages.map((m) => wireSize(encodeMessage(m))).reduce((sum, size) => sum + size, 0);
    expect(sizes([...whole.messages])).toBe(sizes(bodies));
    // Those that were put in are as they were.
    expect(bodies.map(({ timeTick: tick }) => tick)).toEqual([2n, 3n]);
  });

  it("scenario 38: filters of ticks look at plain messages and commits only, and no filter names a system type", () => {
    const at = (type: "beginTxn" | "insert" | "commitTxn", inTxn: boolean) =>
      decodeMessage(
        stampMessage(draftMessage(type, { vchannel: "v" }), { ...stamp, ...(inTxn ? { txn: { txnId: 1n, keepaliveMs: 1 } } : {}) }),
        place,
      );
    const [later, sameOrLater] = [[deliverFilter.timeTickGT(timeTick(9))], [deliverFilter.timeTickGTE(timeTick(9))]];

    expect([at("insert", false), at("commitTxn", true)].map((m) => passesFilters(later, m))).toEqual([false, false]);
    expect([at("insert", false), at("commitTxn", true)].map((m) => passesFilters(sameOrLater, m))).toEqual([true, true]);
    expect([at("beginTxn", true), at("insert", true)].map((m) => passesFilters(later, m))).toEqual([true, true]);
    expect(codeOf(() => deliverFilter.messageType("timeTick"))).toBe("invalid-argument");
  });

  it("scenario 39: a version is a number; a later one is kept, and none that does not read passes", () => {
    const { properties, payload } = stampMessage(message.user({ vchannel: "v", payload: new Uint8Array(1) }), stamp);

    expect(decodeMessage({ properties: { ...properties, _v: "3" }, payload }, place).version).toBe(3);
    expect(codeOf(() => decodeMessage({ properties: { ...properties, _v: "one" }, payload }, place))).toBe("corrupt");
  });
});
