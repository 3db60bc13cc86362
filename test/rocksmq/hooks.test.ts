import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock.js";
import type { Logger } from "../../src/base/logger.js";
import type { Metrics } from "../../src/base/metrics.js";
import { ManualClock } from "../../src/testing/index.js";
import { message, type QueueOptions, readAll, segmentInMemory, texts } from "./stores.js";

function fail(): never {
  throw new Error("the hook is broken");
}

const broken = { add: fail, set: fail, observe: fail };
const unmade: Metrics = { counter: fail, gauge: fail, histogram: fail };
const made: Metrics = { counter: () => broken, gauge: () => broken, histogram: () => broken };
const logger: Logger = { debug: fail, info: fail, warn: fail, error: fail };
const noClock: Clock = { nowMs: fail, monotonicMs: fail, setTimer: fail };
const noTime: Clock = { ...systemClock, nowMs: () => Number.NaN, monotonicMs: () => Number.NaN };

/** A clock that breaks as soon as the queue is open. */
class BreakingClock extends ManualClock {
  isBroken = false;

  override nowMs(): number {
    return this.isBroken ? fail() : super.nowMs();
  }

  override monotonicMs(): number {
    return this.isBroken ? fail() : super.monotonicMs();
  }

  override setTimer(ms: number, f: () => void, options?: { keepAlive?: boolean | undefined }): () => void {
    return this.isBroken ? fail() : super.setTimer(ms, f, options);
  }
}

const hooks: readonly [name: string, options: QueueOptions][] = [
  ["metrics that can't be made", { metrics: unmade }],
  ["metrics that throw", { metrics: made }],
  ["a logger that throws", { logger }],
  ["metrics and a logger that throw", { metrics: made, logger }],
  ["a clock that throws", { clock: noClock }],
  ["a clock that knows no time", { clock: noTime }],
  ["a clock that throws, and syncs that wait for it", { clock: noClock, durability: { everyMs: 5 } }],
];

describe("a queue", () => {
  it.each(hooks)("works on with %s", async (_, options) => {
    const place = segmentInMemory.place();
    const mq = await place.open(options);

    await mq.createChannel("c");
    await mq.createConsumerGroup("g");
    await mq.produce("c", [message("a"), message("b")]);
    expect(texts(await mq.consume("g", "c", 1))).toEqual(["a"]);
    expect(await mq.consume("g", "c", 5, { waitMs: 10 })).toHaveLength(1);
    expect(await mq.consume("g", "c", 5, { waitMs: 10 })).toEqual([]);
    await mq.close();

    expect(texts(await readAll(await place.open(), "c"))).toEqual(["a", "b"]);
  });

  it("works on with a clock that breaks under it, and its times do not go back", async () => {
    const clock = new BreakingClock(4_000_000_000_000);
    const mq = await segmentInMemory.open({ clock });
    await mq.createChannel("c");
    await mq.produce("c", [message("a")]);

    clock.isBroken = true;
    await mq.produce("c", [message("b")]);

    const [a, b] = await readAll(mq, "c");
    expect(b?.timeMs).toBe(a?.timeMs);
  });
});
