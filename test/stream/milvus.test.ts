/**
 * What a live Milvus 2.3.5 left in its RocksMQ, as time-tick streams: its payloads under our own ids.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { marshal, type MsgPack, protoUnmarshal, timeTickFrom, tsMsg, type TsMsg, unmarshalRecord } from "../../src/message/index.js";
import { openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { type MsgStreamFactory, rocksMqMsgStreamFactory, type MsgStream, type MsgStreamEvent } from "../../src/stream/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { unhex, vectorFile } from "../message/vectors.js";

interface Content {
  readonly topics: Readonly<Record<string, readonly Row[]>>;
}
/** Of two large inserts only the base is known: others stand in for them. */
interface Row {
  readonly hex?: string;
  readonly base?: { readonly msgID: string; readonly timestamp: string };
}

const { topics } = vectorFile<Content>("milvus-2.3.5/rocksmq-clean");
const dml = (shard: number): string => `by-dev-rootcoord-dml_${shard}`;
const dispatcher = protoUnmarshal.newUnmarshalDispatcher();
const payloadsOf = (topic: string): Uint8Array[] => (topics[topic] ?? []).map(payloadOf);
const messagesOf = (topic: string): TsMsg[] => payloadsOf(topic).map((payload) => unmarshalRecord({ properties: {}, payload }, dispatcher));
const isTick = ({ type }: TsMsg): boolean => type === "timeTick";
const lastTick = (topic: string): bigint =>
  messagesOf(topic)
    .filter(isTick)
    .reduce((last, { endTs }) => (endTs > last ? endTs : last), 0n);
const named = (topic: string, { type, id, endTs }: TsMsg): string => `${topic} ${type} ${id} ${endTs}`;

function payloadOf({ hex, base }: Row): Uint8Array {
  if (hex !== undefined) return unhex(hex);
  const timestamp = timeTickFrom(BigInt(base?.timestamp ?? "0"));
  return marshal(tsMsg({ type: "insert", id: BigInt(base?.msgID ?? "0"), timestamp, body: { rowIDs: [1n], numRows: 1n, version: 1 } }))
    .payload;
}

let mq: RocksMq;
let factory: MsgStreamFactory;
const clock = new ManualClock();

beforeEach(async () => {
  mq = await openRocksMq({ dir: "/milvus", vfs: new MemoryVfs(1), clock });
  const names = [...Array.from({ length: 16 }, (_, shard) => dml(shard)), "by-dev-replicate-msg"];
  for (const name of names) {
    await mq.createChannel(name);
    await mq.produce(
      name,
      payloadsOf(name).map((payload) => ({ payload })),
    );
  }
  factory = rocksMqMsgStreamFactory(mq, { clock });
});
afterEach(async () => {
  await factory.close();
  await mq.close();
});

async function streamOf(channels: readonly string[], idleMs?: number): Promise<MsgStream> {
  const stream = await factory.newTtMsgStream({ idleMs });
  await stream.asConsumer(channels, "audit");
  return stream;
}

/** Packs up to the one that ends at `endTs`. */
async function packsUpTo(stream: MsgStream, endTs: bigint): Promise<MsgPack[]> {
  const packs: MsgPack[] = [];
  for await (const pack of stream) {
    packs.push(pack);
    if (pack.endTs >= endTs) break;
  }
  return packs;
}

describe("the shards of each collection of a Milvus", () => {
  it.each([
    ["alpha", [0, 1]],
    ["beta", [2]],
    ["gamma", [3, 4, 5]],
    ["empty", [6, 7]],
    ["zeta", [8]],
    ["pkeyed", [9]],
  ])("%s: every message up to the last common tick comes exactly once, in its span", async (_, shards) => {
    const channels = shards.map(dml);
    const common = channels.map(lastTick).reduce((least, tick) => (tick < least ? tick : least));
    const expected = channels.flatMap((topic) =>
      messagesOf(topic).flatMap((msg) => (isTick(msg) || msg.endTs > common ? [] : [named(topic, msg)])),
    );

    const packs = await packsUpTo(await streamOf(channels), common);

    expect(packs.flatMap(({ msgs }) => msgs.map((msg) => named(msg.position?.channelName ?? "", msg))).sort()).toEqual(expected.sort());
    for (const { beginTs, endTs, msgs } of packs)
      for (const msg of msgs) expect(msg.endTs > beginTs && msg.endTs <= endTs && msg.late === undefined).toBe(true);
  });
});

describe("all 17 channels of a Milvus, some of which never tick", () => {
  const all = [...Array.from({ length: 16 }, (_, shard) => dml(shard)), "by-dev-replicate-msg"];

  it("stall, and say by which channels", async () => {
    const stream = await streamOf(all);
    const events = stream.events()[Symbol.asyncIterator]();
    const next = stream.consume();
    const stalled = events.next();
    for (let turn = 0; turn < 100; turn++) await clock.advance(100);

    const event = (await stalled).value as MsgStreamEvent;
    expect(event).toMatchObject({ type: "stalled" });
    expect(event.type === "stalled" && event.channels).toEqual(expect.arrayContaining([dml(15), "by-dev-replicate-msg"]));
    await stream.close();
    expect(await next).toBeUndefined();
  });

  it("flow with idleMs, and give all messages up to the last tick of any", async () => {
    const last = all.map(lastTick).reduce((latest, tick) => (tick > latest ? tick : latest));
    const expected = all.flatMap((topic) =>
      messagesOf(topic).flatMap((msg) => (isTick(msg) || msg.endTs > last ? [] : [named(topic, msg)])),
    );
    const reading = packsUpTo(await streamOf(all, 1_000), last);
    let done = false;
    void reading.finally(() => (done = true));
    for (let turn = 0; !done && turn < 1_000; turn++) await clock.advance(100);

    const packs = await reading;
    expect(packs.flatMap(({ msgs }) => msgs.map((msg) => named(msg.position?.channelName ?? "", msg))).sort()).toEqual(expected.sort());
  });
});
