import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Deferred } from "./deferred.js";
import { Mutex } from "./mutex.js";

describe("Mutex", () => {
  it("lets the next one in only when the one before is done", async () => {
    const mutex = new Mutex();
    const firstMayEnd = new Deferred<void>();
    const seen: string[] = [];
    const first = mutex.run(async () => {
      seen.push("first in");
      await firstMayEnd.promise;
      seen.push("first out");
    });
    const second = mutex.run(() => void seen.push("second in"));

    firstMayEnd.resolve();
    await Promise.all([first, second]);

    expect(seen).toEqual(["first in", "first out", "second in"]);
    expect(mutex.held).toBe(false);
  });

  it("goes on after a body that throws, and hands its error out", async () => {
    const mutex = new Mutex();

    await expect(
      mutex.run(() => {
        throw new Error("in the body");
      }),
    ).rejects.toThrow("in the body");

    await expect(mutex.run(() => 7)).resolves.toBe(7);
  });

  it("forgets whoever gives up in line, and keeps the others in order", async () => {
    const mutex = new Mutex();
    const release = await mutex.acquire();
    const giveUp = new AbortController();
    const seen: string[] = [];
    const second = mutex.run(() => void seen.push("second"), { signal: giveUp.signal });
    const third = mutex.run(() => void seen.push("third"));

    giveUp.abort(new Error("changed my mind"));
    await expect(second).rejects.toThrow("changed my mind");
    release();
    await third;

    expect(seen).toEqual(["third"]);
  });

  it("does not take a call whose signal is aborted already", async () => {
    const mutex = new Mutex();

    await expect(mutex.acquire({ signal: AbortSignal.abort(new Error("never mind")) })).rejects.toThrow("never mind");

    expect(mutex.held).toBe(false);
  });

  it("lets nobody slip in between a release and the next in line", async () => {
    const mutex = new Mutex();
    const release = await mutex.acquire();
    const seen: string[] = [];
    const inLine = mutex.run(() => void seen.push("in line"));

    release();
    const late = mutex.run(() => void seen.push("late"));
    await Promise.all([inLine, late]);

    expect(seen).toEqual(["in line", "late"]);
  });

  it("releases once, however often it is told to", async () => {
    const mutex = new Mutex();
    const release = await mutex.acquire();
    const second = mutex.acquire();

    release();
    release();
    await second;

    expect(mutex.held).toBe(true);
  });

  it("runs everybody alone and in the order of arrival, whoever gives up meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 20 }), fc.scheduler(), async (givesUp, scheduler) => {
        const mutex = new Mutex();
        const ran: number[] = [];
        let inside = 0;
        const visits = givesUp.map((gives, i) => {
          const controller = new AbortController();
          const visit = mutex.run(
            async () => {
              ran.push(i);
              inside++;
              expect(inside).toBe(1);
              await scheduler.schedule(Promise.resolve());
              inside--;
            },
            { signal: controller.signal },
          );
          if (gives) void scheduler.schedule(Promise.resolve()).then(() => controller.abort(new Error("gave up")));
          return visit;
        });
        await scheduler.waitFor(Promise.allSettled(visits));

        expect(ran).toEqual([...ran].sort((a, b) => a - b));
        expect(givesUp.every((gives, i) => gives || ran.includes(i))).toBe(true);
        expect(mutex.held || mutex.waiting > 0).toBe(false);
      }),
    );
  });
});
