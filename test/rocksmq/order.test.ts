import { describe, expect, it } from "vitest";
import { filled, loopOf, message, numbered, settle, stores, texts } from "./stores.js";

describe.each(stores)("the order of calls on $name", ({ open }) => {
  it("is the order of effect, awaited or not", async () => {
    const mq = await open();

    const calls = Promise.all([
      mq.createChannel("c"),
      mq.produce("c", numbered(0, 10)),
      mq.createConsumerGroup("g"),
      mq.seekToLatest("g", "c"),
      mq.produce("c", numbered(10, 12)),
    ]);
    const consumed = await mq.consume("g", "c", 100);

    await calls;
    expect(texts(consumed)).toEqual(["10", "11"]);
  });

  it("lets a consume see the produce called before it", async () => {
    const mq = await open();
    await filled(mq, 1);
    await mq.consume("g", "c", 10);

    for (let round = 0; round < 20; round++) {
      const produced = mq.produce("c", [message(`round ${round}`)]);
      expect(texts(await mq.consume("g", "c", 10))).toEqual([`round ${round}`]);
      await produced;
    }
  });

  it("lets a consume go on behind the ack called before it, and gives nothing twice", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    const subscription = mq.subscribe("g", "c", { ack: "manual", batch: 10 });
    await loopOf(subscription).next();

    const calls = [subscription.ack(firstId + 4n), subscription.close()];
    const consumed = mq.consume("g", "c", 3);

    await Promise.all(calls);
    expect(texts(await consumed)).toEqual(["5", "6", "7"]);
    expect(texts(await mq.consume("g", "c", 10))).toEqual(["8", "9"]);
  });

  it("lets two consumes have their messages before the seek called after them", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    await mq.seek("g", "c", firstId);

    const first = mq.consume("g", "c", 3);
    const second = mq.consume("g", "c", 3);
    const sought = mq.seek("g", "c", firstId + 1n);
    const third = mq.consume("g", "c", 3);

    expect(texts(await first)).toEqual(["0", "1", "2"]);
    expect(texts(await second)).toEqual(["3", "4", "5"]);
    await sought;
    expect(texts(await third)).toEqual(["1", "2", "3"]);
  });

  it("keeps a seek to where the cursor stood when a consume is called right before it", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    await mq.consume("g", "c", 5);

    const consumed = mq.consume("g", "c", 5);
    const sought = mq.seek("g", "c", firstId + 5n);

    expect(texts(await consumed)).toEqual(["5", "6", "7", "8", "9"]);
    await sought;
    expect(texts(await mq.consume("g", "c", 1))).toEqual(["5"]);
  });

  it("gives what was there to a consume called before a trim or a destroy", async () => {
    const mq = await open();
    const { lastId } = await filled(mq, 10);
    await mq.consume("g", "c", 1);

    const beforeTrim = mq.consume("g", "c", 2);
    const beforeTrimToo = mq.consume("g", "c", 2);
    const trimmed = mq.trim("c", lastId);
    const afterTrim = mq.consume("g", "c", 2).catch((error: unknown) => error);
    expect(texts(await beforeTrim)).toEqual(["1", "2"]);
    expect(texts(await beforeTrimToo)).toEqual(["3", "4"]);
    await trimmed;
    expect(await afterTrim).toMatchObject({ code: "position-trimmed", details: { firstAvailable: String(lastId) } });

    await mq.seek("g", "c", lastId);
    const beforeDestroy = mq.consume("g", "c", 2);
    const destroyed = mq.destroyChannel("c");
    expect(texts(await beforeDestroy)).toEqual(["9"]);
    await destroyed;
  });

  it("shows what was called before to whoever describes, lists or reads", async () => {
    const mq = await open();

    const calls = [
      mq.createChannel("b"),
      mq.createChannel("a"),
      mq.createConsumerGroup("g"),
      mq.produce("a", numbered(0, 5)),
      mq.consume("g", "a", 2),
    ];
    const described = await mq.describeChannel("a");

    expect(described.messages).toBe(5n);
    expect(described.groups).toEqual([{ group: "g", currentId: described.beginId + 2n, lag: 3n }]);
    await Promise.all(calls);
    const more = [mq.createChannel("c"), mq.createConsumerGroup("h"), mq.produce("c", numbered(0, 1))];
    expect(await Promise.all([mq.channels(), mq.consumerGroups()])).toEqual([
      ["a", "b", "c"],
      ["g", "h"],
    ]);
    await Promise.all(more);
    const last = mq.produce("c", numbered(1, 3));
    expect(await mq.latestId("c")).toBe((await last).lastId);
  });

  it("holds for a channel destroyed and made again in one go", async () => {
    const mq = await open();
    await filled(mq, 5);

    const calls = Promise.all([mq.destroyChannel("c"), mq.createChannel("c"), mq.produce("c", [message("new")])]);
    const consumed = await mq.consume("g", "c", 10);

    await calls;
    expect(texts(consumed)).toEqual(["new"]);
  });

  it("holds for a group destroyed and made again in one go: whoever waits in the old one takes nothing in the new one", async () => {
    const mq = await open();
    await filled(mq, 3);
    await mq.seekToLatest("g", "c");
    const waiting = mq.consume("g", "c", 10, { waitMs: 60_000 });
    const behind = mq.consume("g", "c", 10, { waitMs: 60_000 });
    await settle();

    const calls = Promise.all([mq.destroyConsumerGroup("g"), mq.createConsumerGroup("g")]);
    const consumed = mq.consume("g", "c", 10);

    await expect(waiting).rejects.toMatchObject({ code: "group-not-found" });
    await expect(behind).rejects.toMatchObject({ code: "group-not-found" });
    await calls;
    expect(texts(await consumed)).toEqual(["0", "1", "2"]);
  });

  it("redirects a waiting consume to where a seek goes", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    await mq.consume("g", "c", 100);

    const waiting = mq.consume("g", "c", 2, { waitMs: 60_000 });
    const behind = mq.consume("g", "c", 2, { waitMs: 60_000 });
    await settle();
    await mq.seek("g", "c", firstId + 4n);

    expect(texts(await waiting)).toEqual(["4", "5"]);
    expect(texts(await behind)).toEqual(["6", "7"]);
  });

  it("queues consumes behind a waiting one", async () => {
    const mq = await open();
    await filled(mq, 0);

    const waiting = mq.consume("g", "c", 1, { waitMs: 60_000 });
    const behind = mq.consume("g", "c", 1);
    await settle();
    await mq.produce("c", numbered(0, 2));

    expect(texts(await waiting)).toEqual(["0"]);
    expect(texts(await behind)).toEqual(["1"]);
  });

  it("lets a seek hold that was called while a consume waited, whichever of the two is first", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    const target = firstId + 2n;

    for (let turns = 0; turns < 12; turns++) {
      await mq.seekToLatest("g", "c");
      const waiting = mq.consume("g", "c", 1, { waitMs: 60_000 });
      await settle();
      const produced = mq.produce("c", [message("wakes it")]);
      for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      const sought = mq.seek("g", "c", target);
      const [got] = await waiting;
      await Promise.all([produced, sought]);

      const cursor = (await mq.describeChannel("c")).groups[0]?.currentId;
      expect(cursor, `after ${turns} turns`).toBe(got?.id === target ? target + 1n : target);
    }
  });
});
