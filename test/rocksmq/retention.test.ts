/**
 * Retention: what goes by age and by size, what unread messages hold back, and who is told.
 */
import { describe, expect, it } from "vitest";
import { openRocksMq, type ProduceResult, type RocksMq, streamQueueOf } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { lastingStores, loopOf, message, readAll, settle, stores, texts } from "./stores.js";
import { begunAt, Told, watched } from "./told.js";

/** Messages of a kilobyte, as one batch. */
function kilobytes(count: number): { payload: Uint8Array }[] {
  return Array.from({ length: count }, () => ({ payload: new Uint8Array(1000) }));
}

async function batches(mq: RocksMq, count: number, each = 1): Promise<ProduceResult[]> {
  const results: ProduceResult[] = [];
  for (let at = 0; at < count; at++) results.push(await mq.produce("c", kilobytes(each)));
  return results;
}

describe.each(stores)("Retention on $name", ({ open }) => {
  it("removes what has come of age when it does, and not before", async () => {
    const { mq, clock, events } = await watched(open);
    await mq.createChannel("c", { retention: { ageMs: 60_000 } });
    const [first] = await batches(mq, 1);
    await clock.advance(10_000);
    const [second] = await batches(mq, 1);

    await clock.advance(49_999);
    await settle();
    expect((await mq.describeChannel("c")).messages).toBe(2n);
    await clock.advance(1);
    await begunAt(events, second?.firstId);

    expect((await readAll(mq, "c")).map(({ id }) => id)).toEqual([second?.firstId]);
    await expect(mq.seek("g", "c", first?.firstId ?? 0n)).rejects.toMatchObject({ code: "group-not-found" });
    await clock.advance(10_000);
    await begunAt(events, (second?.lastId ?? 0n) + 1n);
    expect(await mq.describeChannel("c")).toMatchObject({ messages: 0n, bytes: 0n, endId: (second?.lastId ?? 0n) + 1n });
  });

  it("removes what is too much: whole batches, the oldest, no more than it must", async () => {
    const { mq, events } = await watched(open);
    await mq.createChannel("c", { retention: { bytes: 10_500 } });

    const produced = await batches(mq, 20, 3);
    await begunAt(events, produced.at(-3)?.firstId);

    const { beginId, messages, bytes } = await mq.describeChannel("c");
    expect({ beginId, messages }).toEqual({ beginId: produced.at(-3)?.firstId, messages: 9n });
    expect(bytes).toBeLessThanOrEqual(10_500n);
  });

  it("tells appends apart that were stored together, and keeps a large one together", async () => {
    const { mq, events } = await watched(open);
    await mq.createChannel("c", { retention: { bytes: 325_000 } });

    const produced = await Promise.all([200, 10, 10, 10, 300, 10, 10].map((count) => mq.produce("c", kilobytes(count))));

    await begunAt(events, produced[4]?.firstId);
    expect(await mq.describeChannel("c")).toMatchObject({ beginId: produced[4]?.firstId, messages: 320n });
  });

  it("keeps what a cursor has not read, and says whose it is; read, it goes", async () => {
    const { mq, clock, events } = await watched(open);
    await mq.createChannel("c", { retention: { ageMs: 1000 } });
    for (const group of ["slow", "fast", "elsewhere"]) await mq.createConsumerGroup(group);
    const [first, second] = await batches(mq, 2, 2);
    await mq.consume("slow", "c", 1);
    await mq.consume("fast", "c", 4);

    await clock.advance(1000);

    expect(await events.next("retention-blocked")).toMatchObject({ channel: "c", groups: ["slow"] });
    expect((await mq.describeChannel("c")).messages).toBe(4n);
    await mq.consume("slow", "c", 2);
    await begunAt(events, second?.firstId);
    await mq.destroyConsumerGroup("slow");
    await begunAt(events, (second?.lastId ?? 0n) + 1n);
    expect((first?.lastId ?? 0n) + 1n).toBe(second?.firstId);
  });

  it("goes on when a subscription acknowledges, and when a cursor is sought past what it holds back", async () => {
    const { mq, events } = await watched(open);
    await mq.createChannel("c", { retention: { bytes: 0 } });
    await mq.createConsumerGroup("g");
    await mq.seekToLatest("g", "c");
    const [first, second, third] = await batches(mq, 3);
    await events.next("retention-blocked");

    const subscription = mq.subscribe("g", "c", { ack: "manual" });
    await loopOf(subscription).next();
    await subscription.ack(first?.lastId ?? 0n);
    await begunAt(events, second?.firstId);
    await subscription.close();
    await mq.seek("g", "c", third?.firstId ?? 0n);
    await begunAt(events, third?.firstId);

    expect((await mq.describeChannel("c")).messages).toBe(1n);
  });

  it("removes unread messages beyond what is kept of them, and says how many and whose", async () => {
    const { mq, events } = await watched(open);
    await mq.createChannel("c", { retention: { bytes: 1, unreadBytesMax: 5500 } });
    await mq.createConsumerGroup("g");
    await mq.seekToLatest("g", "c");

    const produced = await batches(mq, 12);
    for (let messages = 0n; messages < 7n;) {
      const forced = await events.next("retention-forced");
      expect(forced).toMatchObject({ channel: "c", groups: ["g"] });
      messages += forced.messages;
    }

    const { beginId, bytes } = await mq.describeChannel("c");
    expect(beginId).toBe(produced[7]?.firstId);
    expect(bytes).toBeLessThanOrEqual(5500n);
    await expect(mq.consume("g", "c", 1)).rejects.toMatchObject({
      code: "position-trimmed",
      details: { firstAvailable: String(produced[7]?.firstId) },
    });
  });

  it("goes on when a consumer that keeps its own place moves past what that holds back", async () => {
    const { mq, events } = await watched(open);
    const streams = streamQueueOf(mq);
    await mq.createChannel("c", { retention: { bytes: 1 } });
    await mq.createConsumerGroup("g");
    const [first] = await batches(mq, 1);
    const place = { channel: "c", position: new Uint8Array(1) };
    await streams.saveResumePoints("g", [{ ...place, nextId: first?.firstId }]);
    const [, last] = await batches(mq, 2);
    expect(await events.next("retention-blocked")).toMatchObject({ channel: "c", groups: ["g"] });

    await streams.saveResumePoints("g", [{ ...place, nextId: last?.firstId }]);

    await begunAt(events, last?.firstId);
  });

  it("lets cursors hold nothing back where it is told so", async () => {
    const { mq, events } = await watched(open);
    await mq.createChannel("c", { retention: { bytes: 2500, unreadBytesMax: 0 } });
    await mq.createConsumerGroup("g");
    await mq.seekToLatest("g", "c");

    const produced = await batches(mq, 5);

    await begunAt(events, produced[3]?.firstId);

    expect((await mq.describeChannel("c")).messages).toBe(2n);
  });

  it("is the queue's own for channels without one, and not for those that have one", async () => {
    const { mq, events } = await watched(open, { retention: { bytes: 1500 } });
    await mq.createChannel("all", { retention: {} });
    await mq.createChannel("c");
    for (let at = 0; at < 3; at++) await mq.produce("all", kilobytes(1));

    const produced = await batches(mq, 3);
    await begunAt(events, produced[2]?.firstId);

    expect(await mq.describeChannel("c")).toMatchObject({ retention: { bytes: 1500 }, messages: 1n });
    expect(await mq.describeChannel("all")).toMatchObject({ retention: {}, messages: 3n });
  });

  it("may be altered, and holds from then on", async () => {
    const { mq, clock, events } = await watched(open);
    await mq.createChannel("c");
    const produced = await batches(mq, 5);

    await mq.alterChannel("c", { retention: { bytes: 2500 } });
    await begunAt(events, produced[3]?.firstId);
    await mq.alterChannel("c", { retention: { ageMs: 5000 } });
    expect((await mq.describeChannel("c")).retention).toEqual({ ageMs: 5000 });
    await clock.advance(5000);
    await begunAt(events, (produced[4]?.lastId ?? 0n) + 1n);
    await mq.alterChannel("c", { retention: {} });
    await batches(mq, 3);
    await clock.advance(50_000);
    await settle();

    expect((await mq.describeChannel("c")).messages).toBe(3n);
    await expect(mq.alterChannel("nope", { retention: {} })).rejects.toMatchObject({ code: "channel-not-found" });
  });

  it("is at most a minute late for a clock that is set, or a machine that slept", async () => {
    const { mq, clock, events } = await watched(open);
    await mq.createChannel("c", { retention: { ageMs: 3_600_000 } });
    const [slept] = await batches(mq, 1);
    clock.setNowMs(clock.nowMs() + 7_200_000);
    await clock.advance(60_000);
    await begunAt(events, (slept?.lastId ?? 0n) + 1n);

    const now = clock.nowMs();
    clock.setNowMs(now - 365 * 24 * 3_600_000);
    const [early] = await batches(mq, 1);
    await clock.advance(1000);
    clock.setNowMs(now + 3_600_000);
    await clock.advance(60_000);
    await begunAt(events, (early?.lastId ?? 0n) + 1n);

    expect((await mq.describeChannel("c")).messages).toBe(0n);
  });

  it("is not that of a channel of the same name that is gone", async () => {
    const { mq, clock } = await watched(open);
    await mq.createChannel("c", { retention: { ageMs: 1000 } });
    await batches(mq, 1);
    await mq.destroyChannel("c");
    await mq.createChannel("c");
    await batches(mq, 1);

    await clock.advance(100_000);
    await settle();

    expect((await mq.describeChannel("c")).messages).toBe(1n);
  });

  it("tells whoever listens later what it still holds back", async () => {
    const { mq, events } = await watched(open);
    await mq.createChannel("c", { retention: { bytes: 0 } });
    await mq.createConsumerGroup("g");
    await mq.seekToLatest("g", "c");
    await batches(mq, 1);
    await events.next("retention-blocked");

    expect((await loopOf(mq.events()).next()).value).toMatchObject({ type: "retention-blocked", groups: ["g"] });
    await mq.consume("g", "c", 1);
    await events.next("trimmed");
    const later = new Told(mq);
    await mq.produce("c", kilobytes(1));
    expect(await later.next("retention-blocked")).not.toHaveProperty("missed");
  });

  it("tells nobody later of what it held back and somebody has trimmed", async () => {
    const { mq, events } = await watched(open);
    await mq.createChannel("c", { retention: { bytes: 5000 } });
    await mq.createConsumerGroup("g");
    await mq.seekToLatest("g", "c");
    await batches(mq, 10);
    await events.next("retention-blocked");

    await mq.trim("c", (await mq.describeChannel("c")).endId);
    await settle();

    const later = loopOf(mq.events());
    await mq.trim("c", (await mq.produce("c", kilobytes(1))).lastId + 1n);
    expect((await later.next()).value).toMatchObject({ type: "trimmed" });
  });

  it("case 9: a group that never acknowledges holds back no more than the cap, and is loud about it", async () => {
    const { mq, clock, events } = await watched(open, { retention: { ageMs: 3_600_000, unreadBytesMax: 20_000 } });
    await mq.createChannel("c");
    await mq.createConsumerGroup("dead");
    await mq.consume("dead", "c", 1);

    for (let hour = 0; hour < 72; hour++) {
      await batches(mq, 1);
      await clock.advance(3_600_000);
      await settle();
    }

    expect(await events.next("retention-blocked")).toMatchObject({ groups: ["dead"] });
    expect(await events.next("retention-forced")).toMatchObject({ groups: ["dead"], messages: 1n });
    expect((await mq.describeChannel("c")).bytes).toBeLessThanOrEqual(21_100n);
  });

  it("case 10: at a place that retention took it is position-trimmed with the first one available, and with all gone it waits", async () => {
    const { mq, clock, events } = await watched(open);
    await mq.createChannel("c", { retention: { ageMs: 1000, unreadBytesMax: 0 } });
    await mq.createConsumerGroup("g");
    await mq.seekToLatest("g", "c");
    const [first] = await batches(mq, 1, 5);
    const end = (first?.lastId ?? 0n) + 1n;
    await clock.advance(1000);
    await begunAt(events, end);
    const gone = { code: "position-trimmed", details: { firstAvailable: String(end) } };

    await expect(mq.consume("g", "c", 1)).rejects.toMatchObject(gone);
    await expect(readAll(mq, "c", first?.firstId)).rejects.toMatchObject(gone);
    await expect(mq.seek("g", "c", first?.lastId ?? 0n)).rejects.toMatchObject(gone);
    await mq.seek("g", "c", end);
    const waiting = mq.consume("g", "c", 1, { waitMs: 3_600_000 });
    await clock.advance(1_800_000);
    await mq.produce("c", [message("at last")]);
    expect(texts(await waiting)).toEqual(["at last"]);
  });

  it("case 28: a message read again after retention took it is gone, never another one", async () => {
    const { mq, clock, events } = await watched(open);
    await mq.createChannel("c", { retention: { ageMs: 1000 } });
    const [first] = await batches(mq, 1);
    await clock.advance(1000);
    await begunAt(events, (first?.lastId ?? 0n) + 1n);
    const { firstId } = await mq.produce("c", [message("another")]);

    await expect(readAll(mq, "c", first?.firstId)).rejects.toMatchObject({ code: "position-trimmed" });
    expect(firstId).toBeGreaterThan(first?.lastId ?? 0n);
  });
});

