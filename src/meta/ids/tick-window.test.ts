import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { greatestTick, type Reach, TickWindow, untouched } from "./tick-window.js";

const now = 1_700_000_000_000;
const dayMs = 86_400_000;

/** What an owner does: asks, and stores what is planned when the window is too small. */
function draw(window: TickWindow, count: number, nowMs: number, store: (reach: Reach) => void = () => undefined): bigint {
  for (;;) {
    const taken = window.take(count, nowMs);
    if (taken !== undefined) return taken;
    const reach = window.plan(count, nowMs);
    store(reach);
    window.renewed(reach);
  }
}

function msOf(tick: bigint): number {
  return Number(tick >> 18n);
}

describe("TickWindow", () => {
  it("gives nothing out before a window is stored", () => {
    const window = new TickWindow(untouched, { mayPassLimit: false });

    expect(window.take(1, now)).toBeUndefined();
    window.renewed(window.plan(1, now));

    expect(window.take(1, now)).toBe((BigInt(now) << 18n) + 1n);
  });

  it("follows a clock that goes forward, and counts on while it does not", () => {
    const window = new TickWindow(untouched, { mayPassLimit: false });

    const ticks = [now, now, now - dayMs, now + 5, now + 4].map((nowMs) => draw(window, 1, nowMs));

    expect(ticks.map((tick) => [msOf(tick) - now, Number(tick & 0x3ffffn)])).toEqual([
      [0, 1],
      [0, 2],
      [0, 3],
      [5, 1],
      [5, 2],
    ]);
  });

  it("carries into the next millisecond when one is used up", () => {
    const window = new TickWindow(untouched, { mayPassLimit: false });
    draw(window, 2 ** 18 - 1, now);

    expect(draw(window, 1, now)).toBe(BigInt(now + 1) << 18n);
  });

  it("goes on above its bound in the next life, also when the clock went back before the first", () => {
    const first = new TickWindow(untouched, { mayPassLimit: false });
    let stored = untouched;
    draw(first, 1, now, (reach) => (stored = reach));

    const next = draw(new TickWindow(stored, { mayPassLimit: false }), 1, now - dayMs);

    expect(next).toBe(stored.bound + 1n);
  });

  it("renews once a second while the clock runs", () => {
    const window = new TickWindow(untouched, { mayPassLimit: false });
    let renewals = 0;

    for (let ms = 0; ms < 10_000; ms++) draw(window, 100, now + ms, () => (renewals += 1));

    expect(renewals).toBe(10);
  });

  it("finds room for thousands of crashes with a clock that stands still, then says overloaded until the clock comes closer", () => {
    let stored = untouched;
    let lives = 0;
    const live = (nowMs: number): bigint => draw(new TickWindow(stored, { mayPassLimit: false }), 1, nowMs, (reach) => (stored = reach));
    const overloaded: unknown = expect.objectContaining({ code: "overloaded", effect: "none", retry: "backoff" });

    expect(() => {
      for (live(now); lives < 1e6; lives += 1) live(now - dayMs);
    }).toThrow(overloaded);

    expect(lives).toBe(8_000);
    expect(msOf(live(now + 10))).toBeLessThanOrEqual(now + 3_010);
  });

  it("may pass the limit for ids only, and only as far as a range needs", () => {
    const range = 2 ** 32 - 1;
    const ids = new TickWindow(untouched, { mayPassLimit: true });
    const ticks = new TickWindow(untouched, { mayPassLimit: false });

    const last = draw(ids, range, now);

    expect(last).toBe((BigInt(now) << 18n) + BigInt(range));
    expect(ids.take(1, now)).toBeUndefined();
    expect(draw(ids, 1, now)).toBe(last + 1n);
    expect(() => draw(ticks, range, now)).toThrow(expect.objectContaining({ code: "overloaded" }));
  });

  it("has an end, and says so there", () => {
    const ids = new TickWindow({ bound: greatestTick - 5n, highestMs: 0n }, { mayPassLimit: true });

    expect(draw(ids, 5, now)).toBe(greatestTick);
    expect(() => draw(ids, 1, now)).toThrow(expect.objectContaining({ code: "overloaded" }));
  });

  it.each([Number.NaN, -1, Infinity, -Infinity, 2 ** 60])("takes a clock that says %s for one that says nothing", (nowMs) => {
    const window = new TickWindow(untouched, { mayPassLimit: false });
    const before = draw(window, 1, now + 0.9);

    expect(draw(window, 1, nowMs)).toBe(before + 1n);
    expect(msOf(before)).toBe(now);
  });

  it("never goes back nor beyond its limit, whatever clock, crash and lost write come", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("take" as const), count: fc.integer({ min: 1, max: 2 ** 18 - 1 }) }),
      fc.record({ kind: fc.constant("clock" as const), byMs: fc.integer({ min: -dayMs, max: dayMs }) }),
      fc.record({ kind: fc.constant("crash" as const), beforeWrite: fc.boolean() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, mayPassLimit) => {
        let [nowMs, highestMs, last, stored] = [now, now, 0n, untouched];
        let window = new TickWindow(stored, { mayPassLimit });
        for (const one of steps) {
          if (one.kind === "clock") {
            nowMs += one.byMs;
            highestMs = Math.max(highestMs, nowMs);
          } else if (one.kind === "crash") {
            // The write of a plan may be there or not; nothing was given out from it.
            if (!one.beforeWrite) stored = window.plan(1, nowMs);
            window = new TickWindow(stored, { mayPassLimit });
          } else {
            const taken = draw(window, one.count, nowMs, (reach) => (stored = reach));
            expect(taken - BigInt(one.count)).toBeGreaterThanOrEqual(last);
            expect(msOf(taken) - highestMs).toBeLessThanOrEqual(3_000);
            last = taken;
          }
        }
      }),
    );
  });
});
