/**
 * Public reports about races, many readers and bursts: `cases.md` 11, 13, 16, 26 and 28.
 */
import { describe, expect, it } from "vitest";
import type { ConsumerMessage } from "../../src/rocksmq/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { filled, loopOf, message, numbered, readAll, settle, stores, texts } from "../rocksmq/stores.js";

const seed = Number(process.env["SEED"] ?? 4711);

describe.each(stores)("on $name", ({ open }) => {
  it(`case 11: a produce racing the channel's end is acked and gone with it, or refused; never is it in the next one (SEED=${seed})`, async () => {
    const random = new SeededRandom(seed);
    const mq = await open();
    let greatest = 0n;

    for (let round = 0; round < 30; round++) {
      await mq.createChannel("c");
      const produced: Promise<bigint>[] = [];
      const burst = (): void => {
        for (let i = random.below(5); i > 0; i--) produced.push(mq.produce("c", [message(`round ${round}`)]).then(({ lastId }) => lastId));
      };
      burst();
      if (random.below(2) === 0) await settle();
      const destroyed = mq.destroyChannel("c");
      burst();
      const created = mq.createChannel("c");
      const outcomes = await Promise.allSettled(produced);
      await Promise.all([destroyed, created]);

      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") greatest = outcome.value > greatest ? outcome.value : greatest;
        else expect(outcome.reason).toMatchObject({ code: "channel-not-found", effect: "none" });
      }
      expect(await readAll(mq, "c")).toEqual([]);
      const { firstId } = await mq.produce("c", [message("new")]);
      expect(firstId).toBeGreaterThan(greatest);
      await mq.destroyChannel("c");
    }
  });

  it("case 11: destroying dml_1 never touches dml_10, nor does a group that is called like a channel", async () => {
    const mq = await open();
    const channels = ["dml_1", "dml_10", "dml_", "dml_1_", "channels", "groups", "dml%5F1"];
    const groups = ["dml_1", "dml_10", "channels", "groups", "dml_1/dml_10", "channels/dml_1"];
    for (const channel of channels) await mq.createChannel(channel);
    for (const group of groups) await mq.createConsumerGroup(group);
    for (const channel of channels) await mq.produce(channel, numbered(0, 4));
    for (const channel of channels) for (const group of groups) await mq.consume(group, channel, 2);

    await mq.destroyChannel("dml_1");
    await mq.destroyChannel("channels");
    await mq.destroyConsumerGroup("dml_1");
    await mq.destroyConsumerGroup("channels");

    expect(await mq.channels()).toEqual(["dml%5F1", "dml_", "dml_10", "dml_1_", "groups"]);
    expect(await mq.consumerGroups()).toEqual(["channels/dml_1", "dml_1/dml_10", "dml_10", "groups"]);
    for (const channel of await mq.channels()) {
      expect((await mq.describeChannel(channel)).groups.map(({ group, lag }) => [group, lag])).toEqual(
        ["channels/dml_1", "dml_1/dml_10", "dml_10", "groups"].map((group) => [group, 2n]),
      );
    }
  });

  it("case 13: a burst larger than the reader's array arrives to its last message, with no further traffic", async () => {
    const mq = await open();
    await filled(mq, 0);
    const got: string[] = [];
    const loop = loopOf(mq.subscribe("g", "c", { batch: 16 }));

    for (let at = 0; at < 20; at++) await mq.produce("c", [message(String(at))]);
    while (got.length < 20) {
      const next = await loop.next();
      if (next.done !== true) got.push(...texts(next.value));
    }

    expect(got).toEqual(Array.from({ length: 20 }, (_, at) => String(at)));
  });

  it(`case 16: concurrent produces lose nothing, and no batch has another's messages in between (SEED=${seed})`, async () => {
    const random = new SeededRandom(seed);
    const mq = await open();
    await filled(mq, 0);
    const batches = Array.from({ length: 200 }, (_, batch) => Array.from({ length: 1 + random.below(9) }, (_, at) => `${batch}.${at}`));

    const results = await Promise.all(
      batches.map((batch) =>
        mq.produce(
          "c",
          batch.map((text) => message(text)),
        ),
      ),
    );

    // Call order is the order in the channel.
    const stored = await readAll(mq, "c");
    expect(texts(stored)).toEqual(batches.flat());
    expect(results.flatMap(({ firstId, count }) => Array.from({ length: count }, (_, at) => firstId + BigInt(at)))).toEqual(
      stored.map(({ id }) => id),
    );
  });

  it("case 26: many readers on one channel do not block each other", async () => {
    const mq = await open();
    await filled(mq, 100);
    const stalled = Array.from({ length: 20 }, () => loopOf(mq.read("c", { from: "earliest", follow: true, batch: 10 })));
    const parked = Array.from({ length: 20 }, () => loopOf(mq.read("c", { from: "latest", follow: true })).next());
    await Promise.all(stalled.map((loop) => loop.next()));

    const readers = Array.from({ length: 20 }, async () => texts(await readAll(mq, "c")).length);
    const consumers = Array.from({ length: 20 }, async (_, at) => {
      await mq.createConsumerGroup(`g${at}`);
      return (await mq.consume(`g${at}`, "c", 1_000)).length;
    });

    expect(new Set(await Promise.all([...readers, ...consumers]))).toEqual(new Set([100]));
    await mq.produce("c", [message("for all")]);
    for (const next of await Promise.all(parked)) expect(texts(next.value ?? [])).toEqual(["for all"]);
  });

  it("case 28: a message read again after a trim is reported as gone, never as another", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 50);
    const seen = new Map((await readAll(mq, "c")).map((one) => [one.id, texts([one])[0]]));
    const again = async (id: bigint): Promise<ConsumerMessage | undefined> => (await readAll(mq, "c", id))[0];

    for (const begin of [10n, 11n, 30n, 50n]) {
      await mq.trim("c", firstId + begin);
      await mq.produce("c", numbered(1_000, 1_010));
      for (const [id, text] of seen) {
        if (id < firstId + begin) await expect(again(id)).rejects.toMatchObject({ code: "position-trimmed" });
        else expect(texts([(await again(id)) ?? { id, payload: new Uint8Array(0), properties: {}, timeMs: 0 }])).toEqual([text]);
      }
    }
  });
});
