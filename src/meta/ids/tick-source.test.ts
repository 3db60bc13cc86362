import { describe, expect, it } from "vitest";
import { Deferred } from "../../base/deferred.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { MoodyMeta } from "../conformance/moody-meta.js";
import { TickSource } from "./tick-source.js";

const fails = (text: string) => (): Promise<void> => Promise.reject(new Error(text));

async function opened(meta: MoodyMeta, clock = new ManualClock()): Promise<TickSource> {
  return TickSource.open({ meta, key: "k", clock, mayPassLimit: false, name: "source" });
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe("TickSource", () => {
  it("stores the window once for all who wait, and answers in the order they came", async () => {
    const meta = await MoodyMeta.open();
    const source = await opened(meta);
    const answers: bigint[] = [];

    const calls = [5, 1, 300].map(async (count) => answers.push(await source.take(count)));
    await Promise.all(calls);

    expect(meta.asked).toBe(2);
    const [a = 0n, b, c] = answers;
    expect([b, c]).toEqual([a + 1n, a + 301n]);
  });

  it("gives nothing out while the store has not answered, also to those who come later", async () => {
    const meta = await MoodyMeta.open();
    const source = await opened(meta);
    const answer = new Deferred<void>();
    meta.txns.push({ after: () => answer.promise });
    let answered = 0;

    const calls = [source.take(1), source.take(1)];
    for (const call of calls) void call.then(() => (answered += 1));
    await settle();
    calls.push(source.take(1));
    await settle();
    expect(answered).toBe(0);
    answer.resolve();

    const [first = 0n, ...rest] = await Promise.all(calls);
    expect(rest).toEqual([first + 1n, first + 2n]);
  });

  it("answers nobody out of order: who is answered later has greater ticks, in the line or not", async () => {
    const meta = await MoodyMeta.open();
    const clock = new ManualClock();
    const source = await opened(meta, clock);
    const answers: bigint[] = [];
    const caller = async (): Promise<void> => {
      for (let n = 0; n < 300; n++) {
        answers.push(await source.take(1));
        if (n % 7 === 0) clock.setNowMs(clock.nowMs() + 700);
      }
    };

    await Promise.all([caller(), caller(), caller()]);

    expect(answers).toEqual(answers.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(answers).size).toBe(900);
  });

  it("refuses all who waited for a write that failed, and goes on with the next", async () => {
    const meta = await MoodyMeta.open();
    const source = await opened(meta);
    meta.txns.push({ before: fails("no answer") });

    const outcomes = await Promise.allSettled([source.take(1), source.take(2)]);

    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const taken = await source.take(1);
    expect(await (await opened(meta)).take(1)).toBeGreaterThan(taken);
  });

  it("finds out that a write was stored whose answer was lost", async () => {
    const meta = await MoodyMeta.open();
    const source = await opened(meta);
    meta.txns.push({ after: fails("no answer") });
    await expect(source.take(1)).rejects.toThrow("no answer");

    const taken = await source.take(1);

    const next = await opened(meta);
    expect(await next.take(1)).toBeGreaterThan(taken);
  });

  it("ends for good once another has opened its key; the other is above all that it gave out", async () => {
    const meta = await MoodyMeta.open();
    const clock = new ManualClock();
    const old = await opened(meta, clock);
    const before = await old.take(1);
    const young = await opened(meta, clock);

    const after = await young.take(1);
    clock.setNowMs(clock.nowMs() + 5_000);

    expect(after).toBeGreaterThan(before);
    await expect(old.take(1)).rejects.toMatchObject({ code: "conflict", retry: "reopen", effect: "none" });
    await expect(old.take(1)).rejects.toMatchObject({ code: "conflict" });
    await expect(young.take(1)).resolves.toBeGreaterThan(after);
  });

  it("of two that open in one moment leaves one", async () => {
    const meta = await MoodyMeta.open();

    const outcomes = await Promise.allSettled([opened(meta), opened(meta)]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "conflict" } });
  });

  it("refuses only who asks too much, and answers those behind", async () => {
    const meta = await MoodyMeta.open();
    const source = await opened(meta);

    const tooMuch = source.take(2 ** 32);
    const little = source.take(1);

    await expect(tooMuch).rejects.toMatchObject({ code: "overloaded" });
    await expect(little).resolves.toBeGreaterThan(0n);
  });

  it("lets a caller leave the line, at its head or behind, and gives its ticks to the next", async () => {
    const meta = await MoodyMeta.open();
    const source = await opened(meta);
    const [head, middle] = [new AbortController(), new AbortController()];
    const answer = new Deferred<void>();
    meta.txns.push({ after: () => answer.promise });

    const calls = [source.take(1, head), source.take(1), source.take(1, middle), source.take(1)];
    head.abort("head");
    middle.abort("middle");
    answer.resolve();

    await expect(calls[0]).rejects.toBe("head");
    await expect(calls[2]).rejects.toBe("middle");
    expect((await calls[3]) ?? 0n).toBe(((await calls[1]) ?? 0n) + 1n);
    await expect(source.take(1, { signal: AbortSignal.abort("before") })).rejects.toBe("before");
  });

  it("renews ahead of need only when half of the window has passed", async () => {
    const meta = await MoodyMeta.open();
    const clock = new ManualClock();
    const source = await opened(meta, clock);

    await source.refresh();
    await source.refresh();
    expect(meta.asked).toBe(2);
    clock.setNowMs(clock.nowMs() + 600);
    await source.refresh();
    expect(meta.asked).toBe(3);

    await source.take(1);
    expect(meta.asked).toBe(3);
  });

  it("answers all in line before it is closed, and none after", async () => {
    const meta = await MoodyMeta.open();
    const source = await opened(meta);
    const answered: string[] = [];

    const calls = [1, 2].map((count) => source.take(count).then(() => answered.push("taken")));
    await source.close().then(() => answered.push("closed"));
    await Promise.all(calls);

    expect(answered).toEqual(["taken", "taken", "closed"]);
    await expect(source.take(1)).rejects.toMatchObject({ code: "closed", effect: "none" });
    await expect(source.refresh()).rejects.toMatchObject({ code: "closed" });
    await source.close();
    await source[Symbol.asyncDispose]();
  });

  it("is not harmed by a clock that throws", async () => {
    const meta = await MoodyMeta.open();
    const clock = new ManualClock();
    const moody = Object.assign(clock, { isBroken: true });
    const nowMs = clock.nowMs.bind(clock);
    clock.nowMs = () => {
      if (moody.isBroken) throw new Error("no time");
      return nowMs();
    };
    const source = await opened(meta, clock);

    await expect(source.take(1)).rejects.toThrow("no time");
    moody.isBroken = false;

    await expect(source.take(1)).resolves.toBeGreaterThan(0n);
  });
});
