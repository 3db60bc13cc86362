import { describe, expect, it } from "vitest";
import { ManualClock } from "../testing/index.js";
import type { Parked } from "./parked.js";
import { Waiters } from "./waiters.js";

describe("who waits on a channel", () => {
  it("is woken when that channel is rung, and only then", async () => {
    const clock = new ManualClock();
    const waiters = new Waiters();
    const woken: string[] = [];
    const waits = ["a", "a", "b"].map(async (channel) => woken.push(`${channel} ${await waiters.park(channel, { clock })}`));

    waiters.ring("nobody's");
    waiters.ring("a");
    await Promise.all(waits.slice(0, 2));
    expect(woken).toEqual(["a rung", "a rung"]);
    waiters.ringAll();
    await waits[2];

    expect(woken).toEqual(["a rung", "a rung", "b rung"]);
  });

  it("can be woken alone", async () => {
    const clock = new ManualClock();
    const waiters = new Waiters();
    const handles: Parked[] = [];
    const [first, second] = [1, 2].map(() => waiters.park("c", { clock }, (parked) => handles.push(parked)));

    handles[1]?.ring();
    expect(await second).toBe("rung");
    handles[0]?.ring();

    expect(await first).toBe("rung");
  });

  it("gives up in its time, or at the word of its signal", async () => {
    const clock = new ManualClock();
    const waiters = new Waiters();
    const controller = new AbortController();
    const timed = waiters.park("c", { clock, waitMs: 10 });
    const aborted = waiters.park("c", { clock, signal: controller.signal });

    await clock.advance(10);
    expect(await timed).toBe("timeout");
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");

    await expect(waiters.park("c", { clock, signal: controller.signal })).rejects.toBe("enough");
  });

  it("holds the process by a timer, however long it waits, and leaves none behind", async () => {
    const timers: { ms: number; keepAlive: boolean | undefined }[] = [];
    let running = 0;
    const clock = new ManualClock();
    const counting = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (ms: number, f: () => void, options?: { keepAlive?: boolean | undefined }) => {
        timers.push({ ms, keepAlive: options?.keepAlive });
        running += 1;
        const cancel = clock.setTimer(ms, f);
        return () => {
          running -= 1;
          cancel();
        };
      },
    };
    const waiters = new Waiters();
    const waits = [waiters.park("c", { clock: counting }), waiters.park("c", { clock: counting, waitMs: 5 })];

    waiters.ring("c");
    await Promise.all(waits);

    expect(timers).toEqual([
      { ms: 24 * 3_600_000, keepAlive: true },
      { ms: 5, keepAlive: true },
    ]);
    expect(running).toBe(0);
  });
});
