/**
 * A process that produces and consumes, killed again and again in the middle of both. Meanwhile it goes back to where earlier packs ended, and takes on another channel.
 *
 * It tells what was acked and what it has handled, a line each. In every life, and behind every seek, a channel begins where its first pack says: what was handled before that
 * must not come again, and in the end nothing may be missing. A channel of which nothing was read begins before everything, also when it is taken on at a later tick: its first
 * messages are late then, and those that an earlier life handled but had not stored yet come again.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { newDirectory } from "../rocksmq/program.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { must } from "./pack-book.js";
import { seedOr } from "./seed.js";

const seed = seedOr(Date.now() % 1_000_000);
const lives = 25;

const program = (dir: string, choices: number, last: boolean): string => `
  import { openRocksMq } from ${JSON.stringify(join(root, "dist/rocksmq/index.js"))};
  import { rocksMqMsgStreamFactory } from ${JSON.stringify(join(root, "dist/stream/index.js"))};
  import { timeTick, tsMsg } from ${JSON.stringify(join(root, "dist/message/index.js"))};
  const mq = await openRocksMq({ dir: ${JSON.stringify(dir)}, durability: "os" });
  const factory = rocksMqMsgStreamFactory(mq);
  const consumer = await factory.newTtMsgStream();
  const channels = ["c1", "c2", "c3"];
  await consumer.asConsumer(${last} ? channels : ["c1", "c2"], "s");
  const producer = await factory.newMsgStream();
  await producer.asProducer(channels);
  let state = ${choices};
  const below = (bound) => (state = (Math.imul(state, 1103515245) + 12345) >>> 1) % bound;
  let count = 0;
  const now = () => timeTick(Date.now(), count++ % 200_000);
  const tell = (line) => process.stdout.write(JSON.stringify(line) + "\\n");
  const produce = async () => {
    for (;;) {
      const names = Array.from({ length: 6 }, (_, at) => process.pid + "-" + count + "-" + at);
      const msgs = names.map((name, at) => tsMsg({ type: "user", timestamp: now(), payload: Buffer.from(name), hashKeys: [at] }));
      await producer.produce({ msgs });
      tell({ acked: names });
      await producer.broadcast({ msgs: [tsMsg({ type: "timeTick", timestamp: now() })] });
    }
  };
  const end = now();
  if (${last}) await producer.broadcast({ msgs: [tsMsg({ type: "timeTick", timestamp: end })] });
  else void produce();
  const ends = [];
  const addAt = below(20);
  for (let pack = await consumer.consume(); pack !== undefined; pack = await consumer.consume()) {
    tell({
      starts: Object.fromEntries(pack.startPositions.map((at) => [at.channelName, String(at.msgId === undefined ? 0 : at.timestamp)])),
      end: String(pack.endTs),
      handled: pack.msgs.map(({ body, position }) => [position.channelName, Buffer.from(body.payload).toString()]),
    });
    if (${last}) {
      if (pack.endTs >= end) break;
      continue;
    }
    ends.push(pack.endPositions);
    if (ends.length === addAt) await consumer.asConsumer(["c3"], "s");
    if (below(12) > 0) continue;
    const positions = ends[below(ends.length)];
    await consumer.seek(positions);
    tell({ sought: positions.map(({ channelName }) => channelName) });
  }
  await factory.close();
  await mq.close();`;

type Line = { readonly acked: readonly string[] } | Handled | { readonly sought: readonly string[] };
interface Handled {
  /** Where the pack starts in each channel. */
  readonly starts: Readonly<Record<string, string>>;
  readonly end: string;
  /** Channel and name of each message. */
  readonly handled: readonly (readonly [string, string])[];
}

/** Lets it live until it has handled so many packs, or to its end; what it told. */
async function live(dir: string, choices: number, packs: number): Promise<{ lines: Line[]; code: number | null }> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program(dir, choices, packs === Infinity)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Line[] = [];
  let handled = 0;
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if ("handled" in line && ++handled >= packs) child.kill("SIGKILL");
  }
  return { lines, code: await ended };
}

/** What was told over all lives, held to the law. */
class Books {
  readonly acked: string[] = [];
  /** The tick by which a message was handled last. */
  readonly handledBy = new Map<string, bigint>();
  resumed = 0;
  seeks = 0;
  /** Packs in which the third channel was taken on. */
  added = 0;

  enter(life: number, lines: readonly Line[]): void {
    const from = new Map<string, bigint>();
    for (const line of lines) {
      if ("acked" in line) this.acked.push(...line.acked);
      else if ("handled" in line) this.#enterPack(`life ${life}`, line, from);
      else {
        this.seeks++;
        for (const channel of line.sought) from.delete(channel);
      }
    }
  }

  #enterPack(life: string, { starts, end, handled }: Handled, from: Map<string, bigint>): void {
    if (from.size === 0 && BigInt(starts["c1"] ?? 0) > 0n) this.resumed++;
    if (starts["c3"] !== undefined && !from.has("c3")) this.added++;
    for (const [channel, start] of Object.entries(starts)) if (!from.has(channel)) from.set(channel, BigInt(start));
    for (const [channel, name] of handled) {
      const [before, begin] = [this.handledBy.get(name), from.get(channel) ?? 0n];
      must(before === undefined || before > begin, () => `${name} was handled by ${before}, and ${channel} began at ${begin} in ${life}`);
      this.handledBy.set(name, BigInt(end));
    }
  }
}

describe("a consumer that is killed at any moment", () => {
  it(`loses nothing, and never gets again what was handled before its last stored position (SEED=${seed})`, async () => {
    const random = new SeededRandom(seed);
    const dir = newDirectory();
    const books = new Books();
    let kills = 0;

    for (let life = 0; life <= lives; life++) {
      const { lines, code } = await live(dir, random.below(2 ** 30), life === lives ? Infinity : 1 + random.below(60));
      if (code === null) kills++;
      books.enter(life, lines);
    }

    expect(kills).toBe(lives);
    expect(books.resumed).toBeGreaterThan(lives / 2);
    expect(books.seeks).toBeGreaterThan(lives / 2);
    expect(books.added).toBeGreaterThan(lives / 4);
    expect(books.acked.filter((name) => !books.handledBy.has(name))).toEqual([]);
    expect(books.acked.length).toBeGreaterThan(500);
  });
});
