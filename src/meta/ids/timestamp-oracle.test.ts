import { describe, expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import { bytes } from "../conformance/meta-under-test.js";
import { MoodyMeta } from "../conformance/moody-meta.js";
import { openTimestampOracle } from "./timestamp-oracle.js";

const badRecords = [
  "",
  "{",
  "null",
  "[]",
  "{}",
  '{"opening":"1","bound":"x","highestMs":"1"}',
  '{"opening":"1","bound":5,"highestMs":"1"}',
];
const tooGreat = '{"opening":"1","bound":"9223372036854775808","highestMs":"1"}';

describe("a timestamp oracle", () => {
  it("scenario 51: batches of 100 in one millisecond differ by exactly 100 in the counter", async () => {
    const clock = new ManualClock();
    const oracle = await openTimestampOracle({ meta: await MoodyMeta.open(), clock });

    const ticks = [await oracle.allocate(100), await oracle.allocate(100), await oracle.allocate(100)];

    expect(ticks.map((tick) => [Number(tick >> 18n) - clock.nowMs(), Number(tick & 0x3ffffn)])).toEqual([
      [0, 100],
      [0, 200],
      [0, 300],
    ]);
    expect(oracle.latest()).toBe(ticks[2]);
  });

  it.each([0, 2 ** 18, 2 ** 32 - 1, -1, 1.5, Number.NaN])("scenario 51: a batch of %s is refused", async (count) => {
    const oracle = await openTimestampOracle({ meta: await MoodyMeta.open() });

    await expect(oracle.allocate(count)).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "count" } });
  });

  it("a read that fails at the start is no fresh start, and harms no later one", async () => {
    const [meta, clock] = [await MoodyMeta.open(), new ManualClock()];
    const first = await (await openTimestampOracle({ meta, clock })).allocate();
    clock.setNowMs(0);
    meta.gets.push({ before: () => Promise.reject(new Error("the disk is away")) });

    await expect(openTimestampOracle({ meta, clock })).rejects.toThrow("the disk is away");

    expect(await (await openTimestampOracle({ meta, clock })).allocate()).toBeGreaterThan(first);
  });

  it.each([...badRecords, tooGreat])("a key that holds %j is corrupt, and stays as it is", async (text) => {
    const meta = await MoodyMeta.open();
    await meta.put("tso/timestamp", bytes(text));

    await expect(openTimestampOracle({ meta })).rejects.toMatchObject({ code: "corrupt", details: { file: "tso/timestamp", offset: 0 } });

    expect((await meta.get("tso/timestamp"))?.value).toEqual(bytes(text));
  });

  it("says what an earlier life may have given out before it gives out any", async () => {
    const [meta, clock] = [await MoodyMeta.open(), new ManualClock()];
    const first = await openTimestampOracle({ meta, clock });
    expect(first.latest()).toBe(0n);
    const given = await first.allocate();
    await first.close();

    const second = await openTimestampOracle({ meta, clock });

    expect(second.latest()).toBeGreaterThanOrEqual(given);
    expect(await second.allocate()).toBe(second.latest());
  });

  it("keeps lines under keys of their own apart", async () => {
    const [meta, clock] = [await MoodyMeta.open(), new ManualClock()];
    const one = await openTimestampOracle({ meta, clock, key: "one" });
    const other = await openTimestampOracle({ meta, clock, key: "other" });

    expect(await one.allocate()).toBe(await other.allocate());
  });

  it("refuses what it can't be opened with, naming it", async () => {
    const meta = await MoodyMeta.open();
    const badClock = Object.assign(new ManualClock(), { nowMs: undefined });
    const argumentOf = async (options: object): Promise<unknown> => {
      const open: (options: never) => Promise<unknown> = openTimestampOracle;
      return open(options as never).catch((error: unknown) => error);
    };

    expect(await argumentOf({ meta: {} })).toMatchObject({ code: "invalid-argument", details: { argument: "meta" } });
    expect(await argumentOf({ meta, key: "" })).toMatchObject({ code: "invalid-argument", details: { argument: "key" } });
    expect(await argumentOf({ meta, key: "\ud800" })).toMatchObject({ code: "invalid-argument", details: { argument: "key" } });
    expect(await argumentOf({ meta, clock: badClock })).toMatchObject({ code: "invalid-argument", details: { argument: "clock" } });
    expect(await argumentOf({ meta, keys: "k" })).toMatchObject({ code: "invalid-argument", details: { argument: "keys" } });
  });

  it("refuses a signal that is none, and gives up with the reason of one that is aborted", async () => {
    const oracle = await openTimestampOracle({ meta: await MoodyMeta.open() });
    const allocate: (count: number, options: never) => Promise<unknown> = oracle.allocate.bind(oracle);

    await expect(allocate(1, { signal: 5 } as never)).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "signal" } });
    await expect(oracle.allocate(1, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
  });
});
