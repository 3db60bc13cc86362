import { describe, expect, it } from "vitest";
import type { RocksMq } from "../../src/rocksmq/index.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { HeldDisk } from "../segment/held-disk.js";
import { segmentFile } from "../segment/segment-store.js";
import { closing, filled, loopOf, message, numbered, readAll, settle, stores, texts } from "./stores.js";

/** Every call there is that returns a promise. */
const calls: Record<string, (mq: RocksMq) => Promise<unknown>> = {
  createChannel: (mq) => mq.createChannel("new"),
  alterChannel: (mq) => mq.alterChannel("c", { retention: {} }),
  destroyChannel: (mq) => mq.destroyChannel("c"),
  channels: (mq) => mq.channels(),
  describeChannel: (mq) => mq.describeChannel("c"),
  createConsumerGroup: (mq) => mq.createConsumerGroup("new"),
  destroyConsumerGroup: (mq) => mq.destroyConsumerGroup("g"),
  consumerGroups: (mq) => mq.consumerGroups(),
  produce: (mq) => mq.produce("c", [message("x")]),
  consume: (mq) => mq.consume("g", "c", 1),
  subscribe: (mq) => loopOf(mq.subscribe("g", "c")).next(),
  seek: (mq) => mq.seek("g", "c", 1n),
  seekToLatest: (mq) => mq.seekToLatest("g", "c"),
  latestId: (mq) => mq.latestId("c"),
  idAt: (mq) => mq.idAt("c", 0),
  trim: (mq) => mq.trim("c", 1n),
  read: (mq) => loopOf(mq.read("c", { from: "earliest" })).next(),
  "read (ready)": (mq) => mq.read("c", { from: "earliest" }).ready,
  events: async (mq) => loopOf(mq.events()).next(),
};

describe.each(stores)("close on $name", ({ open }) => {
  it.each(Object.keys(calls))("refuses %s from then on, with nothing done", async (name) => {
    const mq = await open();
    await filled(mq, 1);

    await mq.close();

    await expect(calls[name]?.(mq)).rejects.toMatchObject({ code: "closed", effect: "none" });
  });

  it("finishes what was called before, awaited or not", async () => {
    const mq = await open();
    await filled(mq, 3);

    const before = [mq.produce("c", numbered(3, 5)), mq.consume("g", "c", 2), mq.seekToLatest("g", "c"), mq.describeChannel("c")] as const;
    const closed = mq.close();

    expect(await before[0]).toMatchObject({ count: 2 });
    expect(texts(await before[1])).toEqual(["0", "1"]);
    await before[2];
    expect(await before[3]).toMatchObject({ messages: 5n });
    await closed;
  });

  it("rejects who waits with closed and no effect, and ends loops without an error", async () => {
    const mq = await open();
    const { lastId } = await filled(mq, 0).then(() => mq.produce("c", [message("x")]));
    await mq.consume("g", "c", 1);
    await mq.createConsumerGroup("h", { from: "latest" });
    const waiting = [
      mq.consume("g", "c", 1, { waitMs: 60_000 }),
      mq.consume("g", "c", 1, { waitMs: 60_000 }),
      mq.seek("g", "c", lastId + 9n, { waitMs: 60_000 }),
    ].map((wait) => wait.catch((error: unknown) => error));
    const loops = [
      loopOf(mq.subscribe("h", "c")).next(),
      loopOf(mq.read("c", { from: "latest", follow: true })).next(),
      loopOf(mq.events()).next(),
    ];
    await settle();

    await mq.close();

    for (const wait of waiting) expect(await wait).toMatchObject({ code: "closed", effect: "none" });
    for (const loop of loops) expect(await loop).toEqual({ done: true, value: undefined });
  });

  it("may be called twice, at once and later, and disposing is closing", async () => {
    const mq = await open();

    await Promise.all([mq.close(), mq.close(), mq[Symbol.asyncDispose]()]);
    await mq.close();

    await expect(mq.channels()).rejects.toMatchObject({ code: "closed" });
  });
});

