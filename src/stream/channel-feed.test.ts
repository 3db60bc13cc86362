import { expect, it } from "vitest";
import type { LogReader, LogRecord } from "../backend/index.js";
import { Deferred } from "../base/deferred.js";
import { int64MessageId } from "../message/index.js";
import { ManualClock } from "../testing/manual-clock.js";
import { ChannelFeed } from "./channel-feed.js";
import { atEarliest } from "./consumer-side.js";

/** A reader that gives each batch when it is told to. */
class SlowReader implements LogReader {
  readonly atTail = false;
  readonly #batches: Deferred<readonly LogRecord[]>[] = [];

  next(): Promise<readonly LogRecord[]> {
    const batch = new Deferred<readonly LogRecord[]>();
    this.#batches.push(batch);
    return batch.promise;
  }

  whenAtTail(): void {
    // It never is.
  }

  give(id: bigint): void {
    this.#batches.shift()?.resolve([{ id: int64MessageId("memory", id), timeMs: 0, payload: new Uint8Array(1), properties: {} }]);
  }

  async close(): Promise<void> {
    for (const batch of this.#batches) batch.resolve([]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

it("a channel that was made to wait is not silent for that, however long ago the answer that comes then was asked for", async () => {
  const clock = new ManualClock();
  const reader = new SlowReader();
  const arrivals = [new Deferred<void>(), new Deferred<void>()];
  const arrived = (): void => arrivals.find(({ settled }) => !settled)?.resolve();
  const listener = { arrived, parked: () => undefined, failed: (error: unknown) => expect.fail(String(error)) };
  const feed = new ChannelFeed({ place: { start: "earliest", position: atEarliest("c", "g") }, reader }, clock, listener);
  feed.fetch();
  reader.give(1n);
  await arrivals[0]?.promise;
  feed.fetch();
  await clock.advance(5_000);
  feed.shift();
  await clock.advance(1);

  reader.give(2n);
  await arrivals[1]?.promise;

  expect(feed.heardMs).toBe(5_000);
  await feed.close();
});
