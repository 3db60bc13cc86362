import { describe, expect, it } from "vitest";
import { ManualClock } from "../testing/index.js";
import { setLongTimer } from "./long-timer.js";

const dayMs = 24 * 3_600_000;

describe("a long timer", () => {
  it.each([0, 5, dayMs, dayMs + 1, 100 * dayMs])("goes off after %d ms, once", async (ms) => {
    const clock = new ManualClock();
    let fired = 0;
    setLongTimer(clock, ms, () => (fired += 1));

    await clock.advance(ms - 1);
    expect(fired).toBe(0);
    await clock.advance(1);
    expect(fired).toBe(1);
    await clock.advance(200 * dayMs);

    expect(fired).toBe(1);
  });

  it("of no end holds the process by timers that every clock can count, until it is cancelled", async () => {
    const clock = new ManualClock();
    const asked: (number | boolean | undefined)[] = [];
    const watched = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (ms: number, f: () => void, options?: { keepAlive?: boolean | undefined }) => {
        asked.push(ms, options?.keepAlive);
        return clock.setTimer(ms, f);
      },
    };
    let fired = false;

    const cancel = setLongTimer(watched, Infinity, () => (fired = true));
    await clock.advance(2.5 * dayMs);
    cancel();
    await clock.advance(2.5 * dayMs);

    expect(fired).toBe(false);
    expect(asked).toEqual([dayMs, true, dayMs, true, dayMs, true]);
  });
});
