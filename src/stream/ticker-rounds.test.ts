import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { TidemarkError } from "../base/errors.js";
import { type TimeTick, timeTickFrom } from "../message/index.js";
import { ManualClock } from "../testing/index.js";
import { type TickOutlet, TickerRounds } from "./ticker-rounds.js";

/** What lies in one channel, in log order. */
type Entry = { readonly tick: TimeTick } | { readonly data: TimeTick };

/** Channels in memory; what is written takes as long as `pace` says. */
class Logs implements TickOutlet {
  readonly entries = new Map<string, Entry[]>();
  readonly active = new Set<string>();
  closed = false;
  failure: Error | undefined;
  pace: () => Promise<unknown> = () => Promise.resolve();

  async write(ticks: ReadonlyMap<string, TimeTick>): Promise<void> {
    await this.pace();
    if (this.failure !== undefined) throw this.failure;
    for (const [channel, tick] of ticks) this.of(channel).push({ tick });
  }

  takeActive(channel: string): boolean {
    return this.active.delete(channel);
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  of(channel: string): Entry[] {
    const entries = this.entries.get(channel) ?? [];
    this.entries.set(channel, entries);
    return entries;
  }

  ticks(channel: string): number[] {
    return this.of(channel).flatMap((entry) => ("tick" in entry ? [Number(entry.tick)] : []));
  }
}

function open(channels: Record<string, boolean>, logs = new Logs()) {
  const clock = new ManualClock();
  let last = 0;
  const oracle = { asked: 0, next: async () => timeTickFrom(BigInt((last += 10))) };
  const now = (): Promise<TimeTick> => {
    oracle.asked += 1;
    return oracle.next();
  };
  const rounds = new TickerRounds({ outlet: logs, channels: new Map(Object.entries(channels)), now, intervalMs: 200, clock });
  onTestFinished(() => rounds.close());
  return { rounds, clock, logs, oracle };
}

describe("a ticker", () => {
  it("ticks channels that had work or somebody reads, with one fresh timestamp, and asks nobody when there are none", async () => {
    const { rounds, logs, oracle } = open({ worked: false, read: false, idle: false });

    expect(await rounds.tick()).toEqual(new Map());
    expect(oracle.asked).toBe(0);
    (await rounds.begin("worked")).done();
    logs.active.add("read");

    expect(await rounds.tick()).toEqual(
      new Map([
        ["worked", 20n],
        ["read", 20n],
      ]),
    );
    expect(await rounds.tick()).toEqual(new Map());
  });

  it("stays below open work, and goes past it once that is done", async () => {
    const { rounds, logs } = open({ a: false });
    const work = await rounds.begin("a");
    logs.active.add("a");

    expect(await rounds.tick()).toEqual(new Map([["a", work.timestamp - 1n]]));
    expect(await rounds.tick()).toEqual(new Map());
    work.done();
    work.done();

    expect(await rounds.tick()).toEqual(new Map([["a", 40n]]));
    expect(logs.ticks("a")).toEqual([9, 40]);
  });

  it("does not wait for work that still asks for its timestamp", async () => {
    const { rounds, logs, oracle } = open({ a: true });
    await rounds.tick();
    const { next } = oracle;
    let answer: (tick: TimeTick) => void = () => undefined;
    oracle.next = () => new Promise((resolve) => (answer = resolve));
    const begun = rounds.begin("a");
    oracle.next = next;
    logs.active.add("a");

    expect(await rounds.tick()).toEqual(new Map());
    answer(timeTickFrom(15n));
    const work = await begun;
    expect(await rounds.tick()).toEqual(new Map([["a", 14n]]));
    work.done();
  });

  it("ticks by itself every interval", async () => {
    const { rounds, logs, clock } = open({ a: false });
    (await rounds.begin("a")).done();

    await clock.advance(199);
    expect(logs.ticks("a")).toEqual([]);
    await clock.advance(1);
    expect(logs.ticks("a")).toEqual([20]);
    (await rounds.begin("a")).done();
    await clock.advance(400);

    expect(logs.ticks("a")).toEqual([20, 40]);
  });

  it("ticks first where an earlier ticker may have left something", async () => {
    const { rounds } = open({ full: true, empty: false });

    expect([...(await rounds.tick()).keys()]).toEqual(["full"]);
  });

  it("makes up for a round that failed and may be tried again", async () => {
    const { rounds, logs, clock } = open({ a: true });
    logs.failure = new TidemarkError("overloaded", "full", {});
    await clock.advance(200);
    expect(logs.ticks("a")).toEqual([]);

    logs.failure = undefined;
    await clock.advance(200);

    expect(logs.ticks("a")).toEqual([20]);
    await expect(rounds.tick()).resolves.toEqual(new Map());
  });

  it("ends with a failure that trying again does not help, and says so to who calls next", async () => {
    const { rounds, logs, clock } = open({ a: true });
    const failure = new TidemarkError("channel-not-found", "gone", { channels: ["a"] });
    logs.failure = failure;

    await clock.advance(200);

    await expect(rounds.tick()).rejects.toBe(failure);
    await expect(rounds.begin("a")).rejects.toBe(failure);
  });

  it("tells the failure of a round that was asked for to who asked, and goes on", async () => {
    const { rounds, logs } = open({ a: true });
    logs.failure = new TidemarkError("io-failed", "broken", {});

    await expect(rounds.tick()).rejects.toBe(logs.failure);
    logs.failure = undefined;

    expect(await rounds.tick()).toEqual(new Map([["a", 20n]]));
  });

  it("refuses other channels, an oracle that goes back, and all once it is closed", async () => {
    const { rounds, logs, oracle, clock } = open({ a: true });
    await rounds.tick();
    const ticked = logs.ticks("a");

    await expect(rounds.begin("b")).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "channel" } });
    oracle.next = async () => timeTickFrom(10n);
    await expect(rounds.begin("a")).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "now" } });
    await rounds.close();
    await rounds.close();

    await expect(rounds.begin("a")).rejects.toMatchObject({ code: "closed" });
    await expect(rounds.tick()).rejects.toMatchObject({ code: "closed" });
    logs.active.add("a");
    await clock.advance(1_000);
    expect([logs.closed, logs.ticks("a")]).toEqual([true, ticked]);
  });

  it.each([1_700_000_000_000, "5", undefined, -1n, 1n << 64n])("refuses an oracle that gives no tick (%s)", async (answer) => {
    const { rounds, oracle } = open({ a: true });
    oracle.next = async () => answer as TimeTick;

    await expect(rounds.begin("a")).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "now" } });
    await expect(rounds.tick()).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "now" } });
    await rounds.close();
  });

  it("keeps its promise, whatever begins, ends and ticks meet: after a tick nothing at or below it, and in the end all is covered", async () => {
    const action = fc.oneof(
      fc.record({ do: fc.constant("work" as const), channel: fc.constantFrom("a", "b") }),
      fc.record({ do: fc.constant("tick" as const), channel: fc.constant("") }),
    );
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 1, maxLength: 25 }),
        fc.boolean(),
        fc.scheduler(),
        async (actions, early, scheduler) => {
          const logs = new Logs();
          logs.pace = () => scheduler.schedule(Promise.resolve());
          let last = 0n;
          const take = (): TimeTick => timeTickFrom((last += 3n));
          // An oracle may have chosen when it is asked, or only when it answers.
          const now = async (): Promise<TimeTick> => {
            const chosen = early ? take() : undefined;
            await scheduler.schedule(Promise.resolve());
            return chosen ?? take();
          };
          const channels = new Map([
            ["a", false],
            ["b", false],
          ]);
          const rounds = new TickerRounds({ outlet: logs, channels, now, intervalMs: 200, clock: new ManualClock() });
          const work = async (channel: string): Promise<void> => {
            const { timestamp, done } = await rounds.begin(channel);
            await scheduler.schedule(Promise.resolve());
            logs.of(channel).push({ data: timestamp });
            done();
          };

          const all = actions.map(({ do: what, channel }) => (what === "work" ? work(channel) : rounds.tick()));
          await scheduler.waitFor(Promise.all(all));
          await scheduler.waitFor(rounds.tick());
          await rounds.close();

          for (const channel of ["a", "b"]) expectPromiseKept(logs.of(channel));
          kept += 1;
        },
      ),
      { numRuns: 200 },
    );
    expect(kept).toBeGreaterThan(0);
  });
});

function expectPromiseKept(entries: readonly Entry[]): void {
  let ticked = -1n;
  let greatest = -1n;
  for (const entry of entries) {
    if ("tick" in entry) {
      expect(entry.tick).toBeGreaterThan(ticked);
      ticked = entry.tick;
    } else {
      expect(entry.data).toBeGreaterThan(ticked);
      if (entry.data > greatest) greatest = entry.data;
    }
  }
  expect(ticked).toBeGreaterThanOrEqual(greatest);
}
