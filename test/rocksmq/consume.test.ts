import { describe, expect, it } from "vitest";
import { ManualClock } from "../../src/testing/index.js";
import { filled, message, numbered, settle, stores, texts } from "./stores.js";

describe.each(stores)("consume on $name", ({ open }) => {
  it("moves the cursor, and gives every group all messages", async () => {
    const mq = await open();
    await filled(mq, 5);
    await mq.createConsumerGroup("h");

    expect(texts(await mq.consume("g", "c", 2))).toEqual(["0", "1"]);
    expect(texts(await mq.consume("g", "c", 9))).toEqual(["2", "3", "4"]);
    expect(await mq.consume("g", "c", 9)).toEqual([]);
    expect(texts(await mq.consume("h", "c", 9))).toEqual(["0", "1", "2", "3", "4"]);
  });

  it("brings the cursor into being, also when there is nothing to read", async () => {
    const mq = await open();
    await filled(mq, 0);

    expect((await mq.describeChannel("c")).groups).toEqual([]);
    await mq.consume("g", "c", 1);

    const { beginId, groups } = await mq.describeChannel("c");
    expect(groups).toEqual([{ group: "g", currentId: beginId, lag: 0n }]);
  });

  it("waits for a first message as long as it was told", async () => {
    const clock = new ManualClock();
    const mq = await open({ clock });
    await filled(mq, 0);
    let settled = false;

    const waiting = mq.consume("g", "c", 1, { waitMs: 100 }).finally(() => (settled = true));
    await settle();
    await clock.advance(99);
    expect(settled).toBe(false);
    await clock.advance(1);

    expect(await waiting).toEqual([]);
  });

  it("gives a waiting one the first message as soon as it is durable", async () => {
    const clock = new ManualClock();
    const mq = await open({ clock });
    await filled(mq, 0);

    const waiting = mq.consume("g", "c", 5, { waitMs: Infinity });
    await settle();
    await mq.produce("c", numbered(0, 3));

    expect(texts(await waiting)).toEqual(["0", "1", "2"]);
  });

  it("gives up in line at its own time when the one in front waits longer", async () => {
    const clock = new ManualClock();
    const mq = await open({ clock });
    await filled(mq, 0);

    const long = mq.consume("g", "c", 1, { waitMs: 1_000 });
    const short = mq.consume("g", "c", 1, { waitMs: 100 });
    await settle();
    await clock.advance(100);

    expect(await short).toEqual([]);
    await mq.produce("c", [message("x")]);
    expect(texts(await long)).toEqual(["x"]);
  });

  it("has moved nothing when it is aborted while it waits, in line or in front", async () => {
    const mq = await open();
    await filled(mq, 0);
    const [front, back] = [new AbortController(), new AbortController()];

    const waiting = mq.consume("g", "c", 1, { waitMs: 60_000, signal: front.signal }).catch((error: unknown) => error);
    const inLine = mq.consume("g", "c", 1, { waitMs: 60_000, signal: back.signal }).catch((error: unknown) => error);
    const last = mq.consume("g", "c", 1, { waitMs: 60_000 });
    await settle();
    back.abort("second thoughts");
    front.abort("no time");

    expect(await inLine).toBe("second thoughts");
    expect(await waiting).toBe("no time");
    await mq.produce("c", numbered(0, 1));
    expect(texts(await last)).toEqual(["0"]);
  });

  it("rejects with the reason of a signal that was aborted before, having moved nothing", async () => {
    const mq = await open();
    await filled(mq, 1);

    await expect(mq.consume("g", "c", 1, { signal: AbortSignal.abort("early") })).rejects.toBe("early");

    expect(texts(await mq.consume("g", "c", 1))).toEqual(["0"]);
  });

  it("either gives messages or leaves the cursor, whenever the abort comes", async () => {
    const mq = await open();
    await filled(mq, 200);
    const got: string[] = [];

    for (let turns = 0; got.length < 50; turns = (turns + 1) % 12) {
      const controller = new AbortController();
      const consumed = mq.consume("g", "c", 1, { signal: controller.signal }).then(texts, () => []);
      for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      controller.abort(new Error("enough"));
      got.push(...(await consumed));
    }

    expect(got).toEqual(numbered(0, got.length).map(({ payload }) => new TextDecoder().decode(payload)));
  });

  it("tells what was trimmed under its cursor, and from where it can go on", async () => {
    const mq = await open();
    const { firstId, lastId } = await filled(mq, 10);
    await mq.consume("g", "c", 2);

    await mq.trim("c", firstId + 5n);

    const trimmed = { code: "position-trimmed", effect: "none", details: { firstAvailable: String(firstId + 5n) } };
    await expect(mq.consume("g", "c", 1)).rejects.toMatchObject(trimmed);
    await expect(mq.consume("g", "c", 1, { waitMs: 60_000 })).rejects.toMatchObject(trimmed);
    await mq.seek("g", "c", firstId + 5n);
    expect(texts(await mq.consume("g", "c", 10))).toEqual(["5", "6", "7", "8", "9"]);
    await mq.trim("c", lastId + 1n);
    expect(await mq.consume("g", "c", 1)).toEqual([]);
  });

  it("ends with the channel, and with the group, while it waits", async () => {
    const mq = await open();
    await filled(mq, 0);
    await mq.createChannel("d");

    const onChannel = mq.consume("g", "c", 1, { waitMs: 60_000 }).catch((error: unknown) => error);
    const ofGroup = mq.consume("g", "d", 1, { waitMs: 60_000 }).catch((error: unknown) => error);
    await settle();
    await mq.destroyChannel("c");
    expect(await onChannel).toMatchObject({ code: "channel-not-found", details: { channels: ["c"] } });
    await mq.destroyConsumerGroup("g");
    expect(await ofGroup).toMatchObject({ code: "group-not-found" });
  });

  it("ends with the channel while it stands in line too, also when another of that name is made in the same go", async () => {
    const mq = await open();
    await filled(mq, 0);
    const inLine = [{ waitMs: 60_000 }, { waitMs: 60_000 }, {}].map((options) => mq.consume("g", "c", 1, options));
    const outcomes = Promise.allSettled(inLine);
    await settle();

    await Promise.all([mq.destroyChannel("c"), mq.createChannel("c"), mq.produce("c", [message("another's")])]);

    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: "rejected", reason: { code: "channel-not-found" } });
    expect(texts(await mq.consume("g", "c", 1))).toEqual(["another's"]);
  });

  it("is refused while a subscription is open on the pair, and works when that is over", async () => {
    const mq = await open();
    await filled(mq, 3);
    await mq.createConsumerGroup("h");

    const subscription = mq.subscribe("g", "c");
    await expect(mq.consume("g", "c", 1)).rejects.toMatchObject({ code: "conflict" });
    expect(texts(await mq.consume("h", "c", 1))).toEqual(["0"]);
    await subscription.close();

    expect(texts(await mq.consume("g", "c", 1))).toEqual(["0"]);
  });
});

