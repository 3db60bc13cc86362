import { afterEach, describe, expect, it } from "vitest";
import { type MsgPack, tsMsg, type TsMsg } from "../../src/message/index.js";
import { memoryMsgStreamFactory, type MsgStream, type MsgStreamEvent } from "../../src/stream/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { at, Logs, nothingComes, nothingElse, positionOf, show, take } from "./logs.js";

const clock = new ManualClock();
let factory = memoryMsgStreamFactory({ clock });
let logs = new Logs(factory);

afterEach(async () => {
  await factory.close();
  factory = memoryMsgStreamFactory({ clock });
  logs = new Logs(factory);
});

async function consumerOf(channels: readonly string[], options: Parameters<typeof factory.newTtMsgStream>[0] = {}): Promise<MsgStream> {
  const stream = await factory.newTtMsgStream(options);
  await stream.asConsumer(channels, "s");
  return stream;
}

describe("a time-tick stream", () => {
  it("hands over packs that are complete up to a tick of all channels", async () => {
    await logs.write("c1", "a@3 T10 b@12 T20");
    await logs.write("c2", "c@5 d@14 T10 T20");
    const stream = await consumerOf(["c1", "c2"]);

    expect(await take(stream, 2)).toEqual(["(0,10] a c", "(10,20] b d"]);
    expect(await nothingComes(stream)).toBe(true);
  });

  it("goes on when a tick comes while it waits", async () => {
    const stream = await consumerOf(["c1"]);
    const next = stream.consume();

    await logs.write("c1", "a@3 T10");

    expect(show(await next)).toBe("(0,10] a");
  });

  it("comes back to exactly the rest from every checkpoint, late messages included", async () => {
    await logs.write("c1", "a@3 x@25 T10 b@12 c@4 T20 d@22 T30");
    await logs.write("c2", "e@5 T10 f@8 T15 g@27 T20 T30");
    const stream = await consumerOf(["c1", "c2"]);
    const packs: MsgPack[] = [];
    for (let count = 0; count < 4; count++) packs.push((await stream.consume()) as MsgPack);
    const shown = packs.map(show);

    expect(shown).toEqual(["(0,10] a e", "(10,15] b c! f!", "(15,20]", "(20,30] x d g"]);
    for (const [at, pack] of packs.entries()) {
      await stream.seek(pack.endPositions);
      expect(await take(stream, 3 - at)).toEqual(shown.slice(at + 1));
    }
  });

  it("resumes behind the last pack that was handled, and not behind the one in hand", async () => {
    await logs.write("c1", "a@3 T10 b@12 T20 c@22 T30");
    const first = await consumerOf(["c1"]);
    await take(first, 2);
    await first.close();

    expect(await take(await consumerOf(["c1"]), 2)).toEqual(["(10,20] b", "(20,30] c"]);
  });

  it("has a channel wait that was added, and calls late what it has at or below the watermark", async () => {
    await logs.write("c1", "a@3 T10 T20");
    const stream = await consumerOf(["c1"]);
    const events = stream.events()[Symbol.asyncIterator]();
    expect(await take(stream, 2)).toEqual(["(0,10] a", "(10,20]"]);

    await logs.write("c2", "b@5 T20 c@25 T30");
    await stream.asConsumer(["c2"], "s");
    await logs.write("c1", "T30");

    expect(await take(stream, 1)).toEqual(["(20,30] b! c"]);
    expect((await events.next()).value).toEqual({ type: "late", channel: "c2", messages: 1 });
  });

  it("goes on from a new place when a waiting consume is overtaken by a seek", async () => {
    await logs.write("c1", "a@3 T10 b@12 T20");
    const stream = await consumerOf(["c1"]);
    const first = (await stream.consume()) as MsgPack;
    await stream.consume();
    const waiting = stream.consume();

    await stream.seek(positionOf(first, "c1"));

    expect(show(await waiting)).toBe("(10,20] b");
  });

  it("drops packs that wait when it is sent elsewhere, and loses nothing of the channels that were not named", async () => {
    await logs.write("c1", "a@3 T10 b@12 T20 c@22 T30");
    await logs.write("c2", "d@5 T10 e@15 T20 f@25 T30");
    const stream = await consumerOf(["c1", "c2"]);
    const first = (await stream.consume()) as MsgPack;
    await take(stream, 1);

    await stream.seek(positionOf(first, "c1"));

    expect(await take(stream, 2)).toEqual(["(10,20] b", "(20,30] c f"]);
  });

  it("takes a wish for what is after a tick, without any message id", async () => {
    await logs.write("c1", "a@3 T10 b@12 c@18 T20");
    const stream = await factory.newTtMsgStream();
    await stream.asConsumer(["c1"], "s", "unknown");

    await stream.seek({ channelName: "c1", msgId: undefined, msgGroup: "", timestamp: at(15) });

    expect(await take(stream, 1)).toEqual(["(15,20] c"]);
  });

  it("names in a checkpoint also the channels that began at their end, and comes back there", async () => {
    await logs.write("c1", "old@50");
    const stream = await factory.newTtMsgStream({ idleMs: 1_000 });
    await stream.asConsumer(["c1"], "s", "latest");
    await stream.asConsumer(["c2"], "s");
    const next = stream.consume();
    await logs.write("c2", "a@5 T10");
    await clock.advance(1_100);
    const first = (await next) as MsgPack;

    expect(show(first)).toBe("(0,10] a");
    await stream.seek(first.endPositions);
    await logs.write("c1", "new@8 T20");
    await logs.write("c2", "T20");
    expect(await take(stream, 1)).toEqual(["(10,20] new!"]);
  });

  it("leaves a silent channel out after idleMs and says what is late when it speaks", async () => {
    await logs.write("c1", "a@3 T10 T20");
    const stream = await consumerOf(["c1", "c2"], { idleMs: 5_000 });
    const next = stream.consume();
    await clock.advance(4_000);
    await logs.write("c1", "T25");
    await clock.advance(1_100);

    expect(show(await next)).toBe("(0,10] a");
    expect(await take(stream, 2)).toEqual(["(10,20]", "(20,25]"]);
    await logs.write("c2", "b@5 T40");
    await logs.write("c1", "T40");
    expect(await take(stream, 1)).toEqual(["(25,40] b!"]);
  });

  it("counts idleMs from asConsumer on, also what passes before anybody consumes", async () => {
    await logs.write("c1", "a@3 T10");
    const stream = await consumerOf(["c1", "c2"], { idleMs: 1_000 });

    await clock.advance(1_000);

    expect(await take(stream, 1)).toEqual(["(0,10] a"]);
  });

  it("leaves a channel out also when its time is up while its log is still being read: what lay there was said before", async () => {
    await logs.write("c1", "a@3 T10");
    await logs.write("c2", "b@5");
    const stream = await consumerOf(["c1", "c2"], { idleMs: 1_000 });
    const next = stream.consume();

    await clock.advance(1_000);

    expect(show(await next)).toBe("(0,10] a b");
  });

  it("case 15: makes no pack of ticks at 0, and none of ticks that go back", async () => {
    await logs.write("c1", "T0 T0 a@3 T10 T5 T10 b@12 T12");
    await logs.write("c2", "T0 T10 T12");
    for (const alignment of ["watermark", "lockstep"] as const) {
      const stream = await factory.newTtMsgStream({ alignment });
      await stream.asConsumer(["c1", "c2"], alignment, "earliest");

      expect(await take(stream, 2)).toEqual(["(0,10] a", "(10,12] b"]);
      expect(await nothingComes(stream)).toBe(true);
    }
  });

  it("case 17: says that it is stalled and by whom, and that it goes on", async () => {
    const stream = await consumerOf(["c1", "c2"]);
    const events = stream.events()[Symbol.asyncIterator]();
    const next = stream.consume();
    await logs.write("c1", "a@3 T10");
    await nothingElse();
    await clock.advance(2_500);
    const stalled = (await events.next()).value as MsgStreamEvent;

    expect(stalled).toMatchObject({ type: "stalled", channels: ["c2"] });
    await logs.write("c2", "T10");
    expect(show(await next)).toBe("(0,10] a");
    expect((await events.next()).value).toEqual({ type: "resumed" });
  });

  it("is not stalled by ticks that are rare and come a little apart", async () => {
    const stream = await consumerOf(["c1", "c2"]);
    const first = stream.events()[Symbol.asyncIterator]().next();
    for (const tick of ["T10", "T20", "T30"]) {
      const next = stream.consume();
      await logs.write("c1", tick);
      await nothingElse();
      await clock.advance(100);
      await logs.write("c2", tick);
      await next;
      await nothingElse();
      await clock.advance(10_000);
    }

    await stream.close();

    expect(await first).toEqual({ done: true, value: undefined });
  });

  it("case 17: pauses channels that are ahead at half of alignBytes, and says so at once", async () => {
    const stream = await consumerOf(["c1", "c2"], { alignBytes: 20_000 });
    const events = stream.events()[Symbol.asyncIterator]();
    const next = stream.consume();
    for (let tick = 1; tick < 500; tick++) await logs.write("c1", `a${tick}@${tick} T${tick}`);
    await clock.advance(100);

    const stalled = (await events.next()).value as MsgStreamEvent & { bufferedBytes: number };
    expect(stalled).toMatchObject({ type: "stalled", channels: ["c2"] });
    expect(stalled.bufferedBytes).toBeGreaterThanOrEqual(10_000);
    expect(stalled.bufferedBytes).toBeLessThan(15_000);
    await logs.write("c2", "T600");
    expect(show(await next)).toBe("(0,1] a1");
    await logs.write("c1", "T700");
    for (let tick = 2; tick < 500; tick++) expect(await take(stream, 1)).toEqual([`(${tick - 1},${tick}] a${tick}`]);
  });

  it("ends with overloaded when a channel fills the other half without a tick", async () => {
    const stream = await consumerOf(["c1", "c2"], { alignBytes: 20_000 });
    await logs.write("c1", Array.from({ length: 500 }, (_, name) => `a${name}@5`).join(" "));

    await expect(stream.consume()).rejects.toMatchObject({ code: "overloaded", details: { alignBytes: 20_000 } });
  });

  it("ends with overloaded in lockstep when the ticks never meet", async () => {
    for (let tick = 10; tick < 3_000; tick += 10) {
      await logs.write("c1", `a${tick}@${tick} T${tick}`);
      await logs.write("c2", `T${tick + 1}`);
    }
    const stream = await consumerOf(["c1", "c2"], { alignment: "lockstep", alignBytes: 20_000 });

    await expect(stream.consume()).rejects.toMatchObject({ code: "overloaded" });
  });

  it("merges windows while far behind, when pursuit is asked for", async () => {
    await logs.write("c1", "a@3 T10 b@12 T20 c@22 T30");
    const stream = await consumerOf(["c1"], { alignment: "lockstep", pursuit: { lagMs: 10_000, bytes: 1_000_000, timeMs: 60_000 } });
    const next = stream.consume();
    await nothingElse();

    await clock.advance(60_001);

    expect(show(await next)).toBe("(0,30] a b c");
  });
});

