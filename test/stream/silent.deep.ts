/**
 * One silent channel of sixteen, under load for ten seconds: a process of its own, whose memory is looked at.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { newDirectory } from "../rocksmq/program.js";

const mebibyte = 1024 * 1024;
const payloadBytes = 8192;
/** Of each of the two streams. */
const alignBytes = 8 * mebibyte;
/** Many times what may be held. */
const leastSent = 20_000;

const program = (dir: string): string => `
  import { openRocksMq } from ${JSON.stringify(join(root, "dist/rocksmq/index.js"))};
  import { rocksMqMsgStreamFactory } from ${JSON.stringify(join(root, "dist/stream/index.js"))};
  import { timeTickFrom, tsMsg } from ${JSON.stringify(join(root, "dist/message/index.js"))};
  const mq = await openRocksMq({ dir: ${JSON.stringify(dir)}, durability: "os" });
  const factory = rocksMqMsgStreamFactory(mq, { bufferBytes: ${4 * mebibyte} });
  const talking = Array.from({ length: 15 }, (_, at) => "c" + at);
  const waiting = await factory.newTtMsgStream({ alignBytes: ${alignBytes} });
  await waiting.asConsumer([...talking, "silent"], "waiting");
  const leaving = await factory.newTtMsgStream({ alignBytes: ${alignBytes}, idleMs: 1_000 });
  await leaving.asConsumer([...talking, "silent"], "leaving");
  const producer = await factory.newMsgStream();
  await producer.asProducer(talking);
  const silent = await factory.newMsgStream();
  await silent.asProducer(["silent"]);

  const seen = { stalled: [], resumed: 0, waiting: 0, leaving: 0, late: [], memory: [] };
  let all = Infinity;
  let finished = false;
  const events = (async () => {
    for await (const event of waiting.events()) {
      if (event.type === "stalled") seen.stalled.push(event);
      if (event.type === "resumed") seen.resumed++;
    }
  })();
  const consume = async (stream, name) => {
    for await (const { msgs } of stream) {
      seen[name] += msgs.length;
      if (seen.waiting >= all && seen.leaving >= all) finished = true;
      if (name === "leaving") seen.late.push(...msgs.filter(({ late }) => late).map(({ endTs }) => String(endTs)));
    }
  };
  const loops = [consume(waiting, "waiting"), consume(leaving, "leaving")];

  const payload = new Uint8Array(${payloadBytes});
  let [at, sent] = [0, 0];
  const tick = (producer) => producer.broadcast({ msgs: [tsMsg({ type: "timeTick", timestamp: timeTickFrom(BigInt(at)) })] });
  const used = async () => {
    // What was let go of goes in steps: the views, then the memory under them.
    for (let round = 0; round < 3; round++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const startedAt = Date.now();
  for (let nextLook = 4_000; Date.now() - startedAt < 10_000 || sent < ${leastSent}; ) {
    const msgs = Array.from({ length: 10 }, () => tsMsg({ type: "user", timestamp: timeTickFrom(BigInt(++at)), payload }));
    await producer.broadcast({ msgs });
    await tick(producer);
    sent += msgs.length * talking.length;
    if (Date.now() - startedAt > nextLook) {
      seen.memory.push(await used());
      nextLook += 1_000;
    }
  }
  const before = { waiting: seen.waiting, leaving: seen.leaving };
  await silent.broadcast({ msgs: [tsMsg({ type: "user", timestamp: timeTickFrom(5n), payload })] });
  await tick(silent);
  all = sent + 1;
  // What is late comes with the next pack, so there has to be one.
  while (!finished) {
    at++;
    await tick(producer);
    await tick(silent);
  }
  await factory.close();
  await Promise.all([...loops, events]);
  await mq.close();
  process.stdout.write(JSON.stringify({ ...seen, before, sent }));`;

interface Seen {
  readonly stalled: readonly { readonly channels: readonly string[]; readonly bufferedBytes: number }[];
  readonly resumed: number;
  readonly late: readonly string[];
  readonly memory: readonly number[];
  readonly before: { readonly waiting: number; readonly leaving: number };
  readonly sent: number;
}

describe("one silent channel of sixteen", () => {
  it("costs a bounded memory and is named, and all flows when it speaks; with idleMs the others go on, and what it says is late", async () => {
    const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "--eval", program(newDirectory())], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    expect(code).toBe(0);
    const { stalled, resumed, late, memory, before, sent } = JSON.parse(stdout) as Seen;

    expect(stalled[0]?.channels).toEqual(["silent"]);
    // Those that are ahead share half, and each may go beyond it by the batch that it was fetching.
    expect(stalled[0]?.bufferedBytes).toBeGreaterThanOrEqual(alignBytes / 2);
    expect(stalled[0]?.bufferedBytes).toBeLessThan(alignBytes / 2 + 15 * (alignBytes / (8 * 16)));
    expect(resumed).toBeGreaterThan(0);
    expect(before.waiting).toBe(0);
    expect(before.leaving).toBeGreaterThan(sent / 4);
    expect(late).toEqual(["5"]);
    expect(memory.length).toBeGreaterThanOrEqual(4);
    // 62 MB was the most in eight runs, most of it the queue's: what it keeps of what was read comes in pieces of 16 MiB, and goes.
    expect(Math.max(...memory), `of ${sent * payloadBytes} bytes sent`).toBeLessThan(93_000_000);
  });
});
