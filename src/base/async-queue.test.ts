import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { AsyncQueue } from "./async-queue.js";
import { KeepAlive } from "./keep-alive.js";
import { ManualClock } from "../testing/manual-clock.js";

const refusing = (capacity: number, onClose?: () => void): AsyncQueue<number> => new AsyncQueue({ whenFull: "refuse", capacity, onClose });

async function allOf<T>(queue: AsyncQueue<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of queue) items.push(item);
  return items;
}

describe("AsyncQueue", () => {
  it("hands items over in the order they were pushed, to a parked consumer at once", async () => {
    const queue = refusing(10);
    const parked = queue.next();
    queue.push(1);
    queue.push(2);
    queue.end();

    expect(await parked).toEqual({ done: false, value: 1 });
    expect(await allOf(queue)).toEqual([2]);
  });

  it("lets one loop iterate it; behind its end a second finds nothing", async () => {
    const queue = refusing(1);
    const loop = queue[Symbol.asyncIterator]();
    const parked = loop.next();

    expect(() => queue[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "conflict" }));

    queue.push(1);
    expect(await parked).toEqual({ done: false, value: 1 });
    await queue.close();
    expect(await allOf(queue)).toEqual([]);
  });

  it("answers calls of next() in order, also when they are not awaited", async () => {
    const queue = refusing(1);
    const calls = [queue.next(), queue.next(), queue.next(), queue.next()];
    const ends = Promise.allSettled(calls);

    expect([queue.push(1), queue.push(2)]).toEqual([true, true]);
    queue.fail(new Error("disk gone"));

    expect(await ends).toEqual([
      { status: "fulfilled", value: { done: false, value: 1 } },
      { status: "fulfilled", value: { done: false, value: 2 } },
      { status: "rejected", reason: new Error("disk gone") },
      { status: "fulfilled", value: { done: true, value: undefined } },
    ]);
  });

  it("refuses a capacity that is no bound", () => {
    expect(() => refusing(0)).toThrow(expect.objectContaining({ code: "invalid-argument", details: { argument: "capacity" } }));
    expect(() => refusing(Infinity)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  it("holds the process exactly while a next() is parked", async () => {
    const keepAlive = new KeepAlive(new ManualClock());
    const queue = new AsyncQueue<number>({ whenFull: "refuse", capacity: 1, keepAlive });

    const parked = queue.next();
    expect(keepAlive.holds).toBe(1);
    queue.push(1);
    await parked;

    expect(keepAlive.holds).toBe(0);
  });
});

describe("the bound of an AsyncQueue", () => {
  it("refuses the newest, and tells the producer when there is room", async () => {
    const queue = refusing(2);
    expect([queue.push(1), queue.push(2), queue.push(3)]).toEqual([true, true, false]);

    const room = queue.room();
    await queue.next();

    expect(await room).toBe(true);
    expect(queue.push(4)).toBe(true);
  });

  it("tells a producer that waits for room when there will be none", async () => {
    const queue = refusing(1);
    queue.push(1);
    const room = queue.room();

    await queue.close();

    expect(await room).toBe(false);
    expect(await queue.room()).toBe(false);
  });

  it("drops the oldest, and marks the next one with how many are missing", async () => {
    const queue = new AsyncQueue<{ n: number; missed?: number }>({
      whenFull: "drop-oldest",
      capacity: 2,
      mark: (item, missed) => ({ ...item, missed }),
    });
    for (let n = 1; n <= 5; n++) queue.push({ n });
    queue.end();

    expect(await allOf(queue)).toEqual([{ n: 4, missed: 3 }, { n: 5 }]);
  });

  it("never holds more than its capacity, loses nothing unseen, and keeps the order, whoever is faster", async () => {
    const step = fc.constantFrom("push" as const, "take" as const);
    await fc.assert(
      fc.asyncProperty(fc.array(step), fc.integer({ min: 1, max: 5 }), fc.boolean(), async (steps, capacity, drops) => {
        const mark = (item: number, missing: number): number => item + missing / 1_000;
        const queue = new AsyncQueue<number>(drops ? { whenFull: "drop-oldest", mark, capacity } : { whenFull: "refuse", capacity });
        const got: number[] = [];
        let pushed = 0;
        for (const one of steps) {
          if (one === "push" && queue.push(pushed)) pushed++;
          if (one === "take" && queue.size > 0) got.push(...(await taken(queue)));
          expect(queue.size).toBeLessThanOrEqual(capacity);
        }
        queue.end();
        got.push(...(await allOf(queue)));

        const missing = got.map((item) => Math.round((item % 1) * 1_000));
        const expected = got.map((_, i) => i + missing.slice(0, i + 1).reduce((a, b) => a + b, 0));
        expect(got.map(Math.floor)).toEqual(expected);
        expect(expected.length === 0 || expected.at(-1) === pushed - 1).toBe(true);
      }),
    );
  });
});

async function taken(queue: AsyncQueue<number>): Promise<number[]> {
  const result = await queue.next();
  return result.done === true ? [] : [result.value];
}

describe("the ends of an AsyncQueue", () => {
  it("break: takes no more, and tells the producer once", async () => {
    const onClose = vi.fn<() => void>();
    const queue = refusing(10, onClose);
    queue.push(1);
    queue.push(2);

    for await (const item of queue) if (item === 1) break;
    await queue.close();

    expect(queue.push(3)).toBe(false);
    expect(queue.size).toBe(0);
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it("a throw in the body: comes out of the loop as it is, and tells the producer", async () => {
    const onClose = vi.fn<() => void>();
    const queue = refusing(10, onClose);
    queue.push(1);

    const loop = async (): Promise<void> => {
      for await (const item of queue) throw new Error(`body failed at ${item}`);
    };

    await expect(loop()).rejects.toThrow("body failed at 1");
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it("abort: ends a parked loop without an error, and drops what waits", async () => {
    const controller = new AbortController();
    const onClose = vi.fn<() => void>();
    const queue = new AsyncQueue<number>({ whenFull: "refuse", capacity: 10, signal: controller.signal, onClose });
    const loop = allOf(queue);

    controller.abort();

    expect(await loop).toEqual([]);
    expect(queue.push(1)).toBe(false);
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it("abort before it was made: it is over from the start", async () => {
    const onClose = vi.fn<() => void>();
    const queue = new AsyncQueue<number>({ whenFull: "refuse", capacity: 10, signal: AbortSignal.abort(), onClose });

    expect(queue.open).toBe(false);
    expect(await allOf(queue)).toEqual([]);
    expect(onClose).not.toHaveBeenCalled();
  });

  it("abort after the producer ended: drops what still waits", async () => {
    const controller = new AbortController();
    const queue = new AsyncQueue<number>({ whenFull: "refuse", capacity: 10, signal: controller.signal });
    queue.push(1);
    queue.end();

    controller.abort();

    expect(await allOf(queue)).toEqual([]);
  });

  it("close while parked: is not held up by the next() that waits", async () => {
    const queue = refusing(10);
    const parked = queue.next();

    await queue.close();

    expect(await parked).toEqual({ done: true, value: undefined });
    expect(await queue.next()).toEqual({ done: true, value: undefined });
  });

  it("the producer's error: comes after what was pushed before it, once", async () => {
    const queue = refusing(10);
    queue.push(1);
    queue.fail(new Error("disk gone"));
    queue.push(2);

    expect(await queue.next()).toEqual({ done: false, value: 1 });
    await expect(queue.next()).rejects.toThrow("disk gone");
    expect(await queue.next()).toEqual({ done: true, value: undefined });
  });

  it("the producer's error: reaches a parked consumer at once", async () => {
    const queue = refusing(10);
    const loop = allOf(queue);

    queue.fail(new Error("disk gone"));

    await expect(loop).rejects.toThrow("disk gone");
  });

  it("the producer's end: lets go of the signal once all is delivered", async () => {
    const controller = new AbortController();
    const letGo = vi.spyOn(controller.signal, "removeEventListener");
    const queue = new AsyncQueue<number>({ whenFull: "refuse", capacity: 10, signal: controller.signal });
    queue.push(1);
    queue.end();

    expect(await allOf(queue)).toEqual([1]);

    expect(letGo).toHaveBeenCalledTimes(1);
  });
});
