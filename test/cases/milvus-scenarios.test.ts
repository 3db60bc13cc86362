/**
 * Scenarios of Milvus's own tests (`spec/message-stream.md`, section 8), in this queue's terms. Where a decision of ours replaces what they
 * expect, the test's name says which.
 */
import { describe, expect, it } from "vitest";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { lastingStores, loopOf, message, numbered, stores, texts } from "../rocksmq/stores.js";

describe.each(stores)("on $name", ({ open }) => {
  it("scenario 2: one message, then two, come as 1 and 2; the same group twice is an error", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.produce("c", [message("a_message")]);
    await mq.produce("c", [message("b_message"), message("c_message")]);

    await mq.createConsumerGroup("g");
    await expect(mq.createConsumerGroup("g")).rejects.toMatchObject({ code: "group-exists" });

    expect(texts(await mq.consume("g", "c", 1))).toEqual(["a_message"]);
    expect(texts(await mq.consume("g", "c", 2))).toEqual(["b_message", "c_message"]);
  });

  it("scenario 3: each of 11 groups consumes the same 10 messages", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.produce(
      "c",
      Array.from({ length: 10 }, (_, at) => message(`message_${at}`)),
    );

    for (let group = 0; group < 11; group++) {
      await mq.createConsumerGroup(`group_${group}`);
      const got = texts(await mq.consume(`group_${group}`, "c", 10));
      expect(got).toHaveLength(10);
      expect(got[0]).toBe("message_0");
    }
  });

  it("scenario 7: sought to number 50, the next are 50 and 51", async () => {
    const mq = await open();
    await mq.createChannel("c");
    const ids: bigint[] = [];
    for (let at = 0; at < 100; at++) ids.push((await mq.produce("c", [message(`message_${at}`)])).firstId);
    await mq.createConsumerGroup("g");

    await mq.seek("g", "c", ids[50] ?? 0n);

    expect(texts(await mq.consume("g", "c", 1))).toEqual(["message_50"]);
    expect(texts(await mq.consume("g", "c", 1))).toEqual(["message_51"]);
  });

  it("scenario 8: singles and a batch come out in order, then nothing, and that is no error", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");
    for (const one of numbered(0, 100)) await mq.produce("c", [one]);
    await mq.produce("c", numbered(100, 200));

    expect(texts(await mq.consume("g", "c", 100))).toEqual(Array.from({ length: 100 }, (_, at) => String(at)));
    for (let at = 100; at < 200; at++) expect(texts(await mq.consume("g", "c", 1))).toEqual([String(at)]);
    expect(await mq.consume("g", "c", 1)).toEqual([]);
  });

  it("scenario 9: 50 concurrent produces of 2 give 2 ids each, 100 concurrent consumes of 1 one message each", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");

    const produced = await Promise.all(Array.from({ length: 50 }, (_, at) => mq.produce("c", numbered(2 * at, 2 * at + 2))));
    const consumed = await Promise.all(Array.from({ length: 100 }, () => mq.consume("g", "c", 1)));

    expect(produced.map(({ firstId, lastId, count }) => [lastId - firstId, count])).toEqual(Array(50).fill([1n, 2]));
    expect(consumed.map((messages) => texts(messages))).toEqual(Array.from({ length: 100 }, (_, at) => [String(at)]));
  });

  it("scenario 10, shortened (the whole is in the deep tier): every call returns exactly one id, and one message", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");
    const total = 2_000;

    const produced = await Promise.all(numbered(0, total).map((one) => mq.produce("c", [one])));
    const consumed = await Promise.all(Array.from({ length: total }, () => mq.consume("g", "c", 1)));

    expect(new Set(produced.map(({ count }) => count))).toEqual(new Set([1]));
    expect(new Set(consumed.map(({ length }) => length))).toEqual(new Set([1]));
  });

  it("scenario 12: empty payloads come back empty, five bytes identical", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");

    await mq.produce("c", [message(""), message(""), message("")]);
    await mq.produce("c", [message("12345")]);

    expect((await mq.consume("g", "c", 3)).map(({ payload }) => payload.byteLength)).toEqual([0, 0, 0]);
    expect(texts(await mq.consume("g", "c", 1))).toEqual(["12345"]);
  });

  it("scenario 12, by rocksmq.d.ts (a payload is a Uint8Array): no payload at all is invalid-argument", async () => {
    const mq = await open();
    await mq.createChannel("c");

    await expect(Reflect.apply(mq.produce, mq, ["c", [{ payload: null }]])).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "messages[0].payload" },
    });
  });

  it("scenario 14, by rocksmq.d.ts (undefined for -1, closed for an error): the latest id of each channel by itself", async () => {
    const mq = await open();
    await mq.createChannel("a");
    await mq.createChannel("b");
    expect(await mq.latestId("a")).toBeUndefined();

    const { lastId } = await mq.produce("a", numbered(0, 10));
    expect(await mq.latestId("a")).toBe(lastId);
    expect(await mq.latestId("b")).toBeUndefined();
    await mq.close();

    await expect(mq.latestId("a")).rejects.toMatchObject({ code: "closed" });
  });

  it("scenario 27, by rocksmq.d.ts (one subscription a pair): the second is conflict, the first goes on", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");
    await mq.produce("c", numbered(0, 2));
    const first = loopOf(mq.subscribe("g", "c", { batch: 1 }));
    await first.next();

    await expect(loopOf(mq.subscribe("g", "c")).next()).rejects.toMatchObject({ code: "conflict" });

    expect((await first.next()).done).toBe(false);
  });

  it("scenario 27: no options, or a seek that fails, make no queue and no cursor", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");

    await expect(Reflect.apply(openRocksMq, undefined, [undefined])).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(mq.seekToLatest("g", "nowhere")).rejects.toMatchObject({ code: "channel-not-found" });
    await expect(mq.seek("g", "c", 2n ** 62n)).rejects.toMatchObject({ code: "position-ahead" });

    expect((await mq.describeChannel("c")).groups).toEqual([]);
  });

  it("scenario 28: an earliest group made before the channel gets the id that produce gave; a latest one only what is later", async () => {
    const mq = await open();
    await mq.createConsumerGroup("earliest");
    await mq.createChannel("c");
    const first = await mq.produce("c", [message("ten bytes!")]);
    await mq.createConsumerGroup("latest", { from: "latest" });
    const second = await mq.produce("c", [message("8 bytes!")]);

    expect((await mq.consume("earliest", "c", 1)).map(({ id }) => id)).toEqual([first.firstId]);
    const late = await mq.consume("latest", "c", 10);
    expect(late.map(({ id }) => id)).toEqual([second.firstId]);
    expect(texts(late)).toEqual(["8 bytes!"]);
  });
});

describe.each(lastingStores)("on $name", ({ place }) => {
  it("scenario 24, by D12 (an existing name is an error): after a restart a is there, b can be made, and takes 100 messages", async () => {
    const where = place();
    const before = await where.open();
    await before.createChannel("topic_a");
    await before.close();

    const mq = await where.open();
    await expect(mq.createChannel("topic_a")).rejects.toMatchObject({ code: "channel-exists" });
    await mq.createChannel("topic_a", { ifNotExists: true });
    await mq.createChannel("topic_b");

    expect(await mq.produce("topic_b", numbered(0, 100))).toMatchObject({ count: 100 });
    expect(await mq.channels()).toEqual(["topic_a", "topic_b"]);
  });
});
