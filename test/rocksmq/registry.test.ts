import { describe, expect, it } from "vitest";
import { filled, message, nextTexts, loopOf, numbered, readAll, stores, texts } from "./stores.js";

/** By UTF-16 units the last two would stand the other way round. */
const byUtf8 = ["A", "a", "a b", "z", "é", "～ wave", "𝄞 clef"];

describe.each(stores)("channels and groups on $name", ({ open }) => {
  it("are listed in the order of their UTF-8 bytes", async () => {
    const mq = await open();
    for (const name of byUtf8.toReversed()) await Promise.all([mq.createChannel(name), mq.createConsumerGroup(name)]);

    expect(await mq.channels()).toEqual(byUtf8);
    expect(await mq.consumerGroups()).toEqual(byUtf8);
  });

  it("that exist are left as they are with ifNotExists, and made when they do not", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 3);
    await mq.createConsumerGroup("late", { from: "latest" });
    await mq.consume("g", "c", 2);

    await mq.createChannel("c", { ifNotExists: true });
    await mq.createChannel("d", { ifNotExists: true });
    await mq.createConsumerGroup("g", { ifNotExists: true, from: "latest" });
    await mq.createConsumerGroup("late", { ifNotExists: true });
    await mq.createConsumerGroup("h", { ifNotExists: true });

    expect(await mq.channels()).toEqual(["c", "d"]);
    expect(await mq.consumerGroups()).toEqual(["g", "h", "late"]);
    expect((await readAll(mq, "c"))[0]?.id).toBe(firstId);
    expect(texts(await mq.consume("g", "c", 9))).toEqual(["2"]);
    expect(texts(await mq.consume("late", "c", 9))).toEqual([]);
    expect(texts(await mq.consume("h", "c", 9))).toEqual(["0", "1", "2"]);
  });

  it("take a group's cursors with it: of that name made again it reads from where a new one does", async () => {
    const mq = await open();
    await filled(mq, 3);
    await mq.consume("g", "c", 2);

    await mq.destroyConsumerGroup("g");
    expect(await mq.consumerGroups()).toEqual([]);
    expect((await mq.describeChannel("c")).groups).toEqual([]);
    await mq.createConsumerGroup("g");

    expect(texts(await mq.consume("g", "c", 9))).toEqual(["0", "1", "2"]);
  });
});

describe.each(stores)("how many messages come at once on $name", ({ open }) => {
  it("is 1,000 in the arrays of a loop that asks for nothing else", async () => {
    const mq = await open();
    await filled(mq, 1_001);

    expect(await nextTexts(loopOf(mq.read("c", { from: "earliest" })))).toHaveLength(1_000);
    expect(await nextTexts(loopOf(mq.subscribe("g", "c")))).toHaveLength(1_000);
  });

  it("is up to 100,000 for a consume", async () => {
    const mq = await open();
    await filled(mq, 0);
    const batch = Array.from({ length: 50_001 }, () => message("m"));
    await Promise.all([mq.produce("c", batch), mq.produce("c", batch)]);

    expect(await mq.consume("g", "c", 100_000)).toHaveLength(100_000);
    expect(await mq.consume("g", "c", 100_000)).toHaveLength(2);
  });

  it("is never more than asked for, in a loop or a call", async () => {
    const mq = await open();
    await filled(mq, 0);
    await mq.produce("c", numbered(0, 7));

    expect(texts(await mq.consume("g", "c", 3))).toEqual(["0", "1", "2"]);
    expect(await nextTexts(loopOf(mq.read("c", { from: "earliest", batch: 2 })))).toEqual(["0", "1"]);
    expect(await nextTexts(loopOf(mq.subscribe("g", "c", { batch: 2 })))).toEqual(["3", "4"]);
  });
});
