import { describe, expect, it } from "vitest";
import { ManualClock } from "../../src/testing/index.js";
import { brokenHooks, fail, noClock } from "../testing/broken-hooks.js";
import { message, type QueueOptions, readAll, segmentInMemory, texts } from "./stores.js";

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
  ...brokenHooks,
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
