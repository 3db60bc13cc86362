/**
 * A queue that is open for reading only, beside the one that writes. Both are here in one process and share nothing but the disk.
 */
import { describe, expect, it } from "vitest";
import { openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { closing, filled, loopOf, message, nextTexts, numbered, readAll, settle, texts } from "./stores.js";

const dir = "/data/queue";

interface Pair {
  readonly writer: RocksMq;
  readonly reader: RocksMq;
  readonly vfs: MemoryVfs;
  readonly clock: ManualClock;
}

/** A queue with channel "c", group "g" and so many messages, and one that reads it. */
async function pair(count: number): Promise<Pair> {
  const vfs = new MemoryVfs();
  const clock = new ManualClock();
  const writer = closing(await openRocksMq({ dir, vfs, clock, segmentBytes: 4096 }));
  await filled(writer, count);
  return { writer, reader: closing(await openRocksMq({ dir, vfs, clock, readOnly: true })), vfs, clock };
}

/** Fills the segment that is written, and some more. */
async function roll(mq: RocksMq, channel: string): Promise<void> {
  for (let n = 0; n < 3; n++) await mq.produce(channel, [{ payload: new Uint8Array(3000) }]);
}

/** A message in its segment: no properties, one byte, and that. A byte alone may stand in a checksum too. */
const lengthsAndText = (text: string): Buffer => Buffer.from([0, 1, text.charCodeAt(0)]);

describe("a queue open for reading only", () => {
  const changes: readonly [string, (mq: RocksMq) => unknown][] = [
    ["createChannel", (mq) => mq.createChannel("d")],
    ["createChannel of one that exists", (mq) => mq.createChannel("c", { ifNotExists: true })],
    ["destroyChannel", (mq) => mq.destroyChannel("c")],
    ["createConsumerGroup", (mq) => mq.createConsumerGroup("h")],
    ["destroyConsumerGroup", (mq) => mq.destroyConsumerGroup("no")],
    ["produce", (mq) => mq.produce("c", [message("x")])],
    ["produce of nothing to no channel", (mq) => mq.produce("no", [])],
    ["produce, aborted", (mq) => mq.produce("c", [message("x")], { signal: AbortSignal.abort() })],
    ["consume", (mq) => mq.consume("g", "c", 1)],
    ["consume, waiting", (mq) => mq.consume("g", "c", 1, { waitMs: 1e9 })],
    ["a subscription's first next()", (mq) => loopOf(mq.subscribe("g", "c")).next()],
    ["a subscription's ack", (mq) => mq.subscribe("g", "c", { ack: "manual" }).ack(1n)],
    ["seek", (mq) => mq.seek("g", "c", 1n)],
    ["seekToLatest", (mq) => mq.seekToLatest("no", "c")],
    ["trim", (mq) => mq.trim("c", 2n ** 63n)],
  ];

  it.each(changes)("refuses %s, at once and without a look at the disk", async (_, change) => {
    const { reader, vfs } = await pair(3);
    let looks = 0;
    vfs.observe(() => (looks += 1));

    await expect(change(reader)).rejects.toMatchObject({ code: "read-only", effect: "none", retry: "never" });

    expect(looks).toBe(0);
  });

  it("names a wrong argument all the same, and says that it is closed when it is", async () => {
    const { reader } = await pair(0);

    await expect(reader.createChannel("a/b")).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(reader.consume("g", "c", 0)).rejects.toMatchObject({ code: "invalid-argument" });
    expect(() => reader.subscribe("g", "")).toThrow("channel must be");
    await reader.close();
    await expect(reader.createChannel("d")).rejects.toMatchObject({ code: "closed" });
    await expect(reader.channels()).rejects.toMatchObject({ code: "closed" });
  });

  it("takes no lock and writes nothing", async () => {
    const { reader, writer, vfs, clock } = await pair(10);
    await writer.close();
    const files = (): string[] => [...vfs.snapshot()].map(([path, bytes]) => `${path} ${Buffer.from(bytes).toString("base64")}`);
    const before = files();
    const { operations } = vfs;

    expect(await readAll(reader, "c")).toHaveLength(10);
    await closing(await openRocksMq({ dir, vfs, clock, readOnly: true })).describeChannel("c");

    expect(vfs.operations).toBe(operations);
    expect(files()).toEqual(before);
    await closing(await openRocksMq({ dir, vfs, clock })).close();
  });

  it("sees all that was acked before each call", async () => {
    const { reader, writer, clock } = await pair(2);
    const { firstId } = await writer.produce("c", numbered(2, 4));
    expect(await reader.latestId("c")).toBe(firstId + 1n);

    await clock.advance(5);
    await writer.produce("c", [message("late")]);
    expect(await reader.idAt("c", clock.nowMs())).toBe(firstId + 2n);

    await writer.createChannel("b");
    expect(await reader.channels()).toEqual(["b", "c"]);
    await writer.createConsumerGroup("h");
    expect(await reader.consumerGroups()).toEqual(["g", "h"]);

    await writer.consume("h", "c", 2);
    await writer.trim("c", firstId);
    expect(await reader.describeChannel("c")).toEqual(await writer.describeChannel("c"));
    expect(texts(await readAll(reader, "c"))).toEqual(["2", "3", "late"]);

    await writer.destroyChannel("b");
    await expect(reader.describeChannel("b")).rejects.toMatchObject({ code: "channel-not-found" });
  });

  it("reads over segments that were made and went since it opened", async () => {
    const { reader, writer } = await pair(1);
    await roll(writer, "c");
    const { firstId } = await writer.produce("c", numbered(1, 3));
    await writer.trim("c", firstId);
    await roll(writer, "c");
    await writer.produce("c", [message("last")]);

    const read = await readAll(reader, "c");

    expect(texts(read).filter((text) => text.length < 10)).toEqual(["1", "2", "last"]);
    expect(read).toHaveLength(6);
  });

  it("goes on when the writer has closed, and with the one after it", async () => {
    const { reader, writer, vfs, clock } = await pair(3);
    const loop = loopOf(reader.read("c", { from: "earliest", follow: true }));
    expect(await nextTexts(loop)).toEqual(["0", "1", "2"]);

    await writer.close();
    const second = closing(await openRocksMq({ dir, vfs, clock }));
    await second.produce("c", [message("again")]);
    const next = nextTexts(loop);
    await clock.advance(200);

    expect(await next).toEqual(["again"]);
  });

  it("says of a queue of the RocksDB engine that it is one, and how it is opened", async () => {
    const vfs = new MemoryVfs();
    await vfs.makeDirectory("/rocks");
    await (await vfs.open("/rocks/tidemark-rocksdb", "create")).close();

    await expect(openRocksMq({ dir: "/rocks", vfs, readOnly: true })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "dir" },
      message: expect.stringMatching(/a queue of the RocksDB engine.*open it with engine "rocksdb"/) as string,
    });
  });

  it("says where there is no queue that there is none, and what to do", async () => {
    const vfs = new MemoryVfs();
    await vfs.makeDirectory("/empty");

    const advice = "check the path, or open it once without readOnly: that makes one";
    for (const [where, what] of [
      ["/nowhere", "there is no store in /nowhere, a directory that does not exist"],
      ["/empty", "there is no store in /empty"],
    ] as const) {
      await expect(openRocksMq({ dir: where, vfs, readOnly: true })).rejects.toMatchObject({
        code: "invalid-argument",
        details: { argument: "dir" },
        message: `${what}: ${advice}`,
      });
    }
    expect(await vfs.list("/empty")).toEqual([]);
  });

  it("tells damage with its place", async () => {
    const { writer, vfs, clock } = await pair(3);
    await writer.close();
    const file = `${dir}/0000000001.seg`;
    const bytes = Buffer.from(vfs.fileBytes(file));
    bytes[200] = (bytes[200] ?? 0) ^ 1;
    vfs.setFileBytes(file, bytes);

    await expect(openRocksMq({ dir, vfs, clock, readOnly: true })).rejects.toMatchObject({ code: "corrupt", details: { file } });
  });
});

