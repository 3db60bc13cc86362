import { describe, expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import { MoodyMeta } from "../conformance/moody-meta.js";
import { openIdAllocator } from "./id-allocator.js";

describe("an id allocator", () => {
  it("gives ranges that begin where the last one ended, and single ids", async () => {
    const ids = await openIdAllocator({ meta: await MoodyMeta.open(), clock: new ManualClock() });

    const [begin, end] = await ids.alloc(10);
    const one = await ids.allocOne();

    expect(end - begin).toBe(10n);
    expect(one).toBe(end);
    expect(await ids.alloc(1)).toEqual([one + 1n, one + 2n]);
  });

  it("scenario 51: 10 milliseconds' worth a call takes it 10 milliseconds on, the counter as before", async () => {
    const ids = await openIdAllocator({ meta: await MoodyMeta.open(), clock: new ManualClock() });
    const places: [ms: number, counter: number][] = [];

    for (let n = 0; n < 5; n++) {
      const [, end] = await ids.alloc(10 * 2 ** 18);
      places.push([Number((end - 1n) >> 18n), Number((end - 1n) & 0x3ffffn)]);
    }

    const [[ms, counter] = [0, 0]] = places;
    expect(places).toEqual([0, 10, 20, 30, 40].map((more) => [ms + more, counter]));
  });

  it("never goes back after a spill over the clock, by an update or by a new life", async () => {
    const [meta, clock] = [await MoodyMeta.open(), new ManualClock()];
    const ids = await openIdAllocator({ meta, clock });
    const [, end] = await ids.alloc(2 ** 32 - 1);
    expect(Number(end >> 18n) - clock.nowMs()).toBeGreaterThan(16_000);

    clock.setNowMs(clock.nowMs() + 100);
    await ids.updateId();
    const next = await ids.allocOne();
    const later = await (await openIdAllocator({ meta, clock })).allocOne();

    expect(next).toBe(end);
    expect(later).toBeGreaterThan(next);
  });

  it("needs no store for an alloc after an update", async () => {
    const [meta, clock] = [await MoodyMeta.open(), new ManualClock()];
    const ids = await openIdAllocator({ meta, clock });
    await ids.updateId();
    const { asked } = meta;

    clock.setNowMs(clock.nowMs() + 500);
    await ids.alloc(100_000);

    expect(meta.asked).toBe(asked);
  });

  it.each([0, -1, 2 ** 32, 0.5, Number.NaN])("refuses a range of %s", async (count) => {
    const ids = await openIdAllocator({ meta: await MoodyMeta.open() });

    await expect(ids.alloc(count)).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "count" } });
  });

  it("is closed once, and then refuses", async () => {
    const ids = await openIdAllocator({ meta: await MoodyMeta.open() });

    await ids.close();
    await ids[Symbol.asyncDispose]();

    await expect(ids.alloc(1)).rejects.toMatchObject({ code: "closed" });
    await expect(ids.allocOne()).rejects.toMatchObject({ code: "closed" });
    await expect(ids.updateId()).rejects.toMatchObject({ code: "closed" });
  });
});
