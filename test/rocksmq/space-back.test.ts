/** Space that the dead hold comes back by itself: also in a queue that is opened and only read, and in one in which nothing happens any more. */
import { beforeEach, describe, expect, it } from "vitest";
import { openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";

const mebibyte = 1024 * 1024;
const names = Array.from({ length: 16 }, (_, at) => `c${at}`);

let disk: MemoryVfs;
let clock: ManualClock;
let mq: RocksMq;

beforeEach(async () => {
  [disk, clock] = [new MemoryVfs(), new ManualClock(1_700_000_000_000)];
  mq = await open();
});

function open(o: { readonly readOnly?: boolean } = {}): Promise<RocksMq> {
  return openRocksMq({ dir: "queue", vfs: disk, clock, ...o });
}

/** The process is killed, and the queue opened by another. */
async function reopenKilled(): Promise<void> {
  disk = disk.kill();
  mq = await open();
}

async function interleave(channels: readonly string[], rounds: number): Promise<void> {
  for (const name of channels) await mq.createChannel(name);
  const payload = Buffer.alloc(20_000, 7);
  for (let round = 0; round < rounds; round += 1) await Promise.all(channels.map((name) => mq.produce(name, [{ payload }])));
}

async function trimAll(name: string): Promise<void> {
  await mq.trim(name, (await mq.describeChannel(name)).endId);
}

/** Lets ten seconds pass, and everything go on that they set off. */
async function tenSeconds(): Promise<void> {
  for (let ms = 0; ms < 10_000; ms += 250) {
    await clock.advance(250);
    for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** What the segments take, on the disk. */
function segmentBytes(): number {
  const segments = [...disk.snapshot()].filter(([path]) => path.endsWith(".seg"));
  return segments.reduce((sum, [, bytes]) => sum + bytes.length, 0);
}

async function liveBytes(): Promise<number> {
  let sum = 0;
  for (const name of await mq.channels()) sum += Number((await mq.describeChannel(name)).bytes);
  return sum;
}

async function read(name: string): Promise<bigint> {
  let count = 0n;
  for await (const batch of mq.read(name, { from: "earliest" })) count += BigInt(batch.length);
  return count;
}

describe("A queue that is opened and only read gives back", () => {
  it("what fifteen of sixteen interleaved channels held, destroyed just before a kill", async () => {
    await interleave(names, 40);
    for (const name of names.slice(1)) await mq.destroyChannel(name);
    await reopenKilled();
    const before = segmentBytes();
    expect(before).toBeGreaterThan(10 * mebibyte);

    await tenSeconds();

    expect(segmentBytes()).toBeLessThan(2 * (await liveBytes()));
    expect(await read("c0")).toBe(40n);
    await reopenKilled();
    expect(await read("c0")).toBe(40n);
    await mq.close();
  });

  it("what died in the segment that the process before wrote last", async () => {
    for (const stops of ["closed", "killed"]) {
      await interleave([`kept-${stops}`, `gone-${stops}`], 20);
      for (let more = 0; more < 60; more += 1) await mq.produce(`gone-${stops}`, [{ payload: Buffer.alloc(20_000) }]);
      await mq.destroyChannel(`gone-${stops}`);
      if (stops === "closed") await mq.close();
      await reopenKilled();

      await tenSeconds();

      expect(segmentBytes(), stops).toBeLessThan(2 * (await liveBytes()));
      expect(await read(`kept-${stops}`)).toBe(20n);
    }
    await mq.close();
  });

  it("what could not go before, since the disk had no room for a checkpoint", async () => {
    await interleave(["a", "b"], 40);
    const refusals = Array.from({ length: 2 }, () => disk.failNext({ op: "write", path: /checkpoint\.tmp$/, code: "ENOSPC" }));
    await mq.destroyChannel("a");
    await mq.destroyChannel("b");

    await tenSeconds();

    expect(refusals.every((fault) => fault.fired())).toBe(true);
    expect(segmentBytes()).toBeLessThan(4096);
    await mq.close();
  });
});

describe("A queue in which nothing happens any more gives back", () => {
  it("what is dead in the segment that it writes", async () => {
    await interleave(["a", "b"], 80);
    await trimAll("a");
    expect(segmentBytes()).toBeGreaterThan(3 * mebibyte);
    await trimAll("b");

    await tenSeconds();

    expect(segmentBytes()).toBeLessThan(4096);
    await mq.close();
  });

  it("nothing where nothing is to be had: it does not touch the disk", async () => {
    await interleave(["a", "b"], 40);
    await trimAll("a");
    await tenSeconds();
    for (const stops of ["open", "closed", "killed"]) {
      if (stops === "closed") await mq.close();
      if (stops !== "open") await reopenKilled();
      await read("b");
      const operations = disk.operations;

      await tenSeconds();

      expect(disk.operations, stops).toBe(operations);
    }
    await mq.close();
  });
});

describe("A queue that is open for reading only", () => {
  it("changes nothing on the disk, however much is dead", async () => {
    await interleave(["a", "b"], 40);
    await trimAll("a");
    disk = disk.kill();
    const changes: string[] = [];
    disk.observe(({ op, path, detail }) => {
      if (op !== "read" && op !== "list" && detail !== "read") changes.push(`${op} ${path} ${detail}`);
    });

    const reader = await open({ readOnly: true });
    await tenSeconds();

    expect(changes).toEqual([]);
    await reader.close();
  });

  it("lets go of the segments that are gone as soon as it looks", async () => {
    await interleave(["a", "b"], 40);
    const reader = await open({ readOnly: true });
    for await (const _batch of reader.read("a", { from: "earliest" }));
    await mq.destroyChannel("a");
    await mq.destroyChannel("b");
    await tenSeconds();

    expect(await reader.channels()).toEqual([]);
    await tenSeconds();

    // The reserve, and what is small.
    expect(disk.usedBytes).toBeLessThan(1.1 * mebibyte);
    await reader.close();
    await mq.close();
  });
});
