/**
 * Every code that the comments of the contract name, and every kind of wrong argument: refused with that code, and nothing has happened.
 */
import { describe, expect, it } from "vitest";
import { isTidemarkError, type RocksMq, type TidemarkError } from "../../src/rocksmq/index.js";
import { filled, loopOf, message, readAll, stores } from "./stores.js";

type Refused = (mq: RocksMq) => unknown;

/** Takes a method off an object, and calls it as one without types may. */
function callOn(target: object, method: string, ...given: unknown[]): unknown {
  const found: unknown = Reflect.get(target, method);
  if (typeof found !== "function") throw new Error(`there is no ${method}`);
  return Reflect.apply(found, target, given);
}

const byCode: readonly [code: string, what: string, call: Refused][] = [
  ["channel-exists", "createChannel of one that exists", (mq) => mq.createChannel("c")],
  ["channel-not-found", "destroyChannel", (mq) => mq.destroyChannel("no")],
  ["channel-not-found", "describeChannel", (mq) => mq.describeChannel("no")],
  ["channel-not-found", "produce", (mq) => mq.produce("no", [message("x")])],
  ["channel-not-found", "consume", (mq) => mq.consume("g", "no", 1)],
  ["channel-not-found", "subscribe", (mq) => loopOf(mq.subscribe("g", "no")).next()],
  ["channel-not-found", "seek", (mq) => mq.seek("g", "no", 1n)],
  ["channel-not-found", "seekToLatest", (mq) => mq.seekToLatest("g", "no")],
  ["channel-not-found", "latestId", (mq) => mq.latestId("no")],
  ["channel-not-found", "idAt", (mq) => mq.idAt("no", 0)],
  ["channel-not-found", "trim", (mq) => mq.trim("no", 0n)],
  ["channel-not-found", "read", (mq) => readAll(mq, "no")],
  ["group-exists", "createConsumerGroup of one that exists", (mq) => mq.createConsumerGroup("g")],
  ["group-not-found", "destroyConsumerGroup", (mq) => mq.destroyConsumerGroup("no")],
  ["group-not-found", "consume", (mq) => mq.consume("no", "c", 1)],
  ["group-not-found", "subscribe", (mq) => loopOf(mq.subscribe("no", "c")).next()],
  ["group-not-found", "seek", (mq) => mq.seek("no", "c", 1n)],
  ["group-not-found", "seekToLatest", (mq) => mq.seekToLatest("no", "c")],
  ["position-trimmed", "seek below the begin", (mq) => mq.seek("g", "c", 0n)],
  ["position-trimmed", "read from below the begin", (mq) => readAll(mq, "c", 0n)],
  ["position-ahead", "seek above the end", (mq) => mq.seek("g", "c", 2n ** 63n)],
  ["position-ahead", "trim above the end", (mq) => mq.trim("c", 2n ** 63n)],
  ["position-ahead", "read from above the end", (mq) => readAll(mq, "c", 2n ** 63n)],
  ["position-ahead", "ack of what was not handed over", (mq) => mq.subscribe("g", "c").ack(2n ** 63n)],
  ["too-large", "produce of a large message", (mq) => mq.produce("c", [{ payload: new Uint8Array(2_001) }])],
  ["too-large", "produce of a large batch", (mq) => mq.produce("c", Array(6).fill({ payload: new Uint8Array(1_000) }))],
  ["too-large", "produce of large properties", (mq) => mq.produce("c", [message("", { k: "x".repeat(65_536) })])],
  [
    "overloaded",
    "produce beside too much",
    (mq) =>
      Promise.all(
        [1, 2, 3].map(() =>
          mq.produce(
            "c",
            [1_000, 1_000].map((bytes) => ({ payload: new Uint8Array(bytes) })),
          ),
        ),
      ),
  ],
  [
    "conflict",
    "consume beside a subscription",
    (mq) => {
      mq.subscribe("g", "c");
      return mq.consume("g", "c", 1);
    },
  ],
];

const good = { payload: new Uint8Array(0) };