describe.each<[string, (mq: RocksMq) => AsyncIterable<unknown>]>([
  ["a reader", (mq) => mq.read("c", { from: "earliest" })],
  ["a subscription", (mq) => mq.subscribe("g", "c")],
])("%s that is reading when the queue closes", (_, open) => {
  it.each(["close", "return"] as const)("is done first, also when it was ended before, by %s", async (how) => {
    const vfs = new HeldDisk(segmentFile(1));
    const mq = closing(await openRocksMq({ dir: "/queue", vfs }));
    await filled(mq, 3);
    const loop = loopOf(open(mq));
    const settled: string[] = [];
    const next = loop.next().finally(() => settled.push("next"));
    await vfs.asked.promise;

    const returned = how === "return" ? loop.return?.() : undefined;
    const closed = mq.close().then(() => settled.push("close"));
    await settle();
    expect(settled).toEqual([]);
    vfs.held.resolve();

    expect(await next).toEqual({ done: true, value: undefined });
    await Promise.all([closed, returned]);
    expect(settled).toEqual(["next", "close"]);
  });
});

describe("a store that fails", () => {
  async function failing(): Promise<{ vfs: MemoryVfs; mq: RocksMq }> {
    const vfs = new MemoryVfs();
    const mq = closing(await openRocksMq({ dir: "/queue", vfs }));
    await filled(mq, 3);
    await mq.consume("g", "c", 3);
    return { vfs, mq };
  }

  it("ends waits, readers and subscriptions with io-failed, and tells its listeners", async () => {
    const { vfs, mq } = await failing();
    await mq.createConsumerGroup("h", { from: "latest" });
    const ends = [
      mq.consume("g", "c", 1, { waitMs: 60_000 }),
      loopOf(mq.subscribe("h", "c")).next(),
      loopOf(mq.read("c", { from: "latest", follow: true })).next(),
      mq.seek("h", "c", 2n ** 62n, { waitMs: 60_000 }),
    ].map((wait: Promise<unknown>) => wait.catch((error: unknown) => error));
    const events = loopOf(mq.events());
    await settle();

    const fault = vfs.failNext({ op: "sync", code: "EIO" });
    await expect(mq.produce("c", [message("x")])).rejects.toMatchObject({ code: "io-failed", effect: "unknown", retry: "reopen" });

    expect(fault.fired()).toBe(true);
    for (const end of ends) expect(await end).toMatchObject({ code: "io-failed", effect: "none" });
    expect((await events.next()).value).toMatchObject({ type: "failed" });
    expect((await loopOf(mq.events()).next()).value).toMatchObject({ type: "failed" });
  });

  it.each(["write", "sync"] as const)("comes of the next %s that fails, not of one behind the last answer", async (op) => {
    for (const before of [0, 1, 2]) {
      const vfs = new MemoryVfs();
      const mq = closing(await openRocksMq({ dir: "/queue", vfs }));
      await mq.createChannel("c");
      for (let at = 0; at < before; at += 1) await mq.produce("c", [message(String(at))]);

      const fault = vfs.failNext({ op, code: "EIO" });
      await expect(mq.produce("c", [message("x")]), `${before} before`).rejects.toMatchObject({ code: "io-failed", effect: "unknown" });

      expect(fault.fired()).toBe(true);
      await mq.close().catch((error: unknown) => error);
    }
  });

  it("refuses what would write, and goes on reading what is stored", async () => {
    const { vfs, mq } = await failing();
    const fault = vfs.failNext({ op: "sync", code: "EIO" });
    await mq.produce("c", [message("x")]).catch((error: unknown) => error);
    expect(fault.fired()).toBe(true);

    for (const name of ["createChannel", "destroyChannel", "createConsumerGroup", "produce", "consume", "subscribe", "seekToLatest"]) {
      await expect(calls[name]?.(mq), name).rejects.toMatchObject({ code: "io-failed" });
    }

    expect(texts(await readAll(mq, "c"))).toEqual(["0", "1", "2"]);
    expect(await mq.describeChannel("c")).toMatchObject({ messages: 3n });
    expect(await mq.channels()).toEqual(["c"]);
  });

  it("works again when it is opened anew", async () => {
    const { vfs, mq } = await failing();
    const fault = vfs.failNext({ op: "sync", code: "EIO" });
    await mq.produce("c", [message("x")]).catch((error: unknown) => error);
    await mq.close().catch((error: unknown) => error);
    expect(fault.fired()).toBe(true);

    const again = closing(await openRocksMq({ dir: "/queue", vfs }));

    expect((await again.events()[Symbol.asyncIterator]().next()).value).toMatchObject({ type: "recovered" });
    await again.produce("c", [message("after")]);
    expect(texts(await readAll(again, "c")).slice(0, 3)).toEqual(["0", "1", "2"]);
    expect(texts(await again.consume("g", "c", 10)).at(-1)).toBe("after");
  });
});
