/**
 * What happens to a stream at the same time: every call has its answer, nobody waits for ever, and nothing stays open.
 *
 * Each case is run with its end at each of many turns, from before anything has happened to after all of it.
 */
import { describe, expect, it } from "vitest";
import { MemoryBackend } from "../../src/backend/index.js";
import { int64MessageId } from "../../src/message/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { BackendMsgStreamFactory } from "../../src/stream/factory.js";
import { type MsgStream, rocksMqMsgStreamFactory } from "../../src/stream/index.js";
import { defaultSettings, withOptions } from "../../src/stream/options.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { DelayedBackend, turns } from "./delayed-backend.js";
import { at, Logs, nothingElse, take } from "./logs.js";

/** After so many turns of the microtask queue each of these has run to its end. */
const allTurns = 150;
const hourMs = 3_600_000;
const ahead = { channelName: "c1", msgId: int64MessageId("memory", 1_000_000n), msgGroup: "", timestamp: at(0) };
const behind = { channelName: "c1", msgId: undefined, msgGroup: "", timestamp: at(5) };

interface Setting {
  readonly backend: DelayedBackend;
  readonly factory: BackendMsgStreamFactory;
  readonly logs: Logs;
  readonly stream: MsgStream;
}

async function setting(kind: "plain" | "time-tick", seed: number): Promise<Setting> {
  const clock = new ManualClock();
  const backend = new DelayedBackend(new MemoryBackend({ clock }), seed);
  const factory = new BackendMsgStreamFactory(backend, withOptions(defaultSettings(), { clock, bufferPacks: 2, packMessages: 1 }));
  const logs = new Logs(factory);
  await logs.write("c1", "a@3 T10 b@12 T20 c@22 T30");
  const stream = kind === "plain" ? await factory.newMsgStream() : await factory.newTtMsgStream();
  await stream.asConsumer(["c1"], "s");
  return { backend, factory, logs, stream };
}

