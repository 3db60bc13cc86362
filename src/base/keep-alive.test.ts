import { describe, expect, it } from "vitest";
import { ManualClock } from "../testing/manual-clock.js";
import type { Clock } from "./clock.js";
import { KeepAlive } from "./keep-alive.js";

/** Knows how many timers are set that hold the process. */
class HoldingClock extends ManualClock {
  holding = 0;

  override setTimer(ms: number, f: () => void, options: Parameters<Clock["setTimer"]>[2] = {}): () => void {
    if (options.keepAlive !== true) return super.setTimer(ms, f, options);
    this.holding++;
    let over = false;
    const end = (): void => {
      if (!over) this.holding--;
      over = true;
    };
    const cancel = super.setTimer(ms, () => {
      end();
      f();
    });
    return () => {
      end();
      cancel();
    };
  }
}

describe("KeepAlive", () => {
  it("holds the process with one timer from the first hold to the last release", () => {
    const clock = new HoldingClock();
    const keepAlive = new KeepAlive(clock);
    expect(clock.holding).toBe(0);

    const first = keepAlive.hold();
    const second = keepAlive.hold();
    expect(clock.holding).toBe(1);
    first();
    first();
    expect(clock.holding).toBe(1);
    second();

    expect(clock.holding).toBe(0);
  });

  it("goes on for as long as it takes", async () => {
    const clock = new HoldingClock();
    const release = new KeepAlive(clock).hold();

    await clock.advance(100 * 24 * 3_600_000);
    expect(clock.holding).toBe(1);
    release();

    expect(clock.holding).toBe(0);
  });

  it("lets go when what is waited for settles, either way", async () => {
    const clock = new HoldingClock();
    const keepAlive = new KeepAlive(clock);

    await expect(keepAlive.during(Promise.resolve(7))).resolves.toBe(7);
    await expect(keepAlive.during(Promise.reject(new Error("no")))).rejects.toThrow("no");

    expect(clock.holding).toBe(0);
  });
});
