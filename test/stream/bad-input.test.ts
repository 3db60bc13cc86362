/**
 * What a stream refuses: each in a typed way that names what is wrong, and the stream is as it was.
 */
import { afterEach, describe, expect, it } from "vitest";
import {
  int64MessageId,
  messageIdFromString,
  type MsgPosition,
  positionFromBytes,
  positionToBytes,
  tsMsg,
  type TsMsg,
} from "../../src/message/index.js";
import {
  memoryMsgStreamFactory,
  type MsgStream,
  openTicker,
  type SeekOptions,
  type StreamOptions,
  type TtOptions,
} from "../../src/stream/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { at, Logs, nothingElse, parseMsg, positionOf, take } from "./logs.js";

const clock = new ManualClock();
let factory = memoryMsgStreamFactory({ clock, packMessages: 1 });
let logs = new Logs(factory);

afterEach(async () => {
  await factory.close();
  factory = memoryMsgStreamFactory({ clock, packMessages: 1 });
  logs = new Logs(factory);
});

const kinds = [
  ["a plain stream", { open: () => factory.newMsgStream(), log: "a@1 b@2 c@3", packs: ["(1,1] a", "(2,2] b", "(3,3] c"] }],
  ["a time-tick stream", { open: () => factory.newTtMsgStream(), log: "a@1 T1 b@2 T2 c@3 T3", packs: ["(0,1] a", "(1,2] b", "(2,3] c"] }],
] as const;
type Kind = (typeof kinds)[number][1];

/** A stream that has handed over the first of its three packs, and where that ended. */
async function begun({ open, log }: Kind): Promise<{ readonly stream: MsgStream; readonly first: MsgPosition }> {
  await logs.write("c1", log);
  const stream = await open();
  await stream.asConsumer(["c1"], "s");
  return { stream, first: positionOf(await stream.consume(), "c1") };
}

/** What comes of a seek, and the two packs that come after it. */
async function outcomeOf(
  kind: Kind,
  bad: (first: MsgPosition) => unknown,
  options: SeekOptions,
): Promise<{ error: unknown; packs: string[] }> {
  const { stream, first } = await begun(kind);
  const error = await stream.seek(bad(first) as MsgPosition, options).catch((reason: unknown) => reason);
  return { error, packs: await take(stream, 2) };
}

describe.each(kinds)("a seek of %s", (_, kind) => {
  const rest = kind.packs.slice(1);

  it.each<[string, (first: MsgPosition) => unknown, SeekOptions, string]>([
    ["of a channel that it does not consume", (first) => ({ ...first, channelName: "c2" }), {}, "position.channelName"],
    ["of several, one of which it does not consume", (first) => [first, { ...first, channelName: "c2" }], {}, "position[1].channelName"],
    ["to two places in one channel", (first) => [first, first], {}, "position[1]"],
    ["to no place", () => [], {}, "position"],
    ["to bytes in the place of a position", (first) => positionToBytes(first), {}, "position.timestamp"],
    ["to nothing", () => undefined, {}, "position"],
    ["to an id that is none", (first) => ({ ...first, msgId: 7n }), {}, "position.msgId"],
    ["to a last read id that is none", (first) => ({ ...first, readMsgId: "7" }), {}, "position.readMsgId"],
    ["to a timestamp that is none", (first) => ({ ...first, timestamp: -1n }), {}, "position.timestamp"],
    ["with a time to wait that is none", (first) => first, { timeoutMs: -1 }, "timeoutMs"],
    ["with an option that there is not", (first) => first, { timeout: 5 } as SeekOptions, "timeout"],
  ])("%s is an invalid argument", async (_text, bad, options, argument) => {
    expect(await outcomeOf(kind, bad, options)).toMatchObject({ error: { code: "invalid-argument", details: { argument } }, packs: rest });
  });

  it.each<[string, (first: MsgPosition) => unknown]>([
    ["whose id is of another back-end", (first) => ({ ...first, msgId: messageIdFromString("rocksmq", "1") })],
    ["whose last read id is of another back-end", (first) => ({ ...first, readMsgId: messageIdFromString("kafka", "1") })],
    ["of several, one of which is of another back-end", (first) => [{ ...first, msgId: int64MessageId("kafka", 1n) }]],
  ])("to a position %s is a mismatch that names both", async (_text, bad) => {
    const error = { code: "backend-mismatch", details: { backends: [expect.any(String), "memory"] } };
    expect(await outcomeOf(kind, bad, {})).toMatchObject({ error, packs: rest });
  });

  it("to what the channel has not reached is ahead, and runs out of time when it waits", async () => {
    const { stream, first } = await begun(kind);
    const ahead = { ...first, msgId: int64MessageId("memory", 1_000n) };

    await expect(stream.seek(ahead)).rejects.toMatchObject({ code: "position-ahead" });
    const waiting = stream.seek(ahead, { timeoutMs: 500 }).catch((error: unknown) => error);
    await nothingElse();
    await clock.advance(500);
    expect(await waiting).toMatchObject({ code: "timeout", details: { channel: "c1" } });

    expect(await take(stream, 2)).toEqual(rest);
  });

  it("that is aborted while it waits leaves the stream where it was", async () => {
    const { stream, first } = await begun(kind);
    const ahead = { ...first, msgId: int64MessageId("memory", 1_000n) };
    const giveUp = new AbortController();
    const reason = new Error("enough");
    const waiting = stream.seek(ahead, { timeoutMs: 500, signal: giveUp.signal }).catch((error: unknown) => error);

    await nothingElse();
    giveUp.abort(reason);
    expect(await waiting).toBe(reason);

    expect(await take(stream, 2)).toEqual(rest);
  });
});

