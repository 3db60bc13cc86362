import { describe, expect, it } from "vitest";
import { ManualClock } from "../../src/testing/index.js";
import { filled, loopOf, message, numbered, settle, stores, texts } from "./stores.js";

describe.each(stores)("seek on $name", ({ open }) => {
  it("makes the id the next one, back and forth, from begin to end", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);

    for (const at of [5, 0, 9, 3]) {
      await mq.seek("g", "c", firstId + BigInt(at));
      expect(texts(await mq.consume("g", "c", 1))).toEqual([String(at)]);
    }
    await mq.seek("g", "c", firstId + 10n);
    expect(await mq.consume("g", "c", 1)).toEqual([]);
  });

  it("refuses an id below the begin or above the end, and leaves the cursor", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    await mq.trim("c", firstId + 2n);
    await mq.seek("g", "c", firstId + 4n);

    await expect(mq.seek("g", "c", firstId + 1n)).rejects.toMatchObject({
      code: "position-trimmed",
      details: { firstAvailable: String(firstId + 2n) },
      message: expect.stringContaining(`begins at ${firstId + 2n}, so nothing is kept at ${firstId + 1n}`) as string,
    });
    await expect(mq.seek("g", "c", -1n)).rejects.toMatchObject({ code: "position-trimmed" });
    await expect(mq.seek("g", "c", firstId + 11n)).rejects.toMatchObject({
      code: "position-ahead",
      details: { end: String(firstId + 10n) },
    });
    await expect(mq.seek("g", "c", 2n ** 70n)).rejects.toMatchObject({ code: "position-ahead" });

    expect(texts(await mq.consume("g", "c", 1))).toEqual(["4"]);
  });

  it("waits for an id as long as it was told", async () => {
    const clock = new ManualClock();
    const mq = await open({ clock });
    const { lastId } = await filled(mq, 1);

    const reached = mq.seek("g", "c", lastId + 3n, { waitMs: 1_000 });
    const missed = mq.seek("g", "c", lastId + 50n, { waitMs: 100 }).catch((error: unknown) => error);
    await settle();
    await mq.produce("c", numbered(1, 2));
    await clock.advance(100);
    expect(await missed).toMatchObject({ code: "position-ahead", details: { end: String(lastId + 2n) } });
    await mq.produce("c", numbered(2, 4));
    await reached;

    expect(texts(await mq.consume("g", "c", 10))).toEqual(["3"]);
  });

  it("aborted or left without its channel while it waits has moved nothing", async () => {
    const mq = await open();
    const { lastId } = await filled(mq, 1);
    await mq.createChannel("d");
    const controller = new AbortController();

    const aborted = mq.seek("g", "c", lastId + 5n, { waitMs: 60_000, signal: controller.signal }).catch((error: unknown) => error);
    const orphaned = mq.seek("g", "d", 2n ** 62n, { waitMs: 60_000 }).catch((error: unknown) => error);
    await settle();
    controller.abort("changed my mind");
    await mq.destroyChannel("d");

    expect(await aborted).toBe("changed my mind");
    expect(await orphaned).toMatchObject({ code: "channel-not-found" });
    expect(texts(await mq.consume("g", "c", 1))).toEqual(["0"]);
  });

  it("ends with its channel while it waits, also when another of that name is made in the same go", async () => {
    const mq = await open();
    const { lastId } = await filled(mq, 1);
    const waiting = [lastId + 5n, 2n ** 62n].map((id) => mq.seek("g", "c", id, { waitMs: 60_000 }).catch((error: unknown) => error));
    await settle();

    await Promise.all([mq.destroyChannel("c"), mq.createChannel("c"), mq.produce("c", numbered(0, 9))]);

    for (const wait of waiting) expect(await wait).toMatchObject({ code: "channel-not-found" });
  });

  it("ends with its group while it waits, also when another of that name is made in the same go", async () => {
    const mq = await open();
    const { lastId } = await filled(mq, 1);
    await mq.createConsumerGroup("h");
    const waiting = ["g", "h"].map((group) => mq.seek(group, "c", lastId + 5n, { waitMs: 60_000 }).catch((error: unknown) => error));
    await settle();

    await Promise.all([mq.destroyConsumerGroup("g"), mq.destroyConsumerGroup("h"), mq.createConsumerGroup("h")]);

    expect(await waiting[0]).toMatchObject({ code: "group-not-found", details: { group: "g" } });
    expect(await waiting[1]).toMatchObject({ code: "group-not-found", details: { group: "h" } });
    await mq.produce("c", numbered(1, 10));
    expect(texts(await mq.consume("h", "c", 1))).toEqual(["0"]);
  });

  it("to the latest delivers only what is appended later", async () => {
    const mq = await open();
    await filled(mq, 5);

    await mq.seekToLatest("g", "c");
    expect(await mq.consume("g", "c", 10)).toEqual([]);
    await mq.produce("c", [message("later")]);

    expect(texts(await mq.consume("g", "c", 10))).toEqual(["later"]);
  });
});

