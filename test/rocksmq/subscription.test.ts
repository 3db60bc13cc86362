import { describe, expect, it } from "vitest";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { closing, filled, loopOf, message, nextTexts, numbered, settle, stores, texts } from "./stores.js";

describe("a subscription on a disk that fills", () => {
  it("goes on as if there had been no seek when there is no room for that", async () => {
    const vfs = new MemoryVfs();
    const mq = closing(await openRocksMq({ dir: "/queue", vfs }));
    const { firstId } = await filled(mq, 6);
    const subscription = mq.subscribe("g", "c", { ack: "manual", batch: 2 });
    const loop = loopOf(subscription);
    await loop.next();

    // The reserve is given up after the first, and does not help.
    const faults = [1, 2].map(() => vfs.failNext({ op: "write", path: /\.seg$/, code: "ENOSPC" }));
    await expect(mq.seek("g", "c", firstId + 5n)).rejects.toMatchObject({ code: "disk-full", effect: "none" });
    expect(faults.map((fault) => fault.fired())).toEqual([true, true]);
    await subscription.ack(firstId + 1n);

    expect(await nextTexts(loop)).toEqual(["2", "3"]);
    expect((await mq.describeChannel("c")).groups[0]?.currentId).toBe(firstId + 2n);
  });
});

