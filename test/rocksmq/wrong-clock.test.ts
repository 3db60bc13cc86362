/**
 * Retention by age when the clock was far ahead once: times never go down in a store, so all that comes later is dated ahead too.
 */
import { describe, expect, it } from "vitest";
import type { Logger } from "../../src/base/logger.js";
import { silentLogger } from "../../src/base/logger.js";
import type { ProduceResult, Retention, RocksMq } from "../../src/rocksmq/index.js";
import { type ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { lastingStores, memory, message, segmentInMemory, settle, stores } from "./stores.js";
import { begunAt, Told, watched } from "./told.js";

const ageMs = 3_600_000;
const tenYearsMs = 10 * 365 * 24 * 3_600_000;

/** Notes what is warned of. */
function noting(): { logger: Logger; warned: { channel: string; aheadMs: number }[] } {
  const warned: { channel: string; aheadMs: number }[] = [];
  const warn = (fields: object): void => {
    if ("channel" in fields && "aheadMs" in fields) warned.push({ channel: String(fields.channel), aheadMs: Number(fields.aheadMs) });
  };
  return { logger: { ...silentLogger, warn }, warned };
}

/** A message of a right date, and one from while the clock was ahead: that one. */
async function producedRightAndAhead(mq: RocksMq, clock: ManualClock): Promise<ProduceResult> {
  await mq.produce("c", [message("right")]);
  clock.setNowMs(clock.nowMs() + tenYearsMs);
  const ahead = await mq.produce("c", [message("ahead")]);
  clock.setNowMs(clock.nowMs() - tenYearsMs);
  return ahead;
}

describe.each(stores)("A clock that was ten years ahead once and is right again, on $name", ({ open }) => {
  it("is warned of once, and messages go by age all the same, old ones and later ones", async () => {
    const { logger, warned } = noting();
    const { mq, clock, events } = await watched(open, { logger, retention: { ageMs } });
    await mq.createChannel("c");
    await mq.createChannel("d");
    const rightMs = clock.nowMs();

    clock.setNowMs(rightMs + tenYearsMs);
    const ahead = await mq.produce("c", [message("ahead")]);
    clock.setNowMs(rightMs);
    const later = await mq.produce("c", [message("later")]);
    await mq.produce("d", [message("elsewhere")]);
    await clock.advance(60_000);
    await settle();
    expect(warned).toEqual([{ channel: "d", aheadMs: tenYearsMs }]);
    expect((await mq.describeChannel("c")).messages).toBe(2n);

    await clock.advance(ageMs / 2);
    const last = await mq.produce("c", [message("last")]);
    await clock.advance(ageMs / 2);
    await begunAt(events, later.lastId + 1n);
    expect(last.firstId).toBe(later.lastId + 1n);
    expect(later.firstId).toBe(ahead.lastId + 1n);
    await clock.advance(ageMs / 2);
    await settle();
    expect((await mq.describeChannel("c")).messages).toBe(1n);
    await clock.advance(ageMs / 2 + 1000);
    await begunAt(events, last.lastId + 1n);
    expect(warned).toHaveLength(1);
  });

  it("is found out, and warned of, behind a message that has a right date", async () => {
    const { logger, warned } = noting();
    const { mq, clock, events } = await watched(open, { logger, retention: { ageMs } });
    await mq.createChannel("c");
    const ahead = await producedRightAndAhead(mq, clock);

    await clock.advance(ageMs);
    await begunAt(events, ahead.firstId);
    expect(warned).toMatchObject([{ channel: "c" }]);
    const later = await mq.produce("c", [message("later")]);
    await clock.advance(ageMs);
    await begunAt(events, later.firstId);

    expect((await mq.describeChannel("c")).messages).toBe(1n);
    expect(warned).toHaveLength(1);
  });

  it("makes what a cursor held back no younger", async () => {
    const { mq, clock, events } = await watched(open, { retention: { ageMs } });
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");
    await mq.seekToLatest("g", "c");
    const ahead = await producedRightAndAhead(mq, clock);
    await clock.advance(ageMs);
    await events.next("retention-blocked");

    await clock.advance(ageMs);
    await mq.seek("g", "c", ahead.lastId + 1n);
    await begunAt(events, ahead.lastId + 1n);

    expect((await mq.describeChannel("c")).messages).toBe(0n);
  });

  it("is no matter where nothing goes by age, and nobody is warned", async () => {
    const { logger, warned } = noting();
    const { mq, clock, events } = await watched(open, { logger, retention: { bytes: 0 } });
    await mq.createChannel("c");

    clock.setNowMs(clock.nowMs() + tenYearsMs);
    await mq.createChannel("d");
    clock.setNowMs(clock.nowMs() - tenYearsMs);
    const { lastId } = await mq.produce("c", [message("ahead")]);
    await begunAt(events, lastId + 1n);

    expect(warned).toEqual([]);
  });

  it("makes no message older than it is when the clock was wrong the other way", async () => {
    const { mq, clock } = await watched(open, { retention: { ageMs } });
    await mq.createChannel("c");
    await mq.produce("c", [message("m")]);
    const rightMs = clock.nowMs();

    clock.setNowMs(rightMs - tenYearsMs);
    await clock.advance(60_000);
    await mq.produce("c", [message("n")]);
    clock.setNowMs(rightMs + 60_000);
    await clock.advance(ageMs - 61_000);
    await settle();

    expect((await mq.describeChannel("c")).messages).toBe(2n);
  });
});

// On these a read is over when all has settled: age is counted from then.
describe.each([memory, segmentInMemory])("What is dated ahead behind what is gone, on $name", ({ open }) => {
  it("goes by age, later ones too, and by another retention that is given", async () => {
    const { mq, clock, events } = await watched(open, { retention: { ageMs } });
    await mq.createChannel("c");
    const ahead = await producedRightAndAhead(mq, clock);
    await clock.advance(ageMs);
    await begunAt(events, ahead.firstId);
    const later = await mq.produce("c", [message("later")]);
    await clock.advance(ageMs);
    await begunAt(events, later.firstId);
    await settle();

    await clock.advance(ageMs);
    await begunAt(events, later.lastId + 1n);
    const [, last] = [await mq.produce("c", [message("cut")]), await mq.produce("c", [message("last")])];
    await mq.trim("c", last.firstId);
    await mq.alterChannel("c", { retention: { ageMs: ageMs / 2 } });
    await settle();
    await clock.advance(ageMs / 2);
    await begunAt(events, last.lastId + 1n);

    expect((await mq.describeChannel("c")).messages).toBe(0n);
  });
});

describe("A clock that goes far back while what failed waits to be tried again", () => {
  it.each<[string, Retention]>([
    ["bytes", { bytes: 0 }],
    ["a long age and bytes", { ageMs: 2 * tenYearsMs, bytes: 0 }],
  ])("does not put it off, where the channel keeps by %s", async (_, retention) => {
    const vfs = new MemoryVfs();
    const { mq, clock, events } = await watched(segmentInMemory.open, { vfs, retention });
    await mq.createChannel("c");
    const fault = vfs.failNext({ op: "read", path: /\.seg$/, code: "EIO" });
    const { lastId } = await mq.produce("c", [message("m")]);
    await settle();
    expect(fault.fired()).toBe(true);
    expect((await mq.describeChannel("c")).messages).toBe(1n);

    clock.setNowMs(clock.nowMs() - tenYearsMs);
    await clock.advance(1000);
    await begunAt(events, lastId + 1n);

    expect((await mq.describeChannel("c")).messages).toBe(0n);
  });
});

describe.each(lastingStores)("A store of a clock that was far ahead, opened again on $name", ({ place }) => {
  it("counts the age of its messages from then on", async () => {
    const { logger, warned } = noting();
    const dir = place();
    const { mq: before, clock } = await watched(dir.open, { retention: { ageMs } });
    await before.createChannel("c");
    const rightMs = clock.nowMs();
    clock.setNowMs(rightMs + tenYearsMs);
    const produced = await before.produce("c", [message("ahead")]);
    await before.close();
    clock.setNowMs(rightMs);

    const mq = await dir.open({ clock, logger, retention: { ageMs } });
    const events = new Told(mq);
    expect(warned).toEqual([{ channel: "c", aheadMs: tenYearsMs }]);
    await clock.advance(ageMs - 1);
    await settle();
    expect((await mq.describeChannel("c")).messages).toBe(1n);
    await clock.advance(1001);

    await begunAt(events, produced.lastId + 1n);
  });
});
