/**
 * A channel destroyed and made again is another one, also when nothing was ever produced to the first and the second begins in the same
 * millisecond, or, with ids from outside, at the same id.
 */
import { describe, expect, it } from "vitest";
import type { IdAllocator } from "../../src/rocksmq/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { filled, loopOf, message, nextTexts, type QueueOptions, settle, stores, texts } from "./stores.js";

function counting(): IdAllocator {
  let next = 1n;
  return {
    alloc: async (count) => [next, (next += BigInt(count))],
    allocOne: async () => next++,
    updateId: async () => undefined,
  };
}

const ids: { readonly kind: string; readonly options: () => QueueOptions }[] = [
  { kind: "its own ids", options: () => ({ clock: new ManualClock() }) },
  { kind: "ids from outside", options: () => ({ clock: new ManualClock(), ids: counting() }) },
];

/** What a call that must not come through says. */
const refusal = (error: unknown): unknown => error;

describe.each(ids)("of a channel made again with $kind", ({ options }) => {
  describe.each(stores)("on $name", ({ open }) => {
    it("a consume that stood in line gets nothing", async () => {
      const mq = await open(options());
      await filled(mq, 0);
      const inLine = [{ waitMs: 60_000 }, { waitMs: 60_000 }, {}].map((wait) => mq.consume("g", "c", 1, wait).catch(refusal));
      await settle();

      await Promise.all([mq.destroyChannel("c"), mq.createChannel("c"), mq.produce("c", [message("another's")])]);

      for (const outcome of await Promise.all(inLine)) expect(outcome).toMatchObject({ code: "channel-not-found" });
      expect(texts(await mq.consume("g", "c", 1))).toEqual(["another's"]);
    });

    it("a seek that waits does not go there", async () => {
      const mq = await open(options());
      await filled(mq, 0);
      const { endId } = await mq.describeChannel("c");
      const waiting = mq.seek("g", "c", endId + 1n, { waitMs: 60_000 }).catch(refusal);
      await settle();

      await Promise.all([mq.destroyChannel("c"), mq.createChannel("c"), mq.produce("c", [message("0"), message("1")])]);

      expect(await waiting).toMatchObject({ code: "channel-not-found" });
      expect(texts(await mq.consume("g", "c", 1))).toEqual(["0"]);
    });

    it("a subscription called before opens on it, at its first next", async () => {
      const mq = await open(options());
      await filled(mq, 0);
      const loop = loopOf(mq.subscribe("g", "c"));

      await Promise.all([mq.destroyChannel("c"), mq.createChannel("c"), mq.produce("c", [message("another's")])]);

      expect(await nextTexts(loop)).toEqual(["another's"]);
    });

    it("a reader called before is not on it", async () => {
      const mq = await open(options());
      await filled(mq, 0);
      // Something is on its way, so that the reader has its place among the calls.
      const calls = [mq.createChannel("d")];
      const loop = loopOf(mq.read("c", { from: "earliest" }));

      calls.push(
        mq.destroyChannel("c"),
        mq.createChannel("c"),
        mq.produce("c", [message("another's")]).then(() => undefined),
      );
      await Promise.all(calls);

      await expect(loop.next()).rejects.toMatchObject({ code: "channel-not-found", details: { channels: ["c"] } });
    });
  });
});
