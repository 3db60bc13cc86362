/**
 * A process that produces and consumes, killed again and again in the middle of both.
 *
 * It tells what was acked and what it has handled, a line each. A life begins where the last stored position is, which is where its first pack begins: what was handled before
 * that must not come again, and in the end nothing may be missing.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { newDirectory } from "../rocksmq/program.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { seedOr } from "./seed.js";

const seed = seedOr(Date.now() % 1_000_000);
const lives = 25;

const program = (dir: string, last: boolean): string => `
  import { openRocksMq } from ${JSON.stringify(join(root, "dist/rocksmq/index.js"))};
  import { rocksMqMsgStreamFactory } from ${JSON.stringify(join(root, "dist/stream/index.js"))};
  import { timeTick, tsMsg } from ${JSON.stringify(join(root, "dist/message/index.js"))};
  const mq = await openRocksMq({ dir: ${JSON.stringify(dir)}, durability: "os" });
  const factory = rocksMqMsgStreamFactory(mq);
  const consumer = await factory.newTtMsgStream();
  await consumer.asConsumer(["c1", "c2"], "s");
  const producer = await factory.newMsgStream();
  await producer.asProducer(["c1", "c2"]);
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
  for await (const pack of consumer) {
    tell({ begin: String(pack.beginTs), end: String(pack.endTs), handled: pack.msgs.map(({ body }) => Buffer.from(body.payload).toString()) });
    if (${last} && pack.endTs >= end) break;
  }
  await factory.close();
  await mq.close();`;

type Line = { readonly acked: readonly string[] } | Handled;
interface Handled {
  readonly begin: string;
  readonly end: string;
  readonly handled: readonly string[];
}

/** Lets it live until it has handled so many packs, or to its end; what it told. */
async function live(dir: string, packs: number): Promise<{ lines: Line[]; code: number | null }> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program(dir, packs === Infinity)], {
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

describe("a consumer that is killed at any moment", () => {
  it(`loses nothing, and never gets again what was handled before its last stored position (SEED=${seed})`, async () => {
    const random = new SeededRandom(seed);
    const dir = newDirectory();
    const acked: string[] = [];
    /** Tick by which it was handled, for good. */
    const handledBy = new Map<string, bigint>();
    let [kills, resumed] = [0, 0];

    for (let life = 0; life <= lives; life++) {
      const { lines, code } = await live(dir, life === lives ? Infinity : 1 + random.below(60));
      if (code === null) kills++;
      let from: bigint | undefined;
      for (const line of lines) {
        if ("acked" in line) {
          acked.push(...line.acked);
          continue;
        }
        if (from === undefined && BigInt(line.begin) > 0n) resumed++;
        from ??= BigInt(line.begin);
        for (const name of line.handled) {
          const before = handledBy.get(name);
          expect(before === undefined || before > from, `${name} was handled by ${before}, and life ${life} began at ${from}`).toBe(true);
          handledBy.set(name, BigInt(line.end));
        }
      }
    }

    expect(kills).toBe(lives);
    expect(resumed).toBeGreaterThan(lives / 2);
    expect(acked.filter((name) => !handledBy.has(name))).toEqual([]);
    expect(acked.length).toBeGreaterThan(500);
  });
});