describe.each(stores)("trim on $name", ({ open }) => {
  it("takes smaller ids away from every reader, and an id below the begin does nothing", async () => {
    const mq = await open();
    const { firstId, lastId } = await filled(mq, 10);

    await mq.trim("c", firstId + 4n);
    await mq.trim("c", firstId + 2n);

    expect(await mq.describeChannel("c")).toMatchObject({ beginId: firstId + 4n, endId: lastId + 1n, messages: 6n });
    await expect(mq.trim("c", lastId + 2n)).rejects.toMatchObject({ code: "position-ahead", details: { end: String(lastId + 1n) } });
    await mq.trim("c", lastId + 1n);
    expect(await mq.describeChannel("c")).toMatchObject({ beginId: lastId + 1n, endId: lastId + 1n, messages: 0n });
    expect(await mq.latestId("c")).toBeUndefined();
  });

  it("tells its listeners", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    const events = mq.events();

    await mq.trim("c", firstId + 4n);
    await events.close();
    const heard = loopOf(mq.events());
    await mq.trim("c", firstId + 6n);

    expect((await heard.next()).value).toMatchObject({ type: "trimmed", channel: "c", beginId: firstId + 6n });
  });
});

describe.each(stores)("the description of a channel on $name", ({ open }) => {
  it("counts messages and what each cursor has still to read, groups in the order of their names", async () => {
    const clock = new ManualClock(1_000_000);
    const mq = await open({ clock });
    const { firstId, lastId } = await filled(mq, 10);
    for (const group of ["zebra", "ant", "émeu", "𝄞 clef", "～ wave"]) await mq.createConsumerGroup(group);
    await mq.consume("zebra", "c", 3);
    await mq.seekToLatest("ant", "c");
    await mq.consume("émeu", "c", 1);
    await mq.consume("𝄞 clef", "c", 1);
    await mq.consume("～ wave", "c", 1);

    const described = await mq.describeChannel("c");

    expect(described).toMatchObject({
      name: "c",
      createdAtMs: 1_000_000,
      retention: {},
      messages: 10n,
      beginId: firstId,
      endId: lastId + 1n,
    });
    expect(described.groups.map(({ group, lag }) => [group, lag])).toEqual([
      ["ant", 0n],
      ["zebra", 7n],
      ["émeu", 9n],
      ["～ wave", 9n],
      ["𝄞 clef", 9n],
    ]);
    expect(described.bytes).toBeGreaterThan(0n);
  });

  it("of an empty channel has its begin at its end", async () => {
    const mq = await open();
    await mq.createChannel("c");

    const { beginId, endId, messages, bytes } = await mq.describeChannel("c");

    expect([beginId, messages, bytes]).toEqual([endId, 0n, 0n]);
    expect(await mq.latestId("c")).toBeUndefined();
    expect(await mq.idAt("c", 0)).toBeUndefined();
  });

  it("finds the first message at a time, and none after the last", async () => {
    const clock = new ManualClock(1_000_000);
    const mq = await open({ clock });
    const first = await filled(mq, 2);
    await clock.advance(500);
    const second = await mq.produce("c", numbered(2, 4));
    clock.setNowMs(10);
    const third = await mq.produce("c", numbered(4, 5));

    expect(await mq.idAt("c", 0)).toBe(first.firstId);
    expect(await mq.idAt("c", 1_000_000)).toBe(first.firstId);
    expect(await mq.idAt("c", 1_000_001)).toBe(second.firstId);
    expect(await mq.idAt("c", 1_000_501)).toBeUndefined();
    await mq.trim("c", third.firstId);
    expect(await mq.idAt("c", 0)).toBe(third.firstId);
  });
});