describe.each(stores)("a group from latest on $name", ({ open }) => {
  it("starts where the channel ended when the group was created", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.produce("c", numbered(0, 3));

    const created = mq.createConsumerGroup("late", { from: "latest" });
    await mq.produce("c", numbered(3, 5));
    await created;

    expect(texts(await mq.consume("late", "c", 10))).toEqual(["3", "4"]);
  });

  it("starts at the begin of channels made later, of the same name too", async () => {
    const mq = await open();
    await mq.createChannel("again");
    await mq.produce("again", numbered(0, 3));
    await mq.createConsumerGroup("late", { from: "latest" });

    await mq.createChannel("new");
    await mq.produce("new", numbered(0, 2));
    await mq.destroyChannel("again");
    await mq.createChannel("again");
    await mq.produce("again", numbered(7, 9));

    expect(texts(await mq.consume("late", "new", 10))).toEqual(["0", "1"]);
    expect(texts(await mq.consume("late", "again", 10))).toEqual(["7", "8"]);
  });

  it("says so when what it should have begun with was trimmed", async () => {
    const mq = await open();
    await mq.createChannel("c");
    const { lastId } = await mq.produce("c", numbered(0, 3));
    await mq.createConsumerGroup("late", { from: "latest" });
    await mq.produce("c", numbered(3, 6));

    await mq.trim("c", lastId + 2n);

    await expect(mq.consume("late", "c", 10)).rejects.toMatchObject({ code: "position-trimmed" });
  });
});
