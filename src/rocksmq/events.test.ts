import { describe, expect, it } from "vitest";
import { ManualClock } from "../testing/index.js";
import { Events, type RocksMqEvent } from "./events.js";

function trimmed(at: number): RocksMqEvent {
  return { type: "trimmed", channel: "c", beginId: BigInt(at), bytes: 0 };
}

describe("events", () => {
  it("come in order to each listener, from its call on", async () => {
    const events = new Events(new ManualClock());
    const early = events.listen()[Symbol.asyncIterator]();
    events.emit(trimmed(1));
    const late = events.listen()[Symbol.asyncIterator]();
    events.emit(trimmed(2));

    expect((await early.next()).value).toEqual(trimmed(1));
    expect((await early.next()).value).toEqual(trimmed(2));
    expect((await late.next()).value).toEqual(trimmed(2));
  });

  it("wake who waits for them", async () => {
    const events = new Events(new ManualClock());
    const next = events.listen()[Symbol.asyncIterator]().next();

    events.emit(trimmed(1));

    expect((await next).value).toEqual(trimmed(1));
  });

  it("are kept for a slow listener up to 1,000; then the oldest go, and the next one says how many", async () => {
    const events = new Events(new ManualClock());
    const slow = events.listen()[Symbol.asyncIterator]();

    for (let at = 0; at < 1_234; at++) events.emit(trimmed(at));

    expect((await slow.next()).value).toEqual({ ...trimmed(234), missed: 234 });
    expect((await slow.next()).value).toEqual(trimmed(235));
    for (let at = 0; at < 10; at++) events.emit(trimmed(2_000 + at));
    expect((await slow.next()).value).toEqual({ ...trimmed(244), missed: 8 });
  });

  it("that hold for good are told to later listeners first", async () => {
    const events = new Events(new ManualClock());
    events.emitStanding({ type: "recovered", droppedBytes: 7, ms: 1 });
    events.emit(trimmed(1));

    const late = events.listen()[Symbol.asyncIterator]();
    events.emit(trimmed(2));

    expect((await late.next()).value).toEqual({ type: "recovered", droppedBytes: 7, ms: 1 });
    expect((await late.next()).value).toEqual(trimmed(2));
  });

  it("end for a listener that closes, and for all when the queue does", async () => {
    const events = new Events(new ManualClock());
    const [one, other] = [events.listen(), events.listen()];
    const [first, second] = [one[Symbol.asyncIterator](), other[Symbol.asyncIterator]()];
    const parked = [first.next(), second.next()];

    await one.close();
    events.emit(trimmed(1));
    expect(await parked[0]).toEqual({ done: true, value: undefined });
    expect((await parked[1])?.value).toEqual(trimmed(1));
    await events.close();

    expect(await second.next()).toEqual({ done: true, value: undefined });
  });
});