describe("Milvus's own scenarios of its time-tick stream", () => {
  const insert = (id: number, ts: number): TsMsg => tsMsg({ type: "insert", timestamp: at(ts), id: BigInt(id), hashKeys: [0] });
  const create = (id: number, ts: number): TsMsg => tsMsg({ type: "createCollection", timestamp: at(ts), id: BigInt(id), hashKeys: [0] });

  it("scenario 43: ticks around messages of two channels let both through", async () => {
    for (const alignment of ["watermark", "lockstep"] as const) {
      await logs.write(`${alignment}1`, "T0 a@1 T5");
      await logs.write(`${alignment}2`, "T0 b@3 T5");
      const stream = await consumerOf([`${alignment}1`, `${alignment}2`], { alignment });

      expect(await take(stream, 1)).toEqual(["(0,5] a b"]);
    }
  });

  it("scenario 44: packs of 2, 1, 3 and 1 messages, and the rest from the third one's start and end", async () => {
    await logs.write("c1", "T0 m1@1 m3@3 m19@19 T5 m14@14 m9@9 T11 m12@12 m13@13 T15 T20");
    const stream = await consumerOf(["c1"], { alignment: "lockstep" });
    const packs: MsgPack[] = [];
    for (let count = 0; count < 4; count++) packs.push((await stream.consume()) as MsgPack);

    expect(packs.map(show)).toEqual(["(0,5] m1 m3", "(5,11] m9", "(11,15] m14 m12 m13", "(15,20] m19"]);
    expect(packs.map((pack) => positionOf(pack, "c1", "start").timestamp)).toEqual([0n, 5n, 11n, 15n]);
    expect(packs.map((pack) => positionOf(pack, "c1").timestamp)).toEqual([5n, 11n, 15n, 20n]);
    await stream.seek(positionOf(packs[2], "c1", "start"));
    expect(await take(stream, 2)).toEqual(["(0,15] m14 m12 m13", "(15,20] m19"]);
    await stream.seek(positionOf(packs[2], "c1"));
    expect(await take(stream, 1)).toEqual(["(0,20] m19"]);
  });

  it("scenario 45: reading again from the earliest gives the same packs, by the same name or another, in both alignments", async () => {
    await logs.write("c1", "T0 m1@1 m19@19 T5 m14@14 m9@9 T11 T15");
    await logs.write("c2", "T0 n2@2 T5 n8@8 T11 n12@12 T15");
    for (const alignment of ["watermark", "lockstep"] as const) {
      const runs = await Promise.all(
        ["s", "s", "other"].map(async (name) => {
          const stream = await factory.newTtMsgStream({ alignment });
          await stream.asConsumer(["c1", "c2"], name, "earliest");
          return take(stream, 3);
        }),
      );

      expect(runs[0]).toEqual(["(0,5] m1 n2", "(5,11] m9 n8", "(11,15] m14 n12"]);
      expect(runs[1]).toEqual(runs[0]);
      expect(runs[2]).toEqual(runs[0]);
    }
  });

  it("scenario 48: an insert that came three times is in the pack once, also after a seek to its start", async () => {
    const producer = await factory.newMsgStream();
    await producer.asProducer(["c1"]);
    await logs.write("c1", "T0");
    await producer.broadcast({ msgs: [insert(1, 1), insert(1, 1), insert(1, 1), create(2, 11), create(2, 11)] });
    await logs.write("c1", "T15");
    const stream = await consumerOf(["c1"], { alignment: "lockstep" });
    const first = await stream.consume();

    expect(show(first)).toBe("(0,15] insert#1 createCollection#2 createCollection#2");
    await stream.seek(positionOf(first, "c1", "start"));
    expect(await take(stream, 1)).toEqual(["(0,15] insert#1 createCollection#2 createCollection#2"]);
  });
});
