/**
 * What only shows over a minute: a store that is filled at full speed, with a retention, takes no more of the disk and of memory than after a while.
 */
import { expect, it } from "vitest";
import { newDirectory, runProgram } from "./program.js";

const ms = Number(process.env["FILL_MS"] ?? 60_000);
const mebibyte = 1024 * 1024;

interface Sample {
  readonly disk: number;
  readonly rss: number;
}

it("A store filled for a minute with its retention on keeps its size on the disk and in memory, and loses nothing unread", async () => {
  const { code, stdout, stderr } = await runProgram(
    `
    const { readdirSync, statSync } = await import("node:fs");
    const used = () => readdirSync(dir).reduce((sum, name) => sum + (statSync(dir + "/" + name, { throwIfNoEntry: false })?.blocks ?? 0) * 512, 0);
    const mq = await openRocksMq({ dir, segmentBytes: 8 << 20, retention: { bytes: 32 << 20, ageMs: 3_600_000 } });
    await mq.createConsumerGroup("g");
    const channels = ["a", "b"];
    for (const channel of channels) await mq.createChannel(channel);
    let [produced, consumed, forced, running] = [0, 0, 0, true];
    const payload = new Uint8Array(1000);
    const events = mq.events();
    const watching = (async () => { for await (const { type } of events) if (type === "retention-forced") forced++; })();
    const producing = channels.flatMap((channel) => Array.from({ length: 16 }, async () => {
      while (running) { await mq.produce(channel, Array(8).fill({ payload })); produced += 8; }
    }));
    const consuming = channels.map(async (channel) => {
      for (;;) {
        const messages = await mq.consume("g", channel, 1000, { waitMs: 100 });
        consumed += messages.length;
        if (!running && messages.length === 0) return;
      }
    });
    const samples = [];
    const start = performance.now();
    while (performance.now() - start < ${ms}) {
      await new Promise((go) => setTimeout(go, 250));
      gc();
      samples.push({ disk: used(), rss: process.memoryUsage().rss });
    }
    running = false;
    await Promise.all([...producing, ...consuming]);
    const bytes = (await Promise.all(channels.map((channel) => mq.describeChannel(channel)))).map((one) => Number(one.bytes));
    await mq.close();
    await watching;
    console.log(JSON.stringify({ produced, consumed, forced, bytes, samples }));`,
    newDirectory(),
  );
  expect([code, stderr]).toEqual([0, ""]);
  const { samples, ...figures } = JSON.parse(stdout) as {
    produced: number;
    consumed: number;
    forced: number;
    bytes: number[];
    samples: Sample[];
  };
  const second = Math.floor(samples.length / 4);
  const greatest = (part: readonly Sample[], what: keyof Sample): number => Math.max(...part.map((sample) => sample[what]));
  const [early, late] = [samples.slice(second, 2 * second), samples.slice(3 * second)];
  console.log({
    ...figures,
    early: [greatest(early, "disk"), greatest(early, "rss")],
    late: [greatest(late, "disk"), greatest(late, "rss")],
  });

  expect(figures.consumed).toBe(figures.produced);
  expect(figures.forced).toBe(0);
  for (const bytes of figures.bytes) expect(bytes).toBeLessThanOrEqual(32 * mebibyte);
  // Two channels of 32 MiB in segments of 8, with one that is open and one filled ahead; what is not read yet may be more.
  expect(greatest(late, "disk")).toBeLessThan(128 * mebibyte);
  expect(greatest(late, "disk")).toBeLessThan(greatest(early, "disk") + 24 * mebibyte);
  expect(greatest(late, "rss")).toBeLessThan(greatest(early, "rss") + 32 * mebibyte);
});
