import { describe, expect, it } from "vitest";
import { ManualClock } from "../testing/index.js";
import { type Stall, StallWatch, type Waiting } from "./stall-watch.js";

const held = { channels: ["silent"], bufferedBytes: 7 };

function setting() {
  const clock = new ManualClock(1_000);
  const told: (Stall | "resumed")[] = [];
  const state: { waiting: Waiting } = { waiting: held };
  const watch = new StallWatch(clock, {
    waiting: () => state.waiting,
    stalled: (stall) => told.push(stall),
    resumed: () => told.push("resumed"),
  });
  return { clock, told, state, watch };
}

describe("a stall watch", () => {
  it("tells when nothing has come for two seconds, and when something does again", async () => {
    const { clock, told, watch } = setting();
    watch.look(false);
    await clock.advance(1_999);
    expect(told).toEqual([]);

    await clock.advance(1);
    watch.progress();

    expect(told).toEqual([{ ...held, sinceMs: 1_000 }, "resumed"]);
  });

  it("tells soon when those who are ahead are full", async () => {
    const { clock, told, watch } = setting();
    watch.look(false);
    watch.look(true);

    await clock.advance(50);

    expect(told).toEqual([{ ...held, sinceMs: 1_000 }]);
  });

  it("waits from the last pack on", async () => {
    const { clock, told, watch } = setting();
    watch.look(false);
    await clock.advance(1_500);
    watch.progress();
    await clock.advance(1_999);
    expect(told).toEqual([]);

    await clock.advance(1);

    expect(told).toEqual([{ ...held, sinceMs: 2_500 }]);
  });

  it("waits from when something began to wait, however long nothing had: slow ticks that are a little apart are no stall", async () => {
    const { clock, told, watch } = setting();
    watch.rest();
    await clock.advance(10_000);
    watch.look(false);
    await clock.advance(1_999);
    expect(told).toEqual([]);

    await clock.advance(1);

    expect(told).toEqual([{ ...held, sinceMs: 11_000 }]);
  });

  it.each([true, false])("looks again at a log that was just being read, though nobody tells it to (full: %s)", async (full) => {
    const { clock, told, state, watch } = setting();
    state.waiting = "reading";
    watch.look(full);
    await clock.advance(2_010);
    expect(told).toEqual([]);

    state.waiting = held;
    await clock.advance(50);

    expect(told).toEqual([{ ...held, sinceMs: 1_000 }]);
  });

  it("says nothing when nothing waits, and nothing once it has ended", async () => {
    const { clock, told, state, watch } = setting();
    state.waiting = undefined;
    watch.look(false);
    await clock.advance(5_000);
    state.waiting = held;
    watch.look(false);
    watch.end();
    await clock.advance(5_000);

    expect(told).toEqual([]);
  });
});
