import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TimeTick, timeTickFrom } from "../message/index.js";
import { TickerLedger } from "./ticker-ledger.js";

function tick(value: number): TimeTick {
  return timeTickFrom(BigInt(value));
}

describe("the books of a channel's ticker", () => {
  it("give out the fresh timestamp when nothing is in flight", () => {
    const ledger = new TickerLedger(false);

    expect(ledger.next(tick(10))).toBe(tick(10));
    expect(ledger.next(tick(11))).toBe(tick(11));
  });

  it("stay below the least work in flight, and give no tick twice", () => {
    const ledger = new TickerLedger(false);
    const late = ledger.begins(ledger.asks(tick(20)), tick(30));
    const early = ledger.begins(ledger.asks(tick(5)), tick(20));

    expect([ledger.next(tick(40)), ledger.next(tick(41))]).toEqual([tick(19), undefined]);
    ledger.ends(early);
    expect(ledger.next(tick(42))).toBe(tick(29));
    ledger.ends(late);
    expect(ledger.next(tick(43))).toBe(tick(43));
  });

  it("stay at what had come back when work asked, until its timestamp is there", () => {
    const ledger = new TickerLedger(false);
    const asked = ledger.asks(tick(10));

    expect([ledger.next(tick(40)), ledger.next(tick(41))]).toEqual([tick(10), undefined]);
    ledger.begins(asked, tick(30));
    expect(ledger.next(tick(42))).toBe(tick(29));
  });

  it("give no tick at all while the first work ever asks", () => {
    const ledger = new TickerLedger(false);
    ledger.asks(tick(0));

    expect(ledger.next(tick(40))).toBeUndefined();
  });

  it("refuse work that an oracle puts where a tick is already", () => {
    const ledger = new TickerLedger(false);
    ledger.next(tick(10));

    expect(() => ledger.begins(ledger.asks(tick(10)), tick(10))).toThrow(
      expect.objectContaining({ code: "invalid-argument", details: { argument: "now" } }),
    );
    expect(ledger.next(tick(11))).toBe(tick(11));
  });

  it("know whether there may be something that no tick covers", () => {
    const ledger = new TickerLedger(true);
    const seen = [ledger.uncovered];

    ledger.next(tick(10));
    seen.push(ledger.uncovered);
    const work = ledger.begins(ledger.asks(tick(10)), tick(20));
    seen.push(ledger.uncovered);
    ledger.next(tick(30));
    seen.push(ledger.uncovered);
    ledger.ends(work);
    ledger.next(tick(40));
    seen.push(ledger.uncovered);
    ledger.ends(work);
    seen.push(ledger.uncovered);
    ledger.stored();
    seen.push(ledger.uncovered);

    expect(seen).toEqual([true, false, false, true, false, false, true]);
  });

  it("never let work be at or below a tick given out, whatever begins, ends and ticks there are", () => {
    const step = fc.record({ what: fc.constantFrom("ask" as const, "begin" as const, "end" as const, "tick" as const), which: fc.nat(9) });

    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const ledger = new TickerLedger(false);
        let [clock, seen, last] = [0, 0, 0];
        const asking: ReturnType<TickerLedger["asks"]>[] = [];
        const working: { readonly at: number; readonly work: ReturnType<TickerLedger["asks"]> }[] = [];
        for (const { what, which } of steps) {
          if (what === "ask") asking.push(ledger.asks(tick(seen)));
          if (what === "begin" && asking.length > 0) {
            const [asked] = asking.splice(which % asking.length, 1);
            clock += 1;
            seen = clock;
            if (asked !== undefined) working.push({ at: clock, work: ledger.begins(asked, tick(clock)) });
            expect(clock).toBeGreaterThan(last);
          }
          if (what === "end" && working.length > 0) {
            const [ended] = working.splice(which % working.length, 1);
            if (ended !== undefined) ledger.ends(ended.work);
          }
          if (what === "tick") {
            clock += 1;
            seen = clock;
            const given = ledger.next(tick(clock));
            if (given !== undefined) {
              expect(Number(given)).toBeGreaterThan(last);
              last = Number(given);
            }
            expect(working.every(({ at }) => at > last)).toBe(true);
          }
        }
      }),
    );
  });
});