/** What has come of each call, by now. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const seen = calls.map(() => "pending");
  for (const [place, call] of calls.entries())
    call.then(
      () => (seen[place] = "done"),
      (error: { code?: string; message: string }) => (seen[place] = error.code ?? error.message),
    );
  await nothingElse();
  return seen;
}

type Act = (setting: Setting) => Promise<unknown>;

const acts: readonly [string, Act][] = [
  ["a consume", ({ stream }) => stream.consume()],
  [
    "a consume that has to wait",
    async ({ stream }) => {
      await take(stream, 3);
      await stream.consume();
    },
  ],
  [
    "a loop",
    async ({ stream }) => {
      for await (const pack of stream) void pack;
    },
  ],
  ["a seek", ({ stream }) => stream.seek(behind)],
  ["a seek that waits", ({ stream }) => stream.seek(ahead, { timeoutMs: hourMs })],
  ["a channel that is added", ({ stream }) => stream.asConsumer(["c2"], "s")],
  ["a channel that is added at its end", ({ stream }) => stream.asConsumer(["c2"], "s", "latest")],
  ["a seek behind another one", ({ stream }) => Promise.all([stream.seek(behind), stream.seek(behind)])],
  [
    "a channel added beside a consume and a seek",
    ({ stream }) => Promise.all([stream.consume(), stream.asConsumer(["c2"], "s"), stream.seek(behind)]),
  ],
  [
    "a produce",
    async ({ stream, logs }) => {
      await stream.asProducer(["c1"]);
      await logs.write("c1", "d@32 T40");
    },
  ],
];

const kinds = ["plain", "time-tick"] as const;

describe.each(kinds)("a %s stream", (kind) => {
  it.each(acts)("that is closed while there is %s leaves nobody waiting and nothing open, whenever it is", async (_, act) => {
    for (let end = 0; end < allTurns; end += 8) {
      const here = await setting(kind, end);
      const calls = [act(here)];
      await turns(end);
      calls.push(here.stream.close(), here.stream.close());

      const [called, ...closed] = await outcomes(calls);
      expect(closed, `after ${end} turns`).toEqual(["done", "done"]);
      expect(["done", "closed"]).toContain(called);
      expect(here.backend.readers.size).toBe(0);
      await here.factory.close();
    }
  });

  it.each(acts)("whose factory is closed while there is %s leaves nobody waiting and nothing open, whenever it is", async (_, act) => {
    for (let end = 0; end < allTurns; end += 23) {
      const here = await setting(kind, end);
      const calls = [act(here)];
      await turns(end);
      calls.push(here.factory.close());

      const [called, closed] = await outcomes(calls);
      expect(closed, `after ${end} turns`).toBe("done");
      expect(["done", "closed"]).toContain(called);
      expect(here.backend.readers.size).toBe(0);
    }
  });

  it("gives every pack once, whatever waits are given up, whenever they are", async () => {
    for (let end = 0; end < allTurns; end += 8) {
      const { factory, logs, stream } = await setting(kind, end);
      const names: string[] = [];
      while (names.length < 3) {
        const giveUp = new AbortController();
        const next = stream.consume({ signal: giveUp.signal });
        await turns(end);
        giveUp.abort(new Error("gave up"));
        const pack = await next.catch(() => undefined);
        for (const msg of pack?.msgs ?? []) if (msg.type === "user") names.push(Buffer.from(msg.body.payload).toString());
        if (pack === undefined) await nothingElse();
      }
      expect(names, `given up after ${end} turns`).toEqual(["a", "b", "c"]);
      await logs.write("c1", "d@32 T40");
      const last = stream.consume();
      expect(await outcomes([last])).toEqual(["done"]);
      await factory.close();
    }
  });

  it("wakes a consume for a channel that was added beside it, whenever it speaks", async () => {
    for (let end = 0; end < allTurns; end += 8) {
      const { factory, logs, stream } = await setting(kind, end);
      await stream.asConsumer(["c2"], "s");
      const packs: Promise<unknown>[] = [];
      const looping = (async () => {
        for await (const pack of stream) packs.push(Promise.resolve(pack));
      })();
      const adding = stream.asConsumer(["c3"], "s");
      await turns(end);
      const writing = Promise.all([logs.write("c2", "T10 T20"), logs.write("c3", "d@15 T10 T20")]);

      expect(await outcomes([adding, writing])).toEqual(["done", "done"]);
      expect(packs.length, `after ${end} turns`).toBeGreaterThanOrEqual(kind === "plain" ? 11 : 2);
      await stream.close();
      expect(await outcomes([looping])).toEqual(["done"]);
      await factory.close();
    }
  });

  it("gives a waiting consume what came while a seek was on its way that failed", async () => {
    for (let end = 0; end < allTurns; end += 8) {
      const { factory, logs, stream } = await setting(kind, end);
      await take(stream, kind === "plain" ? 6 : 3);
      const waiting = stream.consume();
      const giveUp = new AbortController();
      const seeking = stream.seek(ahead, { timeoutMs: hourMs, signal: giveUp.signal });
      await nothingElse();
      const writing = logs.write("c1", "d@32 T40");
      await turns(end);
      giveUp.abort(new Error("gave up"));

      expect(await outcomes([waiting, seeking, writing]), `given up after ${end} turns`).toEqual(["done", "gave up", "done"]);
      await factory.close();
    }
  });

  it("is told when its channel is destroyed under it, whenever it is", async () => {
    for (let end = 0; end < allTurns; end += 8) {
      const { backend, factory, stream } = await setting(kind, end);
      const looping = (async () => {
        for await (const pack of stream) void pack;
      })();
      await turns(end);
      const destroying = backend.destroyChannel("c1");

      expect(await outcomes([looping, destroying]), `after ${end} turns`).toEqual(["channel-not-found", "done"]);
      await factory.close();
    }
  });

  it("is told when the queue is closed under it, whenever it is", async () => {
    for (let end = 0; end < allTurns; end += 10) {
      const clock = new ManualClock();
      const mq = await openRocksMq({ dir: "/queue", vfs: new MemoryVfs(), clock, prefill: "off" });
      const factory = rocksMqMsgStreamFactory(mq, { clock });
      await new Logs(factory).write("c1", "a@3 T10");
      const stream = kind === "plain" ? await factory.newMsgStream() : await factory.newTtMsgStream();
      await stream.asConsumer(["c1"], "s");
      const looping = (async () => {
        for await (const pack of stream) void pack;
      })();
      await turns(end);
      const closing = mq.close();

      expect(await outcomes([looping, closing]), `after ${end} turns`).toEqual(["closed", "done"]);
      await factory.close();
    }
  });

  it("has no more events once the queue is closed under it, read or not, and waits for none", async () => {
    const clock = new ManualClock();
    const mq = await openRocksMq({ dir: "/queue", vfs: new MemoryVfs(), clock, prefill: "off" });
    const factory = rocksMqMsgStreamFactory(mq, { clock });
    const stream = kind === "plain" ? await factory.newMsgStream() : await factory.newTtMsgStream();
    const waiting = stream.events()[Symbol.asyncIterator]().next();
    await stream.asConsumer(["c1"], "s");

    await mq.close();

    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await stream.events()[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    await factory.close();
  });

  it("has no events after its end", async () => {
    const { factory, stream } = await setting(kind, 0);
    await stream.close();

    expect(await stream.events()[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    await factory.close();
  });
});

it.each([
  ["asProducer", (stream: MsgStream, ...channels: string[]) => stream.asProducer(channels)],
  ["asConsumer", (stream: MsgStream, ...channels: string[]) => stream.asConsumer(channels, "s")],
] as const)("creates no channel once it is being closed, whatever %s waits in line", async (_, take) => {
  await using mq = await openRocksMq({ dir: "/d", vfs: new MemoryVfs(1) });
  await using factory = rocksMqMsgStreamFactory(mq);
  const stream = await factory.newMsgStream();
  const outcomes = Promise.allSettled([take(stream, "c1", "c2"), take(stream, "c3")]);

  await stream.close();

  const closed: unknown = expect.objectContaining({ code: "closed" });
  expect(await outcomes).toEqual([
    { status: "rejected", reason: closed },
    { status: "rejected", reason: closed },
  ]);
  expect(await mq.channels()).toEqual([]);
});
