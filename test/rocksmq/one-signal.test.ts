/** One signal for many calls at a time: what a program that shuts down by one controller does. */
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { loopOf, message, settle, stores } from "./stores.js";

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe.each(stores)("a signal for many calls on $name", ({ open }) => {
  it("has one listener of ours, which is no leak to warn of, ends them all, and has none then", async () => {
    const mq = await open();
    await mq.createChannel("c");
    const groups = Array.from({ length: 20 }, (_, at) => `g${at}`);
    for (const group of groups) await mq.createConsumerGroup(group);
    const controller = new AbortController();
    const { signal } = controller;

    const produced = groups.map((group) => mq.produce("c", [message(group)], { signal }));
    const loops = groups.map(() => loopOf(mq.read("c", { from: "latest", follow: true, signal })).next());
    expect(listenersOf(signal)).toBe(1);
    await Promise.all(produced);
    await Promise.all(groups.map((group) => mq.consume(group, "c", 1_000)));
    const waits = groups.flatMap((group) => [
      mq.consume(group, "c", 1, { waitMs: 60_000, signal }),
      mq.consume(group, "c", 1, { waitMs: 60_000, signal }),
      mq.seek(group, "c", 2n ** 62n, { waitMs: 60_000, signal }),
    ]);
    const outcomes = Promise.allSettled(waits);
    await settle();
    expect(listenersOf(signal)).toBe(1);
    controller.abort("enough");

    for (const outcome of await outcomes) expect(outcome).toEqual({ status: "rejected", reason: "enough" });
    for (const loop of loops) await loop;
    expect(listenersOf(signal)).toBe(0);
  });

  it("has no listener once the calls it was for are answered", async () => {
    const mq = await open();
    await mq.createChannel("c");
    const { signal } = new AbortController();

    await Promise.all(Array.from({ length: 20 }, (_, at) => mq.produce("c", [message(String(at))], { signal })));

    expect(listenersOf(signal)).toBe(0);
  });
});
