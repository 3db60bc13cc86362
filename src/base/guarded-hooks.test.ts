import { describe, expect, it } from "vitest";
import { ManualClock } from "../testing/manual-clock.js";
import { systemClock } from "./clock.js";
import { guardClock, guardLogger, guardMetrics } from "./guarded-hooks.js";
import { silentLogger } from "./logger.js";
import { noMetrics } from "./metrics.js";

function fail(): never {
  throw new Error("broken");
}

describe("guarded hooks", () => {
  it("say and count what they are told, with everything that comes with it", () => {
    const told: unknown[] = [];
    const tell = (...all: unknown[]): void => void told.push(all);
    const metric = { add: tell, set: tell, observe: tell };
    const make = (...all: unknown[]): typeof metric => (tell(...all), metric);

    const metrics = guardMetrics({ counter: make, gauge: make, histogram: make }, silentLogger);
    metrics.counter("c", "help", ["l"]).add(1, { l: "x" });
    metrics.gauge("g", "help").set(2);
    metrics.histogram("h", "help").observe(3);
    guardLogger({ debug: tell, info: tell, warn: tell, error: tell }).warn({ a: 1 }, "text");

    expect(told).toEqual([
      ["c", "help", ["l"]],
      [1, { l: "x" }],
      ["g", "help", undefined],
      [2, undefined],
      ["h", "help", undefined],
      [3, undefined],
      [{ a: 1 }, "text"],
    ]);
  });

  it("tell of each broken metric once", () => {
    const warned: string[] = [];
    const logger = guardLogger({ ...silentLogger, warn: (_, text) => void warned.push(text) });
    const metrics = guardMetrics({ counter: fail, gauge: () => ({ set: fail }), histogram: fail }, logger);

    const [counter, gauge] = [metrics.counter("c", ""), metrics.gauge("g", "")];
    for (let n = 0; n < 3; n++) {
      counter.add(1);
      gauge.set(1);
    }

    expect(warned).toHaveLength(2);
  });

  it("leave alone what we give ourselves", () => {
    expect(guardLogger(silentLogger)).toBe(silentLogger);
    expect(guardMetrics(noMetrics, silentLogger)).toBe(noMetrics);
    expect(guardClock(systemClock)).toBe(systemClock);
  });

  it("take the system's time where there is no other, and never let monotonic time go back", () => {
    const clock = new ManualClock();
    const guarded = guardClock({
      nowMs: () => (isBroken ? fail() : clock.nowMs()),
      monotonicMs: () => (isBroken ? Number.NaN : clock.monotonicMs() + 1e12),
      setTimer: fail,
    });
    let isBroken = false;
    expect(guarded.nowMs()).toBe(clock.nowMs());
    const before = guarded.monotonicMs();

    isBroken = true;

    expect(Math.abs(guarded.nowMs() - systemClock.nowMs())).toBeLessThan(60_000);
    expect(guarded.monotonicMs()).toBeGreaterThanOrEqual(before);
    isBroken = false;
    expect(guarded.monotonicMs()).toBeGreaterThanOrEqual(before);
  });

  it("fire a timer once, by the system's clock where there is no other, and never after it was cancelled", async () => {
    const fired: string[] = [];
    const timers: (() => void)[] = [];
    const clock = new ManualClock();
    const without = guardClock({ nowMs: fail, monotonicMs: fail, setTimer: fail });
    const careless = guardClock({
      nowMs: fail,
      monotonicMs: fail,
      setTimer: (_ms, f) => {
        timers.push(f);
        return fail;
      },
    });

    await new Promise<void>((resolve) => void without.setTimer(0, resolve, { keepAlive: true }));
    guardClock(clock).setTimer(10, () => fired.push("by its clock"));
    const cancel = careless.setTimer(10, () => fired.push("cancelled"));
    careless.setTimer(10, () => fired.push("twice"));
    cancel();
    for (const timer of [...timers, ...timers]) timer();
    await clock.advance(10);

    expect(fired).toEqual(["twice", "by its clock"]);
  });
});
