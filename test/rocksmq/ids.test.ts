import { describe, expect, it } from "vitest";
import type { IdAllocator } from "../../src/rocksmq/index.js";
import { filled, message, numbered, readAll, settle, stores, texts } from "./stores.js";

/** Hands out what it is told to; calls are answered when the test says so. */
class Allocator implements IdAllocator {
  readonly asked: number[] = [];
  readonly answers: ((range: [bigint, bigint]) => void)[] = [];
  readonly #next: ((count: number) => [bigint, bigint]) | undefined;

  constructor(next?: (count: number) => [bigint, bigint]) {
    this.#next = next;
  }

  async alloc(count: number): Promise<[bigint, bigint]> {
    this.asked.push(count);
    if (this.#next !== undefined) return this.#next(count);
    return new Promise((resolve) => this.answers.push(resolve));
  }

  async allocOne(): Promise<bigint> {
    return (await this.alloc(1))[0];
  }

  updateId(): Promise<void> {
    return Promise.resolve();
  }
}

function counting(from: bigint): Allocator {
  let next = from;
  return new Allocator((count) => {
    next += BigInt(count);
    return [next - BigInt(count), next];
  });
}

describe.each(stores)("ids from outside on $name", ({ open }) => {
  it("are asked for once a produce, and used as they come, gaps included", async () => {
    const ids = counting(1n);
    const mq = await open({ ids });
    await mq.createChannel("a");
    await mq.createChannel("b");

    const results = await Promise.all([mq.produce("a", numbered(0, 3)), mq.produce("b", numbered(0, 2)), mq.produce("a", numbered(3, 4))]);
    await mq.produce("a", []);

    expect(ids.asked).toEqual([3, 2, 1]);
    expect(results.map(({ firstId, lastId }) => [firstId, lastId])).toEqual([
      [1n, 3n],
      [4n, 5n],
      [6n, 6n],
    ]);
    expect((await readAll(mq, "a")).map(({ id }) => id)).toEqual([1n, 2n, 3n, 6n]);
    expect(await mq.describeChannel("a")).toMatchObject({ beginId: 1n, endId: 7n, messages: 4n });
  });

  it("leave gaps that a seek takes for the next message", async () => {
    const mq = await open({ ids: counting(100n) });
    await mq.createChannel("a");
    await mq.createChannel("b");
    await mq.createConsumerGroup("g");
    await mq.produce("a", [message("100")]);
    await mq.produce("b", numbered(0, 10));
    await mq.produce("a", [message("111")]);

    await mq.seek("g", "a", 105n);

    expect(texts(await mq.consume("g", "a", 1))).toEqual(["111"]);
  });

  it.each<[string, [bigint, bigint]]>([
    ["too few", [50n, 51n]],
    ["too many", [50n, 54n]],
    ["that go back", [5n, 7n]],
    ["that repeat the last", [11n, 13n]],
    ["upside down", [52n, 50n]],
    ["below zero", [-2n, 0n]],
    ["beyond 64 bits", [2n ** 63n - 1n, 2n ** 63n + 1n]],
  ])("are refused when they are %s, with nothing written", async (_, range) => {
    const ranges: [bigint, bigint][] = [[10n, 12n], range, [60n, 61n]];
    const mq = await open({ ids: new Allocator(() => ranges.shift() ?? [0n, 0n]) });
    await mq.createChannel("c");
    await mq.produce("c", numbered(0, 2));

    await expect(mq.produce("c", numbered(2, 4))).rejects.toMatchObject({
      code: "invalid-argument",
      effect: "none",
      details: { argument: "ids" },
    });

    await mq.produce("c", [message("after")]);
    expect(texts(await readAll(mq, "c"))).toEqual(["0", "1", "after"]);
  });

  it("that are not a range at all, or fail, refuse the produce", async () => {
    const odd: IdAllocator[] = [
      Object.assign(counting(1n), { alloc: () => Promise.resolve("12") }),
      Object.assign(counting(1n), { alloc: () => Promise.reject(new Error("the allocator is down")) }),
    ];
    const [shapeless, down] = await Promise.all(odd.map(async (ids) => open({ ids })));
    await shapeless?.createChannel("c");
    await down?.createChannel("c");

    await expect(shapeless?.produce("c", numbered(0, 1))).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(down?.produce("c", numbered(0, 1))).rejects.toThrow("the allocator is down");
    expect(await readAll(down ?? (await open()), "c")).toEqual([]);
  });

  it("that are late keep everything called later behind them", async () => {
    const ids = new Allocator();
    const mq = await open({ ids });
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");

    const slow = mq.produce("c", [message("slow")]);
    const fast = mq.produce("c", [message("fast")]);
    const consumed = mq.consume("g", "c", 10);
    const destroyed = mq.destroyChannel("c");
    await settle();
    expect(ids.asked).toEqual([1, 1]);
    ids.answers[1]?.([8n, 9n]);
    await settle();
    ids.answers[0]?.([7n, 8n]);

    expect((await slow).firstId).toBe(7n);
    expect((await fast).firstId).toBe(8n);
    expect(texts(await consumed)).toEqual(["slow", "fast"]);
    await destroyed;
    expect(await mq.channels()).toEqual([]);
  });

  it("that never come do not outlive an abort or a close", async () => {
    const mq = await open({ ids: new Allocator() });
    await mq.createChannel("c");
    const controller = new AbortController();

    const aborted = mq.produce("c", [message("a")], { signal: controller.signal }).catch((error: unknown) => error);
    const waiting = mq.produce("c", [message("b")]).catch((error: unknown) => error);
    const behind = mq.createChannel("d").catch((error: unknown) => error);
    await settle();
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    await mq.close();

    expect(await waiting).toMatchObject({ code: "closed", effect: "none" });
    expect(await behind).toBeUndefined();
  });

  it("work with groups from latest and channels made again", async () => {
    const mq = await open({ ids: counting(1n) });
    await filled(mq, 3);
    await mq.createConsumerGroup("late", { from: "latest" });
    await mq.destroyChannel("c");
    await mq.createChannel("c");
    await mq.produce("c", [message("new")]);

    expect(texts(await mq.consume("late", "c", 10))).toEqual(["new"]);
  });
});