describe("a reader that follows beside the writer", () => {
  it("delivers what is acked within 200 ms, in order, over many segments", async () => {
    const { reader, writer, clock } = await pair(0);
    const loop = loopOf(reader.read("c", { from: "earliest", follow: true }));

    for (let round = 0; round < 20; round++) {
      const next = nextTexts(loop);
      await settle();
      await writer.produce("c", [message(`round ${round} ${"x".repeat(1000)}`)]);
      await clock.advance(200);
      expect((await next)[0]).toMatch(`round ${round} `);
    }
  });

  it("from latest begins behind what is there when it is ready", async () => {
    const { reader, writer, clock } = await pair(2);
    await writer.produce("c", [message("before")]);
    const latest = reader.read("c", { from: "latest", follow: true });
    await latest.ready;

    await writer.produce("c", [message("after")]);
    const next = nextTexts(loopOf(latest));
    await clock.advance(200);

    expect(await next).toEqual(["after"]);
    expect(await nextTexts(loopOf(reader.read("c", { from: "latest" })))).toBe("done");
  });

  it("never skips: what was trimmed is position-trimmed, also in the middle of a backlog", async () => {
    const { reader, writer, clock } = await pair(10);
    const backlog = loopOf(reader.read("c", { from: "earliest", batch: 2 }));
    const tail = loopOf(reader.read("c", { from: "earliest", follow: true }));
    await Promise.all([backlog.next(), tail.next()]);
    const { firstId } = await writer.produce("c", numbered(10, 15));

    await writer.trim("c", firstId + 3n);
    await roll(writer, "c");
    await clock.advance(200);

    const trimmed = { code: "position-trimmed", details: { firstAvailable: String(firstId + 3n) } };
    await expect(backlog.next()).rejects.toMatchObject(trimmed);
    await expect(tail.next()).rejects.toMatchObject(trimmed);
  });

  it("ends with its channel, also when another one has its name by then", async () => {
    const { reader, writer, clock } = await pair(1);
    const loop = loopOf(reader.read("c", { from: "earliest", follow: true }));
    await loop.next();
    const parked = loop.next().catch((error: unknown) => error);
    await settle();

    await writer.destroyChannel("c");
    await writer.createChannel("c");
    await writer.produce("c", [message("another")]);
    await clock.advance(200);

    expect(await parked).toMatchObject({ code: "channel-not-found", details: { channels: ["c"] } });
    expect(texts(await readAll(reader, "c"))).toEqual(["another"]);
  });

  it("ends when it is closed, at whatever moment of a look that is", async () => {
    const { reader, clock } = await pair(3);
    for (let turn = 0; turn < 120; turn++) {
      const following = reader.read("c", { from: "latest", follow: true });
      const next = loopOf(following).next();
      await settle();
      // Time to look again: the look is under way when it is closed, and after that nobody moves the clock.
      const advanced = clock.advance(100);
      for (let waited = 0; waited < turn; waited++) await Promise.resolve();

      let isClosed = false;
      void following.close().then(() => (isClosed = true));
      await advanced;
      await settle();

      expect(isClosed, `closed after ${turn} turns`).toBe(true);
      expect(await next).toEqual({ done: true, value: undefined });
    }
  });

  it("looks ten times a second at most while nothing happens, however many follow", async () => {
    const { reader, vfs, clock } = await pair(0);
    const parked = Array.from({ length: 5 }, () => loopOf(reader.read("c", { from: "earliest", follow: true })).next());
    await settle();
    let listings = 0;
    vfs.observe(({ op }) => (listings += op === "list" ? 1 : 0));

    for (let step = 0; step < 100; step++) {
      await clock.advance(10);
      await settle();
    }

    expect(listings).toBeGreaterThanOrEqual(5);
    expect(listings).toBeLessThanOrEqual(11);
    await reader.close();
    expect(await Promise.all(parked)).toEqual(parked.map(() => ({ done: true, value: undefined })));
  });

  it("is told of damage, and not shown anything behind it", async () => {
    const { reader, writer, vfs, clock } = await pair(3);
    const loop = loopOf(reader.read("c", { from: "earliest", follow: true }));
    await loop.next();
    for (let n = 3; n < 6; n++) await writer.produce("c", numbered(n, n + 1));
    const file = `${dir}/0000000001.seg`;
    const segment = await vfs.open(file, "write");
    await segment.write([Buffer.from("5")], Buffer.from(vfs.fileBytes(file)).lastIndexOf(lengthsAndText("4")) + 2);
    await segment.close();

    const next = loop.next().catch((error: unknown) => error);
    await clock.advance(200);

    expect(await next).toMatchObject({ code: "corrupt", details: { file } });
  });
});
