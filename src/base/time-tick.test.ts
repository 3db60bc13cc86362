import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { addMs, logicalOf, maxTick, physicalMs, timeTick, timeTickFrom } from "./time-tick.js";

type Compose = VectorCase<{ readonly physicalMs: string; readonly logical: string; readonly ts: string }>;
type Parse = VectorCase<{ readonly ts: string; readonly physicalMs: string; readonly logical: string }>;
type Add = VectorCase<{ readonly ts: string; readonly durationNanoseconds: string; readonly result: string }>;

const kind = <Case extends VectorCase<unknown>>(prefix: string): readonly Case[] =>
  vectorCases<Case>("tso").filter(({ name }) => name.startsWith(`${prefix}/`));
const refused: unknown = expect.objectContaining({ code: "invalid-argument" });
const fits = (number: bigint): boolean => number >= 0n && number < 2n ** 64n;

describe("a time tick", () => {
  it.each(kind<Compose>("compose"))("is put together as in Milvus, where that does not wrap: $name", ({ meaning }) => {
    const [ms, logical] = [Number(meaning.physicalMs), Number(meaning.logical)];
    const make = (): bigint => timeTick(ms, logical);

    // What wraps around in Go is no time, and refused.
    if (ms < 0 || logical < 0 || !fits(BigInt(ms) * 2n ** 18n + BigInt(logical))) expect(make).toThrow(refused);
    else expect(make()).toBe(BigInt(meaning.ts));
  });

  it.each(kind<Parse>("parse"))("is taken apart as in Milvus: $name", ({ meaning }) => {
    const tick = timeTickFrom(BigInt(meaning.ts));

    expect(physicalMs(tick)).toBe(Number(meaning.physicalMs));
    expect(logicalOf(tick)).toBe(Number(meaning.logical));
  });

  it.each(kind<Add>("add"))("moves by whole milliseconds as in Milvus, where that does not wrap: $name", ({ meaning }) => {
    const ms = BigInt(meaning.durationNanoseconds) / 1_000_000n;
    const tick = timeTickFrom(BigInt(meaning.ts));
    const move = (): bigint => addMs(tick, Number(ms));

    if (!fits(tick + ms * 2n ** 18n)) expect(move).toThrow(refused);
    else expect(move()).toBe(BigInt(meaning.result));
  });

  it("orders as its milliseconds do, then as its counter", () => {
    const parts = fc.tuple(fc.integer({ min: 0, max: 2 ** 46 - 1 }), fc.integer({ min: 0, max: 2 ** 18 - 1 }));

    fc.assert(
      fc.property(parts, parts, ([ms, logical], [otherMs, otherLogical]) => {
        const [one, other] = [timeTick(ms, logical), timeTick(otherMs, otherLogical)];

        expect(one < other).toBe(ms < otherMs || (ms === otherMs && logical < otherLogical));
        expect([physicalMs(one), logicalOf(one)]).toEqual([ms, logical]);
        expect(maxTick(one, other)).toBe(one < other ? other : one);
      }),
    );
  });

  it("is refused where it is no number of its kind, which the error names", () => {
    expect(() => timeTickFrom(-1n)).toThrow(refused);
    expect(() => timeTickFrom(2n ** 64n)).toThrow(refused);
    expect(() => void Reflect.apply(timeTickFrom, undefined, [5])).toThrow("raw must be a bigint");
    expect(() => timeTick(1.5)).toThrow("physicalMs must be a whole number");
    expect(() => timeTick(0, -1)).toThrow("logical must be a whole number");
    expect(() => addMs(timeTick(1), 0.5)).toThrow("ms must be a whole number");
    expect(() => addMs(timeTick(1), -2)).toThrow(refused);
  });

  it("is 0 when the latest of none is asked for", () => {
    expect(maxTick()).toBe(0n);
  });
});