describe("Retention of many channels", () => {
  it("keeps up with two thousand that come of age at once: few syncs, and no more read than what goes", async () => {
    const [clock, vfs] = [new ManualClock(), new MemoryVfs()];
    const mq = await openRocksMq({ dir: "/queue", clock, vfs, prefill: "off", retention: { ageMs: 1000 } });
    const names = Array.from({ length: 2000 }, (_, at) => `c${at}`);
    await Promise.all(names.map((name) => mq.createChannel(name)));
    // One of each in turn, so that a channel's messages stand apart.
    for (let round = 0; round < 3; round++) await Promise.all(names.map((name) => mq.produce(name, [{ payload: new Uint8Array(100) }])));
    const stored = (await Promise.all(names.map((name) => mq.describeChannel(name)))).reduce((sum, { bytes }) => sum + Number(bytes), 0);
    const done = { sync: 0, read: 0, readBytes: 0 };
    vfs.observe(({ op, detail }) => {
      if (op === "sync") done.sync += 1;
      if (op !== "read") return;
      done.read += 1;
      done.readBytes += Number.parseInt(detail, 10);
    });

    const events = new Told(mq);
    const gone = new Set<string>();
    const first = events.next("trimmed");
    await clock.advance(1000);
    for (let trimmed = await first; gone.add(trimmed.channel).size < names.length;) trimmed = await events.next("trimmed");

    const left = await Promise.all(names.map(async (name) => (await mq.describeChannel(name)).messages));
    expect(left.filter((messages) => messages > 0n)).toEqual([]);
    expect(done.sync).toBeLessThan(names.length / 100);
    expect(done.read).toBeLessThanOrEqual(3 * names.length);
    // Frames are padded.
    expect(done.readBytes).toBeLessThanOrEqual(1.1 * stored);
    await mq.close();
  });
});

