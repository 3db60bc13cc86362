/**
 * Public reports about seeking and positions, in the queue's terms: `cases.md` 1 and 3 to 8.
 */
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../src/testing/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { filled, lastingStores, loopOf, message, nextTexts, numbered, readAll, settle, stores, texts } from "../rocksmq/stores.js";

const seed = Number(process.env["SEED"] ?? 4711);

describe.each(stores)("on $name", ({ open }) => {
  it(`case 1: subscribed and sought at once, nothing from before the sought position leaks out (SEED=${seed})`, async () => {
    const random = new SeededRandom(seed);
    const mq = await open();
    const { firstId } = await filled(mq, 200);

    for (let round = 0; round < 30; round++) {
      await mq.createConsumerGroup(`g${round}`);
      const at = random.below(200);
      const subscription = mq.subscribe(`g${round}`, "c", { batch: 1 + random.below(50) });
      const loop = loopOf(subscription);
      // Asked for before the seek is called, or after: nothing was handed over, so nothing of before may be.
      const early = random.below(2) === 0 ? nextTexts(loop) : undefined;
      const sought = mq.seek(`g${round}`, "c", firstId + BigInt(at));
      if (random.below(2) === 0) await sought;
      const first = await (early ?? nextTexts(loop));
      expect(first[0], `round ${round}`).toBe(String(at));
      await sought;
      await subscription.close();
    }
  });

  it("case 3: started at latest on a channel with messages, only later ones come", async () => {
    const mq = await open();
    await filled(mq, 100);
    await mq.createConsumerGroup("late", { from: "latest" });
    const reader = mq.read("c", { from: "latest", follow: true });
    await reader.ready;

    await mq.produce("c", numbered(100, 103));

    expect(await nextTexts(loopOf(reader))).toEqual(["100", "101", "102"]);
    expect(await nextTexts(loopOf(mq.subscribe("late", "c")))).toEqual(["100", "101", "102"]);
  });

  it("case 4: a position inside a batch gives exactly that message, the last one too", async () => {
    const mq = await open();
    const { firstId, lastId } = await filled(mq, 1_000);

    for (const at of [151n, 0n, 998n, 999n]) {
      await mq.seek("g", "c", firstId + at);
      expect(texts(await mq.consume("g", "c", 1))).toEqual([String(at)]);
      expect(texts(await readAll(mq, "c", firstId + at))[0]).toBe(String(at));
    }

    expect((await readAll(mq, "c", lastId)).map(({ id }) => id)).toEqual([lastId]);
  });

  it(`case 5: a read right after a seek gives the target, 1,000 times (SEED=${seed})`, async () => {
    const random = new SeededRandom(seed);
    const mq = await open();
    const { firstId } = await filled(mq, 500);

    for (let round = 0; round < 1_000; round++) {
      const at = random.below(500);
      const sought = mq.seek("g", "c", firstId + BigInt(at));
      const [got] = await mq.consume("g", "c", 1 + random.below(3));
      expect(got?.id, `round ${round}`).toBe(firstId + BigInt(at));
      await sought;
    }
  });

  it("case 6: sought to now, what is asked and what is read next agree", async () => {
    const mq = await open();
    await filled(mq, 10);
    await mq.seekToLatest("g", "c");

    for (let round = 0; round < 20; round++) {
      const produced = round % 2 === 0 ? undefined : await mq.produce("c", [message(`round ${round}`)]);
      const lag = (await mq.describeChannel("c")).groups[0]?.lag;
      const got = await mq.consume("g", "c", 10);
      expect(lag).toBe(BigInt(got.length));
      expect(got.at(-1)?.id).toBe(produced?.lastId);
    }
  });

  it("case 6: a time past the end of one channel never lands in another", async () => {
    const clock = new ManualClock(1_000);
    const mq = await open({ clock });
    await mq.createChannel("a");
    await mq.createChannel("b");
    await mq.produce("a", numbered(0, 3));
    await clock.advance(1_000);
    await mq.produce("b", numbered(0, 3));

    expect(await mq.idAt("a", 1_500)).toBeUndefined();
    expect(await mq.idAt("b", 1_500)).toBe((await readAll(mq, "b"))[0]?.id);
  });

  it("case 8: sought to an id that is not there yet, it is position-ahead, at once or after the wait", async () => {
    const clock = new ManualClock();
    const mq = await open({ clock });
    const { lastId } = await filled(mq, 3);
    const ahead = { code: "position-ahead", details: { end: String(lastId + 1n) } };

    await expect(mq.seek("g", "c", lastId + 100n)).rejects.toMatchObject(ahead);
    const bounded = mq.seek("g", "c", lastId + 100n, { waitMs: 30_000 }).catch((error: unknown) => error);
    await settle();
    await clock.advance(30_000);

    expect(await bounded).toMatchObject(ahead);
  });
});

describe.each(lastingStores)("on $name", ({ place }) => {
  it.each(["consumed", "acknowledged"] as const)("case 7: after n was %s a restart goes on at n + 1", async (how) => {
    const where = place();
    const before = await where.open();
    const { firstId } = await filled(before, 20);
    if (how === "consumed") await before.consume("g", "c", 7);
    else {
      const subscription = before.subscribe("g", "c", { ack: "manual" });
      await loopOf(subscription).next();
      await subscription.ack(firstId + 6n);
    }
    await before.close();

    const after = await where.open();

    expect(texts(await after.consume("g", "c", 2))).toEqual(["7", "8"]);
  });
});