/** [argument, call] */
const wrongArguments: readonly [argument: string, what: string, call: Refused][] = [
  ["name", "createChannel()", (mq) => callOn(mq, "createChannel")],
  ["name", "createChannel with a slash", (mq) => mq.createChannel("channel/dummy")],
  ["name", "createChannel of 256 bytes", (mq) => mq.createChannel("x".repeat(256))],
  ["options", "createChannel with null options", (mq) => callOn(mq, "createChannel", "d", null)],
  ["retention.ageMs", "createChannel with a negative age", (mq) => mq.createChannel("d", { retention: { ageMs: -1 } })],
  ["retention", "createChannel with odd retention", (mq) => callOn(mq, "createChannel", "d", { retention: 7 })],
  ["ifNotExists", "createChannel with an odd flag", (mq) => callOn(mq, "createChannel", "d", { ifNotExists: 1 })],
  ["ifNotExist", "createChannel with a misspelled option", (mq) => callOn(mq, "createChannel", "d", { ifNotExist: true })],
  ["name", "alterChannel of no name", (mq) => mq.alterChannel("", { retention: {} })],
  ["retention", "alterChannel without retention", (mq) => callOn(mq, "alterChannel", "c", {})],
  ["retention.bytes", "alterChannel to half a byte", (mq) => mq.alterChannel("c", { retention: { bytes: 0.5 } })],
  ["retention.byte", "alterChannel with a misspelled part", (mq) => callOn(mq, "alterChannel", "c", { retention: { byte: 1 } })],
  ["name", "destroyChannel", (mq) => mq.destroyChannel("")],
  ["name", "describeChannel", (mq) => mq.describeChannel("a/b")],
  ["group", "createConsumerGroup", (mq) => mq.createConsumerGroup("")],
  ["from", "createConsumerGroup from the middle", (mq) => callOn(mq, "createConsumerGroup", "h", { from: "middle" })],
  ["form", "createConsumerGroup with a misspelled option", (mq) => callOn(mq, "createConsumerGroup", "h", { form: "latest" })],
  ["group", "destroyConsumerGroup", (mq) => mq.destroyConsumerGroup("\0")],
  ["channel", "produce to a number", (mq) => callOn(mq, "produce", 7, [])],
  ["messages", "produce of null", (mq) => callOn(mq, "produce", "c", null)],
  ["messages", "produce of null to an unknown channel", (mq) => callOn(mq, "produce", "no", null)],
  ["messages", "produce of one message", (mq) => callOn(mq, "produce", "c", good)],
  ["messages[1]", "produce with a hole", (mq) => callOn(mq, "produce", "c", [good, undefined])],
  ["messages[3].payload", "produce of a text", (mq) => callOn(mq, "produce", "c", [good, good, good, { payload: "text" }])],
  ["messages[0].payload", "produce of an ArrayBuffer", (mq) => callOn(mq, "produce", "c", [{ payload: new ArrayBuffer(1) }])],
  ["messages[0].properties", "produce with a list of properties", (mq) => callOn(mq, "produce", "c", [{ ...good, properties: [] }])],
  ["messages[0].properties", "produce with null properties", (mq) => callOn(mq, "produce", "c", [{ ...good, properties: null }])],
  ["messages[0].properties", "produce with a Map", (mq) => callOn(mq, "produce", "c", [{ ...good, properties: new Map([["a", "b"]]) }])],
  ['messages[0].properties["n"]', "produce with a number", (mq) => callOn(mq, "produce", "c", [{ ...good, properties: { n: 1 } }])],
  ['messages[0].properties["s"]', "produce with half a pair", (mq) => mq.produce("c", [{ ...good, properties: { s: "\ud800" } }])],
  [
    'messages[0].properties["\\udc00"]',
    "produce with half a pair as key",
    (mq) => mq.produce("c", [{ ...good, properties: { "\udc00": "" } }]),
  ],
  ["signal", "produce with an odd signal", (mq) => callOn(mq, "produce", "c", [good], { signal: {} })],
  ["sign", "produce with a misspelled option", (mq) => callOn(mq, "produce", "c", [good], { sign: 1 })],
  ["wait", "consume with a misspelled option", (mq) => callOn(mq, "consume", "g", "c", 1, { wait: 1 })],
  ["wait", "seek with a misspelled option", (mq) => callOn(mq, "seek", "g", "c", 1n, { wait: 1 })],
  ["acks", "subscribe with a misspelled option", (mq) => callOn(mq, "subscribe", "g", "c", { acks: "manual" })],
  ["folow", "read with a misspelled option", (mq) => callOn(mq, "read", "c", { from: "earliest", folow: true })],
  ["max", "consume of none", (mq) => mq.consume("g", "c", 0)],
  ["max", "consume of too many", (mq) => mq.consume("g", "c", 100_001)],
  ["max", "consume of some and a half", (mq) => mq.consume("g", "c", 1.5)],
  ["waitMs", "consume with a negative wait", (mq) => mq.consume("g", "c", 1, { waitMs: -1 })],
  ["waitMs", "consume with no number", (mq) => mq.consume("g", "c", 1, { waitMs: NaN })],
  ["options", "consume with null options", (mq) => callOn(mq, "consume", "g", "c", 1, null)],
  ["group", "consume", (mq) => mq.consume("", "c", 1)],
  ["channel", "consume", (mq) => mq.consume("g", "", 1)],
  ["batch", "subscribe", (mq) => mq.subscribe("g", "c", { batch: 0 })],
  ["maxBytes", "subscribe", (mq) => mq.subscribe("g", "c", { maxBytes: 0 })],
  ["ack", "subscribe", (mq) => callOn(mq, "subscribe", "g", "c", { ack: "never" })],
  ["onTrimmed", "subscribe", (mq) => callOn(mq, "subscribe", "g", "c", { onTrimmed: "skip" })],
  ["throughId", "ack", (mq) => callOn(mq.subscribe("g", "c"), "ack", 7)],
  ["id", "seek to a number", (mq) => callOn(mq, "seek", "g", "c", 7)],
  ["options", "seek with null options", (mq) => callOn(mq, "seek", "g", "c", 1n, null)],
  ["options", "subscribe with null options", (mq) => callOn(mq, "subscribe", "g", "c", null)],
  ["timeMs", "idAt", (mq) => callOn(mq, "idAt", "c", "today")],
  ["beforeId", "trim", (mq) => callOn(mq, "trim", "c", 7)],
  ["from", "read", (mq) => callOn(mq, "read", "c", { from: "middle" })],
  ["options", "read without options", (mq) => callOn(mq, "read", "c")],
  ["limit", "read", (mq) => mq.read("c", { from: "earliest", limit: -1 })],
  ["batch", "read", (mq) => mq.read("c", { from: "earliest", batch: 1.5 })],
  ["follow", "read", (mq) => callOn(mq, "read", "c", { from: "earliest", follow: "yes" })],
];

