import { describe, expect, it } from "vitest";
import { openMemoryEngine } from "../storage/index.js";
import { ManualClock } from "../testing/index.js";
import { CallOrder } from "./call-order.js";
import { resolveOptions } from "./options.js";

async function newOrder(): Promise<CallOrder> {
  return new CallOrder(await openMemoryEngine(resolveOptions({ dir: "nowhere", clock: new ManualClock() }).engine));
}

/** A promise that the test settles. */
function gate(): { opened: Promise<string>; open: () => void; fail: (error: Error) => void } {
  let open = (): void => undefined;
  let fail: (error: Error) => void = () => undefined;
  const opened = new Promise<string>((resolve, reject) => {
    open = () => resolve("through");
    fail = reject;
  });
  return { opened, open, fail };
}

describe("the order of calls", () => {
  it("is kept behind one that has to wait", async () => {
    const order = await newOrder();
    const { opened, open } = gate();
    const ran: string[] = [];

    const calls = [
      order.write((_, ready?: string) => ran.push(`first ${ready}`), { after: opened }),
      order.write(() => ran.push("second")),
      order.control(() => ran.push("third")),
    ];
    open();
    await Promise.all(calls);

    expect(ran).toEqual(["first through", "second", "third"]);
  });

  it("goes on when the one that waits gets nothing, or gives up", async () => {
    const order = await newOrder();
    const [broken, stuck] = [gate(), gate()];
    const controller = new AbortController();
    const ran: string[] = [];

    const failing = order.write(() => ran.push("never"), { after: broken.opened });
    const aborted = order.write(() => ran.push("never"), { after: stuck.opened, signal: controller.signal });
    const behind = order.write(() => ran.push("behind"));
    broken.fail(new Error("nothing"));
    controller.abort("gave up");
    await expect(failing).rejects.toThrow("nothing");
    await expect(aborted).rejects.toBe("gave up");
    stuck.open();
    await behind;

    expect(ran).toEqual(["behind"]);
  });

  it("tells who must wait for whom", async () => {
    const order = await newOrder();
    expect([order.controlsBefore(), order.caughtUp()]).toEqual([undefined, undefined]);

    const written = order.write(() => 1);
    expect(order.controlsBefore()).toBeUndefined();
    expect(order.caughtUp()).toBeInstanceOf(Promise);
    await written;
    const control = order.control(() => 1);
    expect(order.controlsBefore()).toBeInstanceOf(Promise);
    await order.caughtUp();
    await control;

    expect(order.controlsBefore()).toBeUndefined();
  });

  it("has caught up only when those in line have had their turn", async () => {
    const order = await newOrder();
    const { opened, open } = gate();
    let ran = false;

    const waiting = order.write(() => (ran = true), { after: opened });
    const caughtUp = order.caughtUp();
    open();
    await caughtUp;

    expect(ran).toBe(true);
    await waiting;
  });
});
