/**
 * What only shows under load or in numbers: memory with a consumer that stalls, ten thousand channels, a hundred thousand calls.
 */
import { describe, expect, it } from "vitest";
import { numbered, stores } from "./stores.js";
import { newDirectory, runProgram } from "./program.js";

describe("case 25: a consumer that stalls, with producers at full speed for 10 s", () => {
  it("costs no memory, and the bound says overloaded", async () => {
    const { code, stdout, stderr } = await runProgram(`
      const mq = await openRocksMq({ dir, maxPendingBytes: 8 << 20 });
      await mq.createChannel("c");
      await mq.createConsumerGroup("g");
      const payload = new Uint8Array(1024).fill(7);
      await mq.produce("c", Array(5_000).fill({ payload }));
      // The stalled: each has one array in its hands and never asks for more.
      const stalled = [mq.subscribe("g", "c"), mq.read("c", { from: "earliest", follow: true })].map((loop) => loop[Symbol.asyncIterator]());
      for (const loop of stalled) await loop.next();
      const events = mq.events();

      const start = performance.now();
      const rss = [];
      let [stored, overloaded, pending] = [0, 0, 0];
      let firstFew = mq.latestId("c");
      while (performance.now() - start < 10_000) {
        let refused;
        const burst = [];
        for (let i = 0; i < 20_000; i++) {
          burst.push(mq.produce("c", [{ payload }]).then(() => { stored++; }, (error) => { refused = error; }));
        }
        await Promise.all(burst);
        if (refused?.code === "overloaded" && refused.effect === "none") overloaded++;
        else if (refused) throw refused;
        // Keeps the disk of the test within bounds; what is stalled finds its place trimmed when it goes on.
        const last = await firstFew;
        firstFew = mq.latestId("c");
        await mq.trim("c", last);
        gc();
        rss.push(process.memoryUsage().rss);
      }
      const settledAt = rss[Math.floor(rss.length / 4)];
      const ends = await Promise.all(stalled.map((loop) => loop.next().catch((error) => error.code)));
      console.log(JSON.stringify({ stored, overloaded, rounds: rss.length, settledAt, greatest: Math.max(...rss), end: rss.at(-1), ends }));
      await mq.close();`);

    expect([code, stderr]).toEqual([0, ""]);
    const figures = JSON.parse(stdout) as {
      stored: number;
      overloaded: number;
      rounds: number;
      settledAt: number;
      end: number;
      greatest: number;
      ends: string[];
    };
    console.log(figures);
    expect(figures.overloaded).toBe(figures.rounds);
    expect(figures.end - figures.settledAt).toBeLessThan(32 << 20);
    expect(figures.greatest).toBeLessThan(250 << 20);
    expect(figures.ends).toEqual(["position-trimmed", "position-trimmed"]);
  });
});

describe("case 30: ten thousand channels", () => {
  it("are made, listed and found again; idle they cost no time and no handles", async () => {
    const dir = newDirectory();
    const figuresOf = async (body: string): Promise<Record<string, number>> => {
      const { code, stdout, stderr } = await runProgram(body, dir);
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout) as Record<string, number>;
    };

    const made = await figuresOf(`
      const mq = await openRocksMq({ dir });
      const start = performance.now();
      await Promise.all(Array.from({ length: 10_000 }, (_, at) => mq.createChannel("channel " + at)));
      const createMs = performance.now() - start;
      await mq.produce("channel 77", [{ payload: new Uint8Array(1) }]);
      console.log(JSON.stringify({ createMs, listed: (await mq.channels()).length }));
      await mq.close();`);
    const found = await figuresOf(`
      const { readdirSync } = await import("node:fs");
      const start = performance.now();
      const mq = await openRocksMq({ dir });
      const reopenMs = performance.now() - start;
      const listed = (await mq.channels()).length;
      await mq.createConsumerGroup("g", { from: "latest" });
      // Parked on a hundred of them, all empty: woken, not polling.
      const waits = Array.from({ length: 100 }, (_, at) => mq.consume("g", "channel " + at, 1, { waitMs: 3_000 }));
      await new Promise((go) => setImmediate(go));
      const before = process.cpuUsage();
      await Promise.all(waits);
      const { user, system } = process.cpuUsage(before);
      const handles = readdirSync("/proc/self/fd").length;
      console.log(JSON.stringify({ reopenMs, listed, idleCpuMs: (user + system) / 1_000, handles }));
      await mq.close();`);

    console.log({ ...made, ...found });
    expect([made["listed"], found["listed"]]).toEqual([10_000, 10_000]);
    expect(found["reopenMs"]).toBeLessThan(5_000);
    expect(found["idleCpuMs"]).toBeLessThan(600);
    expect(found["handles"]).toBeLessThan(64);
  });
});

describe.each(stores)("on $name", ({ open }) => {
  it("scenario 10: 100,000 single produces give one id each, 100,000 single consumes one message each", async () => {
    const mq = await open();
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");
    const total = 100_000;
    const ids = new Set<bigint>();

    for (let first = 0; first < total; first += 10_000) {
      const results = await Promise.all(numbered(first, first + 10_000).map((one) => mq.produce("c", [one])));
      for (const { firstId, count } of results) if (count === 1) ids.add(firstId);
    }
    expect(ids.size).toBe(total);
    let consumed = 0;
    for (let at = 0; at < total; at += 1_000) {
      const results = await Promise.all(Array.from({ length: 1_000 }, () => mq.consume("g", "c", 1)));
      for (const messages of results) if (messages.length === 1 && ids.delete(messages[0]?.id ?? 0n)) consumed += 1;
    }

    expect(consumed).toBe(total);
    expect(await mq.consume("g", "c", 1)).toEqual([]);
  });
});
