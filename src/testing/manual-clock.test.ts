import { describe, expect, it } from "vitest";
import { ManualClock } from "./manual-clock.js";

describe("ManualClock", () => {
  it("stands still until told, then both clocks move", async () => {
    const clock = new ManualClock(1000);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1000, 0]);

    await clock.advance(25);

    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1025, 25]);
  });

  it("fires in the order of time, those of one time in the order they were set, at their own time", async () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    const note = (name: string) => (): void => void fired.push(`${name}@${clock.nowMs()}`);
    clock.setTimer(30, note("late"));
    clock.setTimer(10, note("a"));
    clock.setTimer(10, note("b"));
    clock.setTimer(31, note("never"));

    await clock.advance(30);

    expect(fired).toEqual(["a@10", "b@10", "late@30"]);
  });

  it("fires a timer that another one sets, if it is due", async () => {
    const clock = new ManualClock();
    const fired: string[] = [];
    clock.setTimer(10, () => {
      clock.setTimer(5, () => fired.push("in time"));
      clock.setTimer(6, () => fired.push("too late"));
    });

    await clock.advance(15);

    expect(fired).toEqual(["in time"]);
  });

  it("gives what a timer set off one turn of the event loop before the next one fires", async () => {
    const clock = new ManualClock();
    const order: string[] = [];
    clock.setTimer(1, () => void Promise.resolve().then(() => order.push("work of the first")));
    clock.setTimer(2, () => order.push("second"));

    await clock.advance(2);

    expect(order).toEqual(["work of the first", "second"]);
  });

  it("never fires what was cancelled, nor twice", async () => {
    const clock = new ManualClock();
    let fired = 0;
    const cancel = clock.setTimer(1, () => (fired += 1));
    clock.setTimer(1, () => (fired += 10));
    cancel();
    cancel();

    await clock.advance(5);
    await clock.advance(5);

    expect(fired).toBe(10);
  });

  it("lets the wall clock jump back without touching timers or monotonic time", async () => {
    const clock = new ManualClock(1000);
    let firedAt = 0;
    clock.setTimer(10, () => (firedAt = clock.nowMs()));

    clock.setNowMs(500);
    await clock.advance(10);

    expect([firedAt, clock.monotonicMs()]).toEqual([510, 10]);
  });

  it("goes nowhere with what is no time, and never back", async () => {
    const clock = new ManualClock(5);

    await clock.advance(-1);
    for (const ms of [Number.NaN, Infinity])
      await expect(clock.advance(ms)).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "ms" } });
    expect(() => clock.setNowMs(Number.NaN)).toThrow(expect.objectContaining({ code: "invalid-argument" }) as Error);
    expect(() => new ManualClock(Number.NaN)).toThrow(expect.objectContaining({ code: "invalid-argument" }) as Error);

    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([5, 0]);
  });
});