it.each([true, false])(
  "a seek of a time-tick stream with inclusive %s is an invalid argument: a tick says what was handled",
  async (inclusive) => {
    const [, kind] = kinds[1];

    const outcome = await outcomeOf(kind, (first) => first, { inclusive });

    expect(outcome).toMatchObject({ error: { code: "invalid-argument", details: { argument: "inclusive" } }, packs: kind.packs.slice(1) });
  },
);

it("scenario 38: bytes that are no position are an invalid argument, as is what is no bytes", () => {
  expect(() => positionFromBytes(Uint8Array.of(255, 255))).toThrow(
    expect.objectContaining({ code: "invalid-argument", details: { argument: "bytes" } }),
  );
  expect(() => positionFromBytes("7" as unknown as Uint8Array)).toThrow(
    expect.objectContaining({ code: "invalid-argument", details: { argument: "bytes" } }),
  );
});

describe("what is produced", () => {
  const insert = (...hashKeys: number[]): TsMsg =>
    tsMsg({ type: "insert", timestamp: at(5), id: 1n, hashKeys, body: { rowIDs: [1n, 2n], numRows: 2n, version: 1 } });
  const remove = (...hashKeys: number[]): TsMsg =>
    tsMsg({
      type: "delete",
      timestamp: at(5),
      hashKeys,
      body: { numRows: 2n, primaryKeys: { idField: { case: "intId", value: { data: [4n, 5n] } } } },
    });

  it.each<[string, readonly TsMsg[], string]>([
    ["an insert with too few hash keys", [insert(1)], "msgs[0].hashKeys"],
    ["an insert with too many", [insert(1, 2, 3)], "msgs[0].hashKeys"],
    ["a delete with too few", [remove(1)], "msgs[0].hashKeys"],
    ["a message without any", [{ ...parseMsg("a@1"), hashKeys: [] }], "msgs[0].hashKeys"],
    ["inserts and something else", [insert(1, 2), parseMsg("a@1")], "msgs[1]"],
    ["deletes and something else", [remove(1, 2), insert(1, 2)], "msgs[1]"],
    ["what is no message", [parseMsg("a@1"), {} as TsMsg], "pack.msgs[1]"],
  ])("%s is an invalid argument, and nothing is written", async (_, msgs, argument) => {
    const stream = await factory.newMsgStream();
    await stream.asProducer(["c1", "c2"]);

    await expect(stream.produce({ msgs })).rejects.toMatchObject({ code: "invalid-argument", details: { argument } });

    expect([await stream.latestMessageId("c1"), await stream.latestMessageId("c2")]).toEqual([undefined, undefined]);
    await stream.produce({ msgs: [parseMsg("b@1")] });
    expect(await stream.latestMessageId("c1")).toBeDefined();
  });

  it("a broadcast of nothing is an invalid argument", async () => {
    const stream = await factory.newMsgStream();
    await stream.asProducer(["c1"]);

    await expect(stream.broadcast({ msgs: [] })).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "pack.msgs" } });
  });

  it("a broadcast of nothing is that also before the stream has a channel to write to", async () => {
    const stream = await factory.newMsgStream();

    await expect(stream.broadcast({ msgs: [] })).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "pack.msgs" } });
    await expect(stream.broadcast({ msgs: [parseMsg("a@1")] })).rejects.toMatchObject({ code: "not-initialized" });
  });
});

