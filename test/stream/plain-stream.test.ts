/**
 * Plain streams, over both back-ends. Scenarios are those of Milvus's own tests, by their numbers in section 8 of the reference.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { int64MessageId, type MsgPack, positionFromBytes, positionToBytes, tsMsg, type TsMsg } from "../../src/message/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import {
  memoryMsgStreamFactory,
  type MsgStream,
  type MsgStreamFactory,
  rocksMqMsgStreamFactory,
  type StreamOptions,
} from "../../src/stream/index.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { at, Logs, nothingComes, parseMsg, positionOf, show, take, takeMessages } from "./logs.js";

interface Opened {
  readonly factory: MsgStreamFactory;
  close(): Promise<void>;
}

async function memory(options: StreamOptions): Promise<Opened> {
  const factory = memoryMsgStreamFactory(options);
  return { factory, close: () => factory.close() };
}

async function rocksMq(options: StreamOptions): Promise<Opened> {
  const mq = await openRocksMq({ dir: "/d", vfs: new MemoryVfs(1) });
  const factory = rocksMqMsgStreamFactory(mq, options);
  return {
    factory,
    close: async () => {
      await factory.close();
      await mq.close();
    },
  };
}

describe.each([
  ["memory", memory],
  ["rocksmq", rocksMq],
] as const)("a plain stream over %s", (_, open) => {
  let opened: Opened;
  let factory: MsgStreamFactory;
  let logs: Logs;

  beforeEach(async () => {
    opened = await open({ packMessages: 1 });
    factory = opened.factory;
    logs = new Logs(factory);
  });
  afterEach(() => opened.close());

  const producer = async (...channels: string[]): Promise<MsgStream> => {
    const stream = await factory.newMsgStream();
    await stream.asProducer(channels);
    return stream;
  };
  const consumer = async (channels: readonly string[], sub = "s", position?: "earliest" | "latest" | "unknown"): Promise<MsgStream> => {
    const stream = await factory.newMsgStream();
    await stream.asConsumer(channels, sub, position);
    return stream;
  };
  const insert = (id: bigint, ...keys: number[]): TsMsg =>
    tsMsg({
      type: "insert",
      timestamp: at(5),
      id,
      hashKeys: keys,
      body: { rowIDs: keys.map(BigInt), numRows: BigInt(keys.length), version: 1 },
    });

  it("scenario 32: refuses what it can't do, in a typed way, and stays as it was", async () => {
    const stream = await factory.newMsgStream();
    const msgs = [parseMsg("a@1")];

    await expect(stream.produce({ msgs })).rejects.toMatchObject({ code: "not-initialized" });
    await expect(stream.asProducer([""])).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "channels[0]" } });
    await expect(stream.produce({ msgs })).rejects.toMatchObject({ code: "not-initialized" });
    await stream.asProducer(["c1"]);
    await expect(stream.broadcast({ msgs: [] })).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await stream.produce({ msgs: [] })).toEqual(new Map());
    await stream.asConsumer(["c1"], "s");
    await stream.asConsumer(["c1"], "s");
    const position = { channelName: "c2", msgId: undefined, msgGroup: "", timestamp: at(0) };
    await expect(stream.seek(position)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(stream.latestMessageId("c2")).rejects.toMatchObject({ code: "invalid-argument" });
    const giveUp = new AbortController();
    const waiting = stream.consume({ signal: giveUp.signal });
    giveUp.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("scenario 33: spreads inserts, deletes and ticks over two channels, and broadcasts to both", async () => {
    const stream = await producer("c1", "c2");
    const consumed = await consumer(["c1", "c2"]);
    const remove = tsMsg({
      type: "delete",
      timestamp: at(6),
      id: 9n,
      hashKeys: [1],
      body: { numRows: 1n, primaryKeys: { idField: { case: "intId", value: { data: [4n] } } } },
    });

    const ids = await stream.produce({ msgs: [insert(1n, 1), insert(3n, 2)] });
    await stream.produce({ msgs: [remove] });
    const ticks = await stream.broadcast({ msgs: [parseMsg("T7"), parseMsg("T8")] });

    expect([...ids].map(([channel, written]) => [channel, written.length])).toEqual([
      ["c2", 1],
      ["c1", 1],
    ]);
    expect([...ticks].map(([channel, written]) => [channel, written.length])).toEqual([
      ["c1", 2],
      ["c2", 2],
    ]);
    const types = (await packs(consumed, 7)).flatMap(({ msgs }) => msgs.map(({ type }) => type));
    expect(types.sort()).toEqual(["delete", "insert", "insert", "timeTick", "timeTick", "timeTick", "timeTick"]);
  });

  it("scenario 34 is left out: a stream has no switch for producing, and whoever has one writes (docs/seed-map.md)", async () => {
    const stream = await producer("c1");

    expect(() => factory.setParams({ enableProduce: false } as StreamOptions)).toThrow(
      expect.objectContaining({ details: { argument: "enableProduce" } }),
    );
    expect((await stream.produce({ msgs: [parseMsg("a@1")] })).get("c1")).toHaveLength(1);
  });

  it("scenario 35: an insert of two rows is two messages, a delete one, and a mixed pack goes by its first message", async () => {
    const stream = await producer("c1", "c2");
    const consumed = await consumer(["c1", "c2"]);

    await stream.produce({ msgs: [insert(1n, 1, 3)] });
    expect((await packs(consumed, 2)).flatMap(({ msgs }) => msgs.map(({ id }) => id)).filter((id) => id === 1n || id === 0n)).toEqual([]);
    await stream.produce({ msgs: [{ ...parseMsg("T4"), hashKeys: [0] }, insert(2n, 1), insert(3n, 2)] });

    expect((await packs(consumed, 3)).flatMap(({ msgs }) => msgs.map(({ type }) => type)).sort()).toEqual(["insert", "insert", "timeTick"]);
    await expect(stream.produce({ msgs: [insert(4n, 1), parseMsg("a@3")] })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "msgs[1]" },
    });
    await expect(stream.produce({ msgs: [{ ...insert(4n, 1, 2), hashKeys: [1] }] })).rejects.toMatchObject({
      details: { argument: "msgs[0].hashKeys" },
    });
    expect(await nothingComes(consumed)).toBe(true);
  });

  it("scenario 36, case 2: a seek is exclusive, inclusive when asked, and survives its bytes", async () => {
    await logs.write("c1", "m0@0 m1@1 m2@2 m3@3 m4@4 m5@5 m6@6 m7@7 m8@8 m9@9");
    const sixth = (await packs(await consumer(["c1"], "first"), 6)).at(-1);
    const position = positionFromBytes(positionToBytes(positionOf(sixth, "c1")), positionOf(sixth, "c1").msgId?.backend);
    const stream = await consumer(["c1"], "other", "unknown");
    const last = await stream.latestMessageId("c1");

    await stream.seek(position);
    const rest = await packs(stream, 4);
    expect(rest.map(show)).toEqual(["(6,6] m6", "(7,7] m7", "(8,8] m8", "(9,9] m9"]);
    expect(positionOf(rest.at(-1), "c1").msgId?.equals(last ?? int64MessageId("kafka", 0n))).toBe(true);
    await stream.seek(position, { inclusive: true });
    expect(await takeMessages(stream, 2)).toEqual(["m5", "m6"]);
  });

  it("scenario 39, case 3: latest means only what comes later", async () => {
    await logs.write("c1", "m0@0 m1@1 m2@2");
    const stream = await consumer(["c1"], "s", "latest");

    await logs.write("c1", "m3@3 m4@4");

    expect(await takeMessages(stream, 2)).toEqual(["m3", "m4"]);
  });

  it("scenario 40: a message that can't be encoded writes nothing", async () => {
    const stream = await producer("c1", "c2");
    const broken = { ...parseMsg("a@1"), body: { ...parseMsg("a@1").body, payload: 7 } } as unknown as TsMsg;

    await expect(stream.broadcast({ msgs: [parseMsg("b@1"), broken] })).rejects.toMatchObject({ code: "invalid-argument" });

    expect(await stream.latestMessageId("c1")).toBeUndefined();
  });

  it("scenario 41: a consumer whose time was over before it began is refused, without harm", async () => {
    for (const stream of [await factory.newMsgStream(), await factory.newTtMsgStream()]) {
      await stream.asConsumer(["c1"], "s", "latest");

      await expect(stream.consume({ signal: AbortSignal.abort(new Error("over")) })).rejects.toThrow("over");
      await logs.write("c1", "a@1 T2");
      expect(await takeMessages(stream, 1)).toEqual(["a"]);
    }
  });

  it("scenario 42: latest on a channel with a hundred ticks gives the next one first", async () => {
    await logs.write("c1", Array.from({ length: 100 }, (_, tick) => `T${tick}`).join(" "));
    await logs.write("c2", "T999");
    const stream = await consumer(["c1", "c2"], "s", "latest");

    await logs.write("c1", "T1000");

    expect(await takeMessages(stream, 1)).toEqual(["T1000"]);
  });

  it("scenario 57: hash keys choose the channel, and a broadcast reaches all", async () => {
    const stream = await producer("c0", "c1", "c2", "c3");
    const consumers = await Promise.all(["c0", "c1", "c2", "c3"].map((channel) => consumer([channel])));

    await stream.produce({ msgs: [{ ...parseMsg("third@1"), hashKeys: [2] }] });
    await stream.broadcast({ msgs: [parseMsg("all@2")] });

    expect(await Promise.all(consumers.map((one, index) => takeMessages(one, index === 2 ? 2 : 1)))).toEqual([
      ["all"],
      ["all"],
      ["third", "all"],
      ["all"],
    ]);
  });

  it("case 1: nothing from before the sought position leaks out, also when it is subscribed, started and sought at once", async () => {
    await logs.write("c1", "m0@0 m1@1 m2@2 m3@3");
    const third = (await packs(await consumer(["c1"], "first"), 3)).at(-1);
    const stream = await consumer(["c1"], "s");
    stream.start();

    await stream.seek(positionOf(third, "c1"));

    expect(await takeMessages(stream, 1)).toEqual(["m3"]);
  });

  it("case 2: a seek to a tick takes what is after it, from the earliest or from a message on", async () => {
    await logs.write("c1", "a@3 T10 b@12 c@18 T20 d@15 T30");
    const ids = (await packs(await consumer(["c1"], "first"), 3)).map((pack) => positionOf(pack, "c1").msgId);
    const stream = await factory.newTtMsgStream();
    await stream.asConsumer(["c1"], "s", "unknown");

    await stream.seek({ channelName: "c1", msgId: undefined, msgGroup: "", timestamp: at(15) });
    expect(await take(stream, 2)).toEqual(["(15,20] c", "(20,30] d!"]);
    await stream.seek({ channelName: "c1", msgId: ids[2], msgGroup: "", timestamp: at(5) });
    expect(await take(stream, 1)).toEqual(["(5,20] b c"]);
  });

  it("case 13: a burst beyond every buffer arrives whole, with no further traffic", async () => {
    factory.setParams({ bufferPacks: 16 });
    const stream = await consumer(["c1"]);
    const names = Array.from({ length: 20 }, (_, at) => `m${at}`);
    await logs.write("c1", names.map((name) => `${name}@1`).join(" "));

    expect(await takeMessages(stream, 20)).toEqual(names);
  });

  it("case 14: more than 1,024 messages between two ticks flow", async () => {
    const stream = await factory.newTtMsgStream();
    await stream.asConsumer(["c1"], "s");
    await logs.write("c1", `${Array.from({ length: 1_500 }, (_, at) => `m${at}@5`).join(" ")} T10`);

    expect((await stream.consume())?.msgs).toHaveLength(1_500);
  });

  it("case 15: closing during a read ends it, and gives no pack", async () => {
    const stream = await consumer(["c1"]);
    const waiting = stream.consume();
    const ticking = await factory.newTtMsgStream();
    await ticking.asConsumer(["c1"], "t");
    const aligned = ticking.consume();

    await Promise.all([stream.close(), stream.close(), ticking.close()]);

    expect(await waiting).toBeUndefined();
    expect(await aligned).toBeUndefined();
    await expect(stream.asConsumer(["c1"], "s")).rejects.toMatchObject({ code: "closed" });
  });

  it("ends loops over its events when it is closed, also those that begin later", async () => {
    const stream = await consumer(["c1"]);
    const parked = stream.events()[Symbol.asyncIterator]().next();

    await stream.close();

    expect(await parked).toEqual({ done: true, value: undefined });
    expect(await stream.events()[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  });

  it("resumes behind the last handled pack of the subscription, and begins at the earliest for another", async () => {
    await logs.write("c1", "m0@0 m1@1 m2@2 m3@3");
    const first = await consumer(["c1"]);
    await packs(first, 3);
    await first.close();

    expect(await takeMessages(await consumer(["c1"]), 2)).toEqual(["m2", "m3"]);
    expect(await takeMessages(await consumer(["c1"], "other"), 1)).toEqual(["m0"]);
  });

  it("packs what is there already, up to packMessages of one channel, and spans it", async () => {
    factory.setParams({ packMessages: 3 });
    await logs.write("c1", "m0@7 m1@1 m2@2 m3@3");
    const stream = await consumer(["c1"]);

    expect(await take(stream, 2)).toEqual(["(1,7] m0 m1 m2", "(3,3] m3"]);
  });

  it("takes each channel on once, though it is told to several times at once", async () => {
    const stream = await factory.newMsgStream();

    await Promise.all([stream.asProducer(["c1", "c2"]), stream.asProducer(["c1"]), stream.asProducer(["c2", "c3"])]);
    const written = await stream.broadcast({ msgs: [parseMsg("a@1")] });
    let buckets: readonly (readonly number[])[] = [];
    stream.setRepackFunc((_, spread) => {
      buckets = spread;
      return new Map();
    });
    await stream.produce({ msgs: [tsMsg({ type: "user", timestamp: at(1), hashKeys: [0, 1, 2, 3] })] });

    expect([...written.keys()]).toEqual(["c1", "c2", "c3"]);
    expect(buckets).toEqual([[0, 1, 2, 0]]);
    expect(await takeMessages(await consumer(["c1"]), 1)).toEqual(["a"]);
    expect(await stream.latestMessageId("c1")).toEqual(written.get("c1")?.[0]);
  });

  it("closes also the channels that it is just taking on", async () => {
    const stream = await factory.newMsgStream();
    const taking = stream.asProducer(["c1"]);

    await stream.close();

    await expect(taking).rejects.toMatchObject({ code: "closed" });
  });

  it("lets one at a time have its packs", async () => {
    const stream = await consumer(["c1"]);
    const waiting = stream.consume();

    await expect(stream.consume()).rejects.toMatchObject({ code: "conflict" });
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "conflict" }));
    await logs.write("c1", "a@1 b@2");
    expect(show(await waiting)).toBe("(1,1] a");
    for await (const pack of stream) {
      expect(show(pack)).toBe("(2,2] b");
      break;
    }
    await logs.write("c1", "c@3");
    expect(await takeMessages(stream, 1)).toEqual(["c"]);
  });

  it("spreads by a repack function of the caller's, and refuses a bucket that is none", async () => {
    const stream = await producer("c1", "c2");
    stream.setRepackFunc((msgs, buckets) => new Map([[buckets[0]?.[0] === 0 ? 1 : 0, { msgs: [...msgs] }]]));

    expect([...(await stream.produce({ msgs: [parseMsg("a@1")] })).keys()]).toEqual(["c2"]);
    stream.setRepackFunc((msgs) => new Map([[2, { msgs: [...msgs] }]]));
    await expect(stream.produce({ msgs: [parseMsg("a@1")] })).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("hands properties through as they were", async () => {
    const stream = await producer("c1");
    const properties = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "": "💡", constructor: "x" };
    await stream.produce({ msgs: [tsMsg({ type: "user", timestamp: at(1), hashKeys: [0], properties })] });

    expect({ ...(await (await consumer(["c1"])).consume())?.msgs[0]?.properties }).toEqual(properties);
  });

  it("waits for a position that is not there yet for as long as it is told, and stays where it was", async () => {
    await logs.write("c1", "a@1 b@2");
    const stream = await consumer(["c1"]);
    const first = await stream.consume();
    const last = (await stream.latestMessageId("c1")) ?? int64MessageId("kafka", 0n);
    const ahead = {
      ...positionOf(first, "c1"),
      msgId: int64MessageId(last.backend as "memory", BigInt(`0x${Buffer.from(last.toBytes()).reverse().toString("hex")}`) + 5n),
    };

    await expect(stream.seek(ahead)).rejects.toMatchObject({ code: "position-ahead" });
    await expect(stream.seek(ahead, { timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout" });

    expect(await takeMessages(stream, 1)).toEqual(["b"]);
  });
});

async function packs(stream: MsgStream, count: number): Promise<MsgPack[]> {
  const got: MsgPack[] = [];
  while (got.length < count) got.push((await stream.consume()) as MsgPack);
  return got;
}

it("scenario 40: a channel that fails is an error that says what the others got", async () => {
  await using mq = await openRocksMq({ dir: "/d", vfs: new MemoryVfs(1) });
  await using factory = rocksMqMsgStreamFactory(mq);
  const stream = await factory.newMsgStream();
  await stream.asProducer(["c1", "c2"]);
  await mq.destroyChannel("c2");

  const failed = stream.broadcast({ msgs: [parseMsg("a@1")] });

  await expect(failed).rejects.toMatchObject({ code: "channel-not-found", effect: "unknown" });
  const id = await stream.latestMessageId("c1");
  await expect(failed).rejects.toMatchObject({ details: { written: new Map([["c1", [id]]]) } });
});