/** The error, thrown or rejected. */
async function refusalOf(refused: Refused, mq: RocksMq): Promise<TidemarkError> {
  try {
    await refused(mq);
  } catch (error) {
    if (isTidemarkError(error)) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe.each(stores)("what is refused on $name", ({ open }) => {
  const small = { maxMessageBytes: 2_000, maxPendingBytes: 5_000 };

  it.each(byCode)("%s: %s", async (code, _, refused) => {
    const mq = await open(small);
    await filled(mq, 0);

    expect(await refusalOf(refused, mq)).toMatchObject({ code, effect: "none" });

    await expect(mq.channels()).resolves.toEqual(["c"]);
  });
});

describe.each(stores.slice(0, 1))("wrong arguments on $name", ({ open }) => {
  it.each(wrongArguments)("%s of %s is invalid-argument, with its name and value", async (argument, _, refused) => {
    const mq = await open();
    await filled(mq, 0);

    const error = await refusalOf(refused, mq);

    expect(error).toMatchObject({ code: "invalid-argument", retry: "never", effect: "none", details: { argument } });
    expect(error.message.startsWith(`${argument} `)).toBe(true);
    expect(error.message).toMatch(/, got .|not there yet/);
    expect(await mq.describeChannel("c")).toMatchObject({ messages: 0n });
    expect([await mq.channels(), await mq.consumerGroups()]).toEqual([["c"], ["g"]]);
  });

  it("are refused before an abort is looked at, and after a close no more", async () => {
    const mq = await open();
    await filled(mq, 0);

    await expect(mq.consume("g", "c", 0, { signal: AbortSignal.abort("no") })).rejects.toMatchObject({ code: "invalid-argument" });
    await mq.close();
    await expect(mq.consume("g", "c", 0)).rejects.toMatchObject({ code: "closed" });
  });
});
