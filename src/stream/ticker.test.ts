import { describe, expect, it, onTestFinished } from "vitest";
import { type TimeTick, timeTickFrom, tsMsg } from "../message/index.js";
import { ManualClock } from "../testing/index.js";
import { memoryMsgStreamFactory } from "./factory.js";
import { openTicker } from "./ticker.js";

function oracle(): () => Promise<TimeTick> {
  let last = 0n;
  return async () => timeTickFrom((last += 10n));
}

function setting() {
  const clock = new ManualClock();
  const factory = memoryMsgStreamFactory({ clock });
  onTestFinished(() => factory.close());
  return { clock, factory, now: oracle() };
}

describe("openTicker", () => {
  it("lets a time-tick stream see everything up to the ticks, work in flight held back", async () => {
    const { clock, factory, now } = setting();
    const ticker = await openTicker({ factory, channels: ["a", "b"], now, clock });
    onTestFinished(() => ticker.close());
    const reader = await factory.newTtMsgStream();
    await reader.asConsumer(["a", "b"], "s", "earliest");
    const writer = await factory.newMsgStream();
    await writer.asProducer(["a"]);
    const [one, two] = [await ticker.begin("a"), await ticker.begin("a")];

    await writer.produce({ msgs: [tsMsg({ type: "user", timestamp: one.timestamp, hashKeys: [0], payload: Buffer.from("1") })] });
    one.done();
    await clock.advance(200);
    const first = await reader.consume();
    await writer.produce({ msgs: [tsMsg({ type: "user", timestamp: two.timestamp, hashKeys: [0], payload: Buffer.from("2") })] });
    two.done();
    await clock.advance(200);
    const second = await reader.consume();

    expect([first?.endTs, first?.msgs.map(({ endTs }) => endTs)]).toEqual([two.timestamp - 1n, [one.timestamp]]);
    expect(second?.msgs.map(({ endTs, late }) => [endTs, late])).toEqual([[two.timestamp, undefined]]);
  });

  it("ticks channels that got data or have a reader here, and no others", async () => {
    const { clock, factory, now } = setting();
    const ticker = await openTicker({ factory, channels: ["written", "read", "idle"], now, clock });
    onTestFinished(() => ticker.close());
    const writer = await factory.newMsgStream();
    await writer.asProducer(["written"]);
    const reader = await factory.newMsgStream();
    await reader.asConsumer(["read"], "s");

    expect([...(await ticker.tick()).keys()]).toEqual(["read"]);
    await writer.produce({ msgs: [tsMsg({ type: "user", timestamp: await now(), hashKeys: [0] })] });
    expect([...(await ticker.tick()).keys()].sort()).toEqual(["read", "written"]);
    await reader.close();
    expect([...(await ticker.tick()).keys()]).toEqual(["read"]);
    expect([...(await ticker.tick()).keys()]).toEqual([]);
  });

  it("ticks first where an earlier ticker may have left something", async () => {
    const { clock, factory, now } = setting();
    const writer = await factory.newMsgStream();
    await writer.asProducer(["full", "empty"]);
    await writer.produce({ msgs: [tsMsg({ type: "user", timestamp: await now(), hashKeys: [0] })] });
    const earlier = await openTicker({ factory, channels: ["full", "empty"], now, clock });
    await earlier.tick();
    await earlier.close();

    const ticker = await openTicker({ factory, channels: ["full", "empty"], now, clock });
    onTestFinished(() => ticker.close());

    expect([...(await ticker.tick()).keys()]).toEqual(["full"]);
  });

  it("scenario 50: the least that is in flight decides, a time that is no later is passed over, and channels that there are not are refused", async () => {
    const { clock, factory } = setting();
    const times = [3n, 5n, 9n, 9n, 9n, 7n, 12n].map(timeTickFrom);
    const ticker = await openTicker({ factory, channels: ["a"], now: async () => times.shift() ?? timeTickFrom(0n), clock });
    onTestFinished(() => ticker.close());
    expect(await ticker.tick()).toEqual(new Map());
    const [three, five] = [await ticker.begin("a"), await ticker.begin("a")];
    const reader = await factory.newMsgStream();
    await reader.asConsumer(["a"], "s");

    expect(await ticker.tick()).toEqual(new Map([["a", 2n]]));
    three.done();
    five.done();
    expect(await ticker.tick()).toEqual(new Map([["a", 9n]]));
    // The same time again, one before it, and one that is later.
    expect(await ticker.tick()).toEqual(new Map());
    expect(await ticker.tick()).toEqual(new Map());
    expect(await ticker.tick()).toEqual(new Map([["a", 12n]]));
    await expect(ticker.begin("b")).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "channel" } });
  });

  it("refuses bad options", async () => {
    const { factory, now } = setting();
    const refused = (options: object): object => ({ code: "invalid-argument", details: { argument: Object.keys(options)[0] } });
    const open = (bad: object) => openTicker({ factory, channels: ["a"], now, ...bad });

    for (const bad of [
      { channels: [] },
      { channels: ["a", "a"] },
      { intervalMs: 0 },
      { clock: {} },
      { every: 1 },
      { now: 1 },
      { factory: {} },
    ]) {
      await expect(open(bad)).rejects.toMatchObject(refused(bad));
    }
  });
});
