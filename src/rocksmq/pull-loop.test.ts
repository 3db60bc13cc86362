import { describe, expect, it } from "vitest";
import { PullLoop } from "./pull-loop.js";

const done = { done: true, value: undefined };

/** A loop over items that the test hands in one by one. */
function handLoop(signal?: AbortSignal): {
  loop: PullLoop<string>;
  give: (item: string | undefined | Error) => void;
  ends: () => number;
  pulls: () => number;
} {
  let pulls = 0;
  let ends = 0;
  let settle: (item: string | undefined | Error) => void = () => undefined;
  const loop = new PullLoop<string>({
    what: "test",
    pull: () => {
      pulls += 1;
      return new Promise((resolve, reject) => {
        settle = (item) => (item instanceof Error ? reject(item) : resolve(item));
      });
    },
    onEnd: () => {
      ends += 1;
      settle("too late");
    },
    signal,
  });
  return { loop, give: (item) => settle(item), ends: () => ends, pulls: () => pulls };
}

async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

describe("a pull loop", () => {
  it("asks for one item at a time, only when somebody asks it", async () => {
    const { loop, give, pulls } = handLoop();
    const iterator = loop.iterator();
    await turn();
    expect(pulls()).toBe(0);

    const [first, second] = [iterator.next(), iterator.next()];
    await turn();
    expect(pulls()).toBe(1);
    give("a");
    expect(await first).toEqual({ done: false, value: "a" });
    await turn();
    give("b");

    expect(await second).toEqual({ done: false, value: "b" });
  });

  it("ends when there is nothing more", async () => {
    const { loop, give, ends } = handLoop();
    const iterator = loop.iterator();
    const next = iterator.next();
    await turn();

    give(undefined);

    expect(await next).toEqual(done);
    expect(ends()).toBe(1);
    expect(await iterator.next()).toEqual(done);
  });

  it("throws what the source throws, once, and has ended", async () => {
    const { loop, give, ends } = handLoop();
    const iterator = loop.iterator();
    const next = iterator.next();
    await turn();

    give(new Error("the source broke"));

    await expect(next).rejects.toThrow("the source broke");
    expect(ends()).toBe(1);
    expect(await iterator.next()).toEqual(done);
  });

  it.each(["close", "return", "abort"] as const)("parked is ended by %s, and hands nothing over any more", async (how) => {
    const controller = new AbortController();
    const { loop, ends } = handLoop(controller.signal);
    const iterator = loop.iterator();
    const next = iterator.next();
    await turn();

    if (how === "close") await loop.close();
    else if (how === "return") await iterator.return?.();
    else controller.abort();

    expect(await next).toEqual(done);
    expect(ends()).toBe(1);
    await loop.close();
    expect(ends()).toBe(1);
  });

  it("with a signal aborted before has ended before it began", async () => {
    const { loop, pulls } = handLoop(AbortSignal.abort());

    expect(await loop.iterator().next()).toEqual(done);
    expect(pulls()).toBe(0);
  });

  it("swallows an error that comes after its end", async () => {
    const { loop } = handLoop();
    const failing = new PullLoop<string>({ what: "test", pull: () => Promise.reject(new Error("late")), onEnd: () => undefined });
    const next = failing.iterator().next();

    failing.end();
    await loop.close();

    expect(await next).toEqual(done);
  });

  it("refuses a second iterator while the first goes on, and leaves the first alone", async () => {
    const { loop, give } = handLoop();
    const first = loop.iterator();
    const second = loop.iterator();

    await expect(second.next()).rejects.toMatchObject({ code: "conflict" });
    expect(await second.return?.()).toEqual(done);

    const next = first.next();
    await turn();
    give("still here");
    expect(await next).toEqual({ done: false, value: "still here" });
  });
});
