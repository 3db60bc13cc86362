/**
 * What a caller gives to be called back, when it throws or answers nonsense: no stream hangs, ends in silence or loses anything by it.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { protoUnmarshal, type TsMsg, type UnmarshalDispatcher } from "../../src/message/index.js";
import { memoryMsgStreamFactory, type MsgStream, openTicker, type RepackFunc, type StreamOptions } from "../../src/stream/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { brokenHooks, fail, noClock } from "../testing/broken-hooks.js";
import { at, Logs, nothingElse, parseMsg, show, take, takeMessages } from "./logs.js";

/** Reads no message whose payload is one of these texts: for each what happens in its place. */
function unmarshalBut(instead: Readonly<Record<string, () => unknown>>): UnmarshalDispatcher {
  const proto = protoUnmarshal.newUnmarshalDispatcher();
  return {
    unmarshal: (input, type) => {
      const msg = proto.unmarshal(input, type);
      const act = msg.type === "user" ? instead[Buffer.from(msg.body.payload).toString()] : undefined;
      return act === undefined ? msg : (act() as TsMsg);
    },
    addMsgTemplate: (type, f) => proto.addMsgTemplate(type, f),
  };
}

function setting(options: StreamOptions) {
  const factory = memoryMsgStreamFactory(options);
  onTestFinished(() => factory.close());
  return { factory, logs: new Logs(factory) };
}

