import { describe, expect, it } from "vitest";
import { ManualClock } from "../testing/index.js";
import { CursorLine } from "./cursor-line.js";
import { CursorLines } from "./cursor-lines.js";
import { Waiters } from "./waiters.js";

const clock = new ManualClock();

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("the line at a cursor", () => {
  it("gives turns in the order of coming", async () => {
    const line = new CursorLine("g", "c");
    const had: string[] = [];

    expect(line.enter({ clock })).toBeUndefined();
    const waiting = ["a", "b"].map(async (who) => {
      await line.enter({ clock });
      had.push(who);
      line.leave();
    });
    expect(had).toEqual([]);
    line.leave();
    await Promise.all(waiting);

    expect(had).toEqual(["a", "b"]);
    expect(line.idle).toBe(true);
  });

  it("lets a passage through behind those that came before, and before those that come after", async () => {
    const line = new CursorLine("g", "c");
    const had: string[] = [];
    expect(line.passage()).toBeUndefined();

    expect(line.enter({ clock })).toBeUndefined();
    const second = line.enter({ clock })?.then(() => had.push("second"));
    const passage = line.passage()?.then((how) => had.push(`passage ${how}`));
    const third = line.enter({ clock })?.then(() => had.push("third"));
    line.leave();
    await second;
    expect(had).toEqual(["second"]);
    line.leave();
    await Promise.all([passage, third]);

    expect(had).toEqual(["second", "passage done", "third"]);
  });

  it("lets all passages through when the first parks, and is under way again once woken", async () => {
    const line = new CursorLine("g", "c");
    const waiters = new Waiters();
    expect(line.enter({ clock })).toBeUndefined();
    const passage = line.passage();

    const parked = line.park(waiters, { clock });
    expect(await passage).toBe("parked");
    expect(line.passage()).toBeUndefined();
    line.wake();
    expect(line.passage()).toBeInstanceOf(Promise);

    expect(await parked).toBe("rung");
  });

  it("is taken whole by a subscription", () => {
    const line = new CursorLine("g", "c");

    expect(line.claim()).toBeUndefined();
    expect(line.claim()).toBe("a subscription is open");
    expect(() => line.enter({ clock })).toThrowError(expect.objectContaining({ code: "conflict", details: { group: "g", channel: "c" } }));
    line.unclaim();
    expect(line.enter({ clock })).toBeUndefined();
  });

  it("lets who waits in it go when its signal says so, and nobody else", async () => {
    const line = new CursorLine("g", "c");
    const controller = new AbortController();
    line.enter({ clock })?.catch(() => undefined);
    const leaving = line.enter({ clock, signal: controller.signal });
    const staying = line.enter({ clock });

    controller.abort("gone");
    await expect(leaving).rejects.toBe("gone");
    line.leave();

    expect(await staying).toBe("turn");
  });

  it("keeps who is late while the first still gets messages, and lets it go when the first parks", async () => {
    const own = new ManualClock();
    const line = new CursorLine("g", "c");
    const waiters = new Waiters();
    line.enter({ clock: own })?.catch(() => undefined);
    let how: string | undefined;
    const late = line.enter({ clock: own, waitMs: 10 })?.then((end) => (how = end));

    await own.advance(50);
    expect(how).toBeUndefined();
    const parked = line.park(waiters, { clock: own });
    await late;

    expect(how).toBe("timeout");
    waiters.ringAll();
    await parked;
  });
});

describe("the lines in use", () => {
  it("are one a pair, found by channel and by group", () => {
    const lines = new CursorLines();
    const line = lines.of("g", "c");

    expect(lines.of("g", "c")).toBe(line);
    expect(lines.find("g", "d")).toBeUndefined();
    const others = [lines.of("g", "d"), lines.of("h", "c")];
    expect(lines.onChannel("c")).toEqual([line, others[1]]);
    expect(lines.ofGroup("g")).toEqual([line, others[0]]);
  });

  it("are forgotten when nobody uses them and there are many", async () => {
    const lines = new CursorLines();
    const busy = lines.of("busy", "c");
    busy.enter({ clock })?.catch(() => undefined);
    const claimed = lines.of("claimed", "c");
    claimed.claim();

    for (let at = 0; at < 5_000; at++) lines.of(`idle ${at}`, "c");
    await turn();

    expect(lines.find("busy", "c")).toBe(busy);
    expect(lines.find("claimed", "c")).toBe(claimed);
    expect(lines.onChannel("c").length).toBeLessThanOrEqual(1_024);
  });
});