describe("a name", () => {
  it.each([
    ["without a letter", ""],
    ["with a slash", "a/b"],
    ["with a NUL", "a\0b"],
    ["that is too long", "x".repeat(256)],
    ["with a lone surrogate", "a\ud800"],
  ])("of a channel %s is an invalid argument with its place, and none of the others was made", async (_, name) => {
    const stream = await factory.newMsgStream();
    const refusal = { code: "invalid-argument", details: { argument: "channels[1]" } };

    await expect(stream.asProducer(["c1", name])).rejects.toMatchObject(refusal);
    await expect(stream.asConsumer(["c1", name], "s")).rejects.toMatchObject(refusal);

    await expect(stream.latestMessageId("c1")).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(openTicker({ factory, channels: ["c1", name], now: () => Promise.resolve(at(1)) })).rejects.toMatchObject(refusal);
  });

  it.each([
    ["without a letter", ""],
    ["with a NUL", "a\0b"],
    ["that is too long", "x".repeat(256)],
  ])("of a subscription %s is one, wherever it is to begin", async (_, name) => {
    const stream = await factory.newMsgStream();

    for (const position of ["resume", "earliest", "latest", "unknown"] as const)
      await expect(stream.asConsumer(["c1"], name, position)).rejects.toMatchObject({
        code: "invalid-argument",
        details: { argument: "subName" },
      });

    await expect(stream.latestMessageId("c1")).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("a parameter", () => {
  it.each<[string, object, string]>([
    ["that there is not", { bufferPack: 1 }, "bufferPack"],
    ["that is too small", { bufferPacks: 0 }, "bufferPacks"],
    ["that is no whole number", { bufferBytes: 0.5 }, "bufferBytes"],
    ["that is none of its words", { poison: "drop" }, "poison"],
    ["that lacks its methods", { unmarshal: {} }, "unmarshal"],
  ])("of a factory %s is an invalid argument, and changes none", (_, options, argument) => {
    expect(() => factory.setParams(options as StreamOptions)).toThrow(
      expect.objectContaining({ code: "invalid-argument", details: { argument } }),
    );
    expect(() => memoryMsgStreamFactory(options as StreamOptions)).toThrow(expect.objectContaining({ details: { argument } }));
  });

  it.each<[string, object, string]>([
    ["that there is not", { align: "lockstep" }, "align"],
    ["that is none of its words", { alignment: "lock" }, "alignment"],
    ["of the other alignment", { alignment: "lockstep", idleMs: 5 }, "idleMs"],
    ["of the other alignment", { pursuit: { lagMs: 1, bytes: 1, timeMs: 1 } }, "pursuit"],
    ["that is too small", { idleMs: 0 }, "idleMs"],
    ["that is no flag", { dedupe: 1 }, "dedupe"],
  ])("of a time-tick stream %s is an invalid argument", async (_, options, argument) => {
    await expect(factory.newTtMsgStream(options as TtOptions)).rejects.toMatchObject({ code: "invalid-argument", details: { argument } });
  });
});