describe.each(stores)("a subscription on $name", ({ open }) => {
  it("acknowledges a batch when the next one is asked for", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 6);
    const loop = loopOf(mq.subscribe("g", "c", { batch: 2 }));
    const cursor = async (): Promise<bigint | undefined> => (await mq.describeChannel("c")).groups[0]?.currentId;

    expect(await nextTexts(loop)).toEqual(["0", "1"]);
    expect(await cursor()).toBe(firstId);
    expect(await nextTexts(loop)).toEqual(["2", "3"]);
    expect(await cursor()).toBe(firstId + 2n);
    expect(await nextTexts(loop)).toEqual(["4", "5"]);
    const parked = loop.next();
    await settle();

    expect(await cursor()).toBe(firstId + 6n);
    await mq.close();
    expect(await parked).toEqual({ done: true, value: undefined });
  });

  it("acknowledges only what it is told to, with ack manual, and only forward", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 6);
    const subscription = mq.subscribe("g", "c", { ack: "manual", batch: 4 });
    const loop = loopOf(subscription);
    const cursor = async (): Promise<bigint | undefined> => (await mq.describeChannel("c")).groups[0]?.currentId;

    await loop.next();
    await loop.next();
    expect(await cursor()).toBe(firstId);
    await subscription.ack(firstId + 2n);
    expect(await cursor()).toBe(firstId + 3n);
    await subscription.ack(firstId);
    expect(await cursor()).toBe(firstId + 3n);

    await subscription.close();
    expect(texts(await mq.consume("g", "c", 10))).toEqual(["3", "4", "5"]);
  });

  it("refuses an ack of what was not handed over", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 6);
    const subscription = mq.subscribe("g", "c", { ack: "manual", batch: 2 });
    const loop = loopOf(subscription);

    await expect(subscription.ack(firstId)).rejects.toMatchObject({ code: "position-ahead", details: { end: "0" } });
    await loop.next();
    await expect(subscription.ack(firstId + 2n)).rejects.toMatchObject({ code: "position-ahead", details: { end: String(firstId + 2n) } });
    await subscription.ack(firstId - 5n);
    await subscription.ack(firstId + 1n);
    await subscription.close();

    await expect(subscription.ack(firstId + 1n)).rejects.toMatchObject({ code: "closed", effect: "none" });
  });

  it.each(["break", "throw", "return"] as const)("ended by %s leaves the last batch to whoever is next", async (end) => {
    const mq = await open();
    await filled(mq, 5);
    const run = async (): Promise<void> => {
      let batches = 0;
      for await (const _ of mq.subscribe("g", "c", { batch: 2 })) {
        if (++batches < 2) continue;
        if (end === "throw") throw new Error("the body failed");
        if (end === "return") return;
        break;
      }
    };

    const outcome: unknown = await run().then(
      () => "quiet",
      (error: unknown) => error,
    );

    expect(outcome).toEqual(end === "throw" ? new Error("the body failed") : "quiet");
    expect(texts(await mq.consume("g", "c", 10))).toEqual(["2", "3", "4"]);
  });

  it.each(["close", "abort"] as const)("ended by %s while the body runs leaves the last batch to whoever is next", async (end) => {
    const mq = await open();
    await filled(mq, 5);
    const controller = new AbortController();
    const subscription = mq.subscribe("g", "c", { batch: 2, signal: controller.signal });
    const seen: string[][] = [];

    for await (const batch of subscription) {
      seen.push(texts(batch));
      if (seen.length < 2) continue;
      if (end === "abort") controller.abort();
      else await subscription.close();
    }

    expect(seen).toEqual([
      ["0", "1"],
      ["2", "3"],
    ]);
    expect(texts(await mq.consume("g", "c", 10))).toEqual(["2", "3", "4"]);
  });

  it.each(["close", "abort", "return", "dispose"] as const)("parked ends at once by %s, without an error", async (end) => {
    const mq = await open();
    await filled(mq, 0);
    const controller = new AbortController();
    const subscription = mq.subscribe("g", "c", { signal: controller.signal });
    const loop = loopOf(subscription);
    const parked = loop.next();
    await settle();

    if (end === "close") await subscription.close();
    else if (end === "abort") controller.abort();
    else if (end === "return") await loop.return?.();
    else await subscription[Symbol.asyncDispose]();

    expect(await parked).toEqual({ done: true, value: undefined });
    expect(await loop.next()).toEqual({ done: true, value: undefined });
  });

  it("is conflict for a second loop, a second subscription, and while a consume waits", async () => {
    const mq = await open();
    await filled(mq, 1);
    const subscription = mq.subscribe("g", "c");
    const loop = loopOf(subscription);
    await loop.next();

    await expect(loopOf(subscription).next()).rejects.toMatchObject({ code: "conflict" });
    await expect(loopOf(mq.subscribe("g", "c")).next()).rejects.toMatchObject({ code: "conflict" });
    await subscription.close();
    const waiting = mq.consume("g", "c", 1, { waitMs: 60_000 }).then(texts);
    expect(await waiting).toEqual(["0"]);
    const waitingAgain = mq.consume("g", "c", 1, { waitMs: 60_000 }).then(texts);
    await settle();
    await expect(loopOf(mq.subscribe("g", "c")).next()).rejects.toMatchObject({ code: "conflict" });

    await mq.produce("c", [message("last")]);
    expect(await waitingAgain).toEqual(["last"]);
    expect(await nextTexts(loopOf(mq.subscribe("g", "c", { signal: AbortSignal.abort() })))).toBe("done");
  });

  it("called while a consume is under way is conflict as soon as that waits", async () => {
    const mq = await open();
    await filled(mq, 0);

    const waiting = mq.consume("g", "c", 1, { waitMs: 60_000 }).then(texts);
    const refused = loopOf(mq.subscribe("g", "c")).next();

    await expect(refused).rejects.toMatchObject({ code: "conflict" });
    await mq.produce("c", numbered(0, 1));
    expect(await waiting).toEqual(["0"]);
  });

  it("called behind consumes goes on where they end", async () => {
    const mq = await open();
    await filled(mq, 6);

    const first = mq.consume("g", "c", 2).then(texts);
    const second = mq.consume("g", "c", 2).then(texts);
    const loop = loopOf(mq.subscribe("g", "c"));

    expect(await nextTexts(loop)).toEqual(["4", "5"]);
    expect([await first, await second]).toEqual([
      ["0", "1"],
      ["2", "3"],
    ]);
  });

  it("goes on at a seek: what was not handed over is dropped, and acks of before do nothing", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    const subscription = mq.subscribe("g", "c", { ack: "manual", batch: 4 });
    const loop = loopOf(subscription);
    await loop.next();
    await loop.next();

    const sought = mq.seek("g", "c", firstId + 1n);
    const lateAck = subscription.ack(firstId + 7n);
    expect(await nextTexts(loop)).toEqual(["1", "2", "3", "4"]);
    await Promise.all([sought, lateAck]);
    await subscription.ack(firstId + 6n);
    const { groups } = await mq.describeChannel("c");
    expect(groups[0]?.currentId).toBe(firstId + 1n);
    await subscription.ack(firstId + 3n);

    await subscription.close();
    expect(texts(await mq.consume("g", "c", 2))).toEqual(["4", "5"]);
  });

  it("with ack auto forgets the batch before a seek", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    const subscription = mq.subscribe("g", "c", { batch: 4 });
    const loop = loopOf(subscription);
    await loop.next();

    await mq.seek("g", "c", firstId + 8n);
    expect(await nextTexts(loop)).toEqual(["8", "9"]);
    await mq.seek("g", "c", firstId + 2n);
    expect(await nextTexts(loop)).toEqual(["2", "3", "4", "5"]);
    await subscription.close();

    expect(texts(await mq.consume("g", "c", 1))).toEqual(["2"]);
  });

  it("parked is redirected by a seek", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 5);
    await mq.consume("g", "c", 10);
    const parked = nextTexts(loopOf(mq.subscribe("g", "c")));
    await settle();

    await mq.seek("g", "c", firstId + 3n);

    expect(await parked).toEqual(["3", "4"]);
  });

  it("keeps within its bytes, and gives a larger message alone", async () => {
    const mq = await open();
    await filled(mq, 0);
    await mq.produce("c", [message("aaaa"), message("bbbb"), message("c".repeat(50)), message("d")]);
    const loop = loopOf(mq.subscribe("g", "c", { maxBytes: 8 }));

    expect(await nextTexts(loop)).toEqual(["aaaa", "bbbb"]);
    expect(await nextTexts(loop)).toEqual(["c".repeat(50)]);
    expect(await nextTexts(loop)).toEqual(["d"]);
  });

  it("throws what was trimmed, or goes on behind it with an event", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    await mq.createConsumerGroup("h");
    const strict = loopOf(mq.subscribe("g", "c", { batch: 2 }));
    const easy = loopOf(mq.subscribe("h", "c", { batch: 2, onTrimmed: "earliest" }));
    await strict.next();
    await easy.next();

    await mq.trim("c", firstId + 7n);
    const events = loopOf(mq.events());

    await expect(strict.next()).rejects.toMatchObject({ code: "position-trimmed", details: { firstAvailable: String(firstId + 7n) } });
    expect(await strict.next()).toEqual({ done: true, value: undefined });
    expect(await nextTexts(easy)).toEqual(["7", "8"]);
    expect(await events.next()).toMatchObject({ value: { type: "trimmed", channel: "c", beginId: firstId + 7n } });
  });

  it("ends with its channel, and with its group", async () => {
    const mq = await open();
    await filled(mq, 1);
    await mq.createChannel("d");
    const onChannel = loopOf(mq.subscribe("g", "c"));
    const ofGroup = loopOf(mq.subscribe("g", "d"));
    await onChannel.next();
    const parked = [onChannel.next(), ofGroup.next()].map((next) => next.catch((error: unknown) => error));
    await settle();

    await mq.destroyChannel("c");
    await mq.destroyConsumerGroup("g");

    expect(await parked[0]).toMatchObject({ code: "channel-not-found" });
    expect(await parked[1]).toMatchObject({ code: "group-not-found" });
  });

  it.each(["manual", "auto"] as const)("ends with its channel also when another of that name is there by then, %s", async (ack) => {
    const mq = await open();
    await filled(mq, 3);
    const subscription = mq.subscribe("g", "c", { ack });
    const loop = loopOf(subscription);
    const handed = (await loop.next()).value;

    await mq.destroyChannel("c");
    await mq.createChannel("c");

    await expect(subscription.ack(handed?.at(-1)?.id ?? 0n)).rejects.toMatchObject({
      code: "channel-not-found",
      details: { channels: ["c"] },
    });
    await expect(loop.next()).rejects.toMatchObject({ code: "channel-not-found" });
  });

  it("ends with its group also when another of that name is there by then and was sought", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 3);
    const loop = loopOf(mq.subscribe("g", "c", { batch: 1 }));
    await loop.next();

    await mq.destroyConsumerGroup("g");
    await mq.createConsumerGroup("g");
    await mq.seek("g", "c", firstId);

    await expect(loop.next()).rejects.toMatchObject({ code: "group-not-found", details: { group: "g" } });
    expect(await mq.consume("g", "c", 10)).toHaveLength(3);
  });

  it("of what is not there says so at its first next()", async () => {
    const mq = await open();
    await mq.createChannel("c");

    await expect(loopOf(mq.subscribe("nobody", "c")).next()).rejects.toMatchObject({ code: "group-not-found" });
    await mq.createConsumerGroup("g");
    await expect(loopOf(mq.subscribe("g", "nowhere")).next()).rejects.toMatchObject({ code: "channel-not-found" });
  });
});
