import { describe, expect, it, onTestFinished } from "vitest";
import { marshal, timeTick, timeTickFrom, tsMsg } from "../../message/index.js";
import { openRocksMq } from "../../rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import { latestTick, RisingTicks } from "./rising-ticks.js";

describe("the timestamps of a run", () => {
  it("go by the clock, each one once, also while it stands or goes back", () => {
    const clock = new ManualClock(1_000);
    const ticks = new RisingTicks(clock, timeTickFrom(0n));

    const given = [ticks.next(), ticks.next()];
    clock.setNowMs(500);
    given.push(ticks.next());
    clock.setNowMs(2_000);
    given.push(ticks.next());

    expect(given).toEqual([timeTick(1_000), timeTick(1_000, 1), timeTick(1_000, 2), timeTick(2_000)]);
  });

  it("begin above what the channels hold, also where that is no message of a stream", async () => {
    const clock = new ManualClock(1_000);
    const mq = await openRocksMq({ dir: "/queue", vfs: new MemoryVfs(), clock, prefill: "off" });
    onTestFinished(() => mq.close());
    for (const name of ["empty", "ticked", "plain"]) await mq.createChannel(name);
    await mq.produce("ticked", [marshal(tsMsg({ type: "timeTick", timestamp: timeTick(9_000, 3) }))]);
    await mq.produce("plain", [{ payload: Buffer.from("no protobuf at all") }]);

    expect(await latestTick(mq, ["empty"])).toBe(0n);
    expect(await latestTick(mq, ["plain"])).toBe(timeTick(1_000));
    expect(await latestTick(mq, ["empty", "ticked", "plain"])).toBe(timeTick(9_000, 3));
  });
});