describe.each(lastingStores)("Retention on $name, opened again", ({ place }) => {
  it("goes on: what came of age meanwhile goes at once, the rest in its time", async () => {
    const clock = new ManualClock();
    const dir = place();
    const before = await dir.open({ clock });
    await before.createChannel("c", { retention: { ageMs: 10_000 } });
    const [, second] = [await before.produce("c", kilobytes(1)), await clock.advance(5000).then(() => before.produce("c", kilobytes(1)))];
    await before.close();
    await clock.advance(7000);

    const mq = await dir.open({ clock });
    const events = new Told(mq);
    await begunAt(events, second.firstId);
    expect((await mq.describeChannel("c")).retention).toEqual({ ageMs: 10_000 });
    await clock.advance(3000);
    await begunAt(events, second.lastId + 1n);

    expect((await mq.describeChannel("c")).messages).toBe(0n);
  });

  it("keeps what it kept of appends that were stored together", async () => {
    const clock = new ManualClock();
    const dir = place();
    const retention = { bytes: 10_500 };
    const before = await dir.open({ clock });
    await before.createChannel("c", { retention });
    const told = new Told(before);
    const produced = await Promise.all(Array.from({ length: 30 }, () => before.produce("c", kilobytes(1))));
    await begunAt(told, produced.at(-10)?.firstId);
    await before.close();

    const mq = await dir.open({ clock });
    await settle();

    expect((await mq.describeChannel("c")).beginId).toBe(produced.at(-10)?.firstId);
  });

  it("by the queue's own needs no record: another open may keep more, or less", async () => {
    const dir = place();
    const before = await dir.open();
    await before.createChannel("c");
    const produced = await batches(before, 5);
    await before.close();

    const mq = await dir.open({ retention: { bytes: 2500 } });
    await begunAt(new Told(mq), produced[3]?.firstId);
    await mq.close();

    expect((await (await dir.open()).describeChannel("c")).retention).toEqual({});
  });
});
