import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "./clock.js";

describe("systemClock", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("fires once, when its time has come", () => {
    const fired = vi.fn<() => void>();
    systemClock.setTimer(100, fired);

    vi.advanceTimersByTime(99);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);

    expect(fired).toHaveBeenCalledTimes(1);
  });

  it("waits longer than the system's timer can count", () => {
    const fired = vi.fn<() => void>();
    const fortyDays = 40 * 24 * 3_600_000;
    systemClock.setTimer(fortyDays, fired);

    vi.advanceTimersByTime(fortyDays - 1);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);

    expect(fired).toHaveBeenCalledTimes(1);
  });

  it("never fires after it was cancelled, in its second leg either", () => {
    const fired = vi.fn<() => void>();
    const cancelFirst = systemClock.setTimer(100, fired);
    const cancelSecond = systemClock.setTimer(2 ** 31 + 100, fired);

    cancelFirst();
    vi.advanceTimersByTime(2 ** 31);
    cancelSecond();
    vi.advanceTimersByTime(1_000);

    expect(fired).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("goes on in both clocks", () => {
    const [wall, monotonic] = [systemClock.nowMs(), systemClock.monotonicMs()];

    vi.advanceTimersByTime(250);

    expect(systemClock.nowMs() - wall).toBe(250);
    expect(systemClock.monotonicMs() - monotonic).toBe(250);
  });
});

describe("a timer of systemClock", () => {
  const activeTimers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

  it("holds the process only when asked to", () => {
    const before = activeTimers();

    const cancelIdle = systemClock.setTimer(60_000, () => undefined);
    const idle = activeTimers() - before;
    const cancelWait = systemClock.setTimer(60_000, () => undefined, { keepAlive: true });
    const waiting = activeTimers() - before;
    cancelIdle();
    cancelWait();

    expect({ idle, waiting }).toEqual({ idle: 0, waiting: 1 });
  });
});