describe("a stream", () => {
  it.each(brokenHooks)("loses nothing by %s: late messages, poison and a stall are told all the same", async (_, options) => {
    const { factory, logs } = setting({ ...options, unmarshal: unmarshalBut({ bad: fail }) });
    await logs.write("c1", "a@3 bad@4 T10 b@5 c@12 T20");
    const stream = await factory.newTtMsgStream({ alignBytes: 1_200 });
    await stream.asConsumer(["c1", "c2"], "s");
    const events = stream.events()[Symbol.asyncIterator]();
    const next = stream.consume();

    expect((await events.next()).value).toMatchObject({ type: "poison" });
    // The second channel has nothing, and the first one fills its half.
    expect((await events.next()).value).toMatchObject({ type: "stalled", channels: ["c2"] });
    await logs.write("c2", "T10 T20");
    expect(show(await next)).toBe("(0,10] a");
    expect(await take(stream, 1)).toEqual(["(10,20] b! c"]);
    expect((await events.next()).value).toMatchObject({ type: "resumed" });
    expect((await events.next()).value).toEqual({ type: "late", channel: "c1", messages: 1 });
  });

  const answers: readonly [string, () => unknown][] = [
    ["throws", fail],
    ["throws what is no error", () => AbortSignal.abort("a text").throwIfAborted()],
    ["gives nothing", () => undefined],
    ["gives what is no message", () => ({})],
    ["gives a promise", () => Promise.resolve(parseMsg("a@1"))],
  ];

  describe.each(answers)("whose unmarshal %s", (_, act) => {
    const kinds = ["plain", "time-tick"] as const;

    it.each(kinds)("goes on behind that message, and tells it: %s", async (kind) => {
      const { factory, logs } = setting({ unmarshal: unmarshalBut({ bad: act }) });
      await logs.write("c1", "a@3 bad@4 b@5 T10");
      const stream = kind === "plain" ? await factory.newMsgStream() : await factory.newTtMsgStream();
      await stream.asConsumer(["c1"], "s");
      const events = stream.events()[Symbol.asyncIterator]();

      expect(await takeMessages(stream, 2)).toEqual(expect.arrayContaining(["a", "b"]));
      expect((await events.next()).value).toMatchObject({ type: "poison", channel: "c1", error: { code: "corrupt" } });
    });

    it.each(kinds)("ends with it where that is asked for, behind what came before: %s", async (kind) => {
      const { factory, logs } = setting({ unmarshal: unmarshalBut({ bad: act }), poison: "throw" });
      await logs.write("c1", "a@3 T10 bad@14 T20");
      const stream = kind === "plain" ? await factory.newMsgStream() : await factory.newTtMsgStream();
      await stream.asConsumer(["c1"], "s");

      expect((await takeMessages(stream, 1))[0]).toBe("a");
      await expect(stream.consume()).rejects.toMatchObject({ code: "corrupt" });
      await expect(stream.consume()).rejects.toMatchObject({ code: "corrupt" });
    });
  });

  const producing = async (repack: () => unknown): Promise<MsgStream> => {
    const { factory } = setting({});
    const stream = await factory.newMsgStream();
    await stream.asProducer(["c1", "c2"]);
    stream.setRepackFunc(repack as RepackFunc);
    return stream;
  };

  it("rejects a produce with what its repack function throws, writes nothing, and goes on", async () => {
    const error = new Error("no way to spread them");
    let calls = 0;
    const stream = await producing(() => {
      calls++;
      if (calls === 1) throw error;
      return new Map([[0, { msgs: [parseMsg("b@2")] }]]);
    });

    await expect(stream.produce({ msgs: [parseMsg("a@1")] })).rejects.toBe(error);
    expect(await stream.latestMessageId("c1")).toBeUndefined();
    expect([...(await stream.produce({ msgs: [parseMsg("b@2")] })).keys()]).toEqual(["c1"]);
  });

  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["a promise", async () => new Map()],
    ["a bucket of nothing", () => new Map([[0, undefined]])],
    ["a bucket without messages", () => new Map([[0, {}]])],
    ["a bucket of what is no message", () => new Map([[0, { msgs: [7] }]])],
    ["a bucket that is none", () => new Map([["c1", { msgs: [parseMsg("a@1")] }]])],
  ])("refuses a repack function that gives %s, and writes nothing", async (_, repack) => {
    const stream = await producing(repack);

    await expect(stream.produce({ msgs: [parseMsg("a@1")] })).rejects.toMatchObject({ code: "invalid-argument" });

    expect([await stream.latestMessageId("c1"), await stream.latestMessageId("c2")]).toEqual([undefined, undefined]);
  });

  it("goes on when a listener's loop is left by an error, and when another one never looks", async () => {
    const { factory, logs } = setting({});
    await logs.write("c1", "T10");
    const stream = await factory.newTtMsgStream();
    await stream.asConsumer(["c1"], "s");
    const lazy = stream.events()[Symbol.asyncIterator]();
    const listening = (async () => {
      for await (const event of stream.events()) throw new Error(event.type);
    })().catch((error: Error) => error.message);
    expect(await take(stream, 1)).toEqual(["(0,10]"]);

    for (let tick = 11; tick < 1_111; tick++) {
      await logs.write("c1", `late@5 T${tick}`);
      expect(await take(stream, 1)).toEqual([`(${tick - 1},${tick}] late!`]);
    }

    expect(await listening).toBe("late");
    expect((await lazy.next()).value).toEqual({ type: "late", channel: "c1", messages: 1, missed: 100 });
  });

  it("is there for the next loop when the body of one throws; the pack in hand counts as handled when the next one is asked for", async () => {
    const { factory, logs } = setting({});
    await logs.write("c1", "a@3 T10 b@13 T20");
    const stream = await factory.newTtMsgStream();
    await stream.asConsumer(["c1"], "s");

    const looping = (async () => {
      for await (const pack of stream) throw new Error(show(pack));
    })();

    await expect(looping).rejects.toThrow("(0,10] a");
    expect(await take(stream, 1)).toEqual(["(10,20] b"]);
  });
});

describe("a ticker", () => {
  it("tells who calls next that its oracle threw, and holds no tick back by the work that got no time", async () => {
    const clock = new ManualClock();
    const { factory } = setting({ clock });
    let last = 0;
    const now = async () => (last++ === 1 ? fail() : at(last * 10));
    const ticker = await openTicker({ factory, channels: ["c1"], now, clock });
    onTestFinished(() => ticker.close());
    (await ticker.begin("c1")).done();

    await expect(ticker.begin("c1")).rejects.toThrow("the hook is broken");
    expect(await ticker.tick()).toEqual(new Map([["c1", at(30)]]));
  });

  it("ticks on with a clock that throws", async () => {
    const { factory, logs } = setting({});
    const ticker = await openTicker({ factory, channels: ["c1"], now: async () => at(10), clock: noClock, intervalMs: 1 });
    onTestFinished(() => ticker.close());
    const stream = await factory.newTtMsgStream();
    await stream.asConsumer(["c1"], "s");
    await logs.write("c1", "a@3");

    expect(show(await stream.consume())).toBe("(0,10] a");
    await nothingElse();
  });
});
