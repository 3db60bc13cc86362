/**
 * One silent channel of sixteen, under load for ten seconds: a process of its own, whose memory is looked at.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { newDirectory } from "../rocksmq/program.js";

const program = (dir: string): string => `
  import { openRocksMq } from ${JSON.stringify(join(root, "dist/rocksmq/index.js"))};
  import { rocksMqMsgStreamFactory } from ${JSON.stringify(join(root, "dist/stream/index.js"))};
  import { timeTickFrom, tsMsg } from ${JSON.stringify(join(root, "dist/message/index.js"))};
  const mq = await openRocksMq({ dir: ${JSON.stringify(dir)}, durability: "os" });
  const factory = rocksMqMsgStreamFactory(mq);
  const talking = Array.from({ length: 15 }, (_, at) => "c" + at);
  const waiting = await factory.newTtMsgStream({ alignBytes: 8 * 1024 * 1024 });
  await waiting.asConsumer([...talking, "silent"], "waiting");
  const leaving = await factory.newTtMsgStream({ alignBytes: 8 * 1024 * 1024, idleMs: 1_000 });
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
      if (event.type === "stalled") seen.stalled.push(event.channels);
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

  const payload = new Uint8Array(8192);
  let [at, sent] = [0, 0];
  const tick = (producer) => producer.broadcast({ msgs: [tsMsg({ type: "timeTick", timestamp: timeTickFrom(BigInt(at)) })] });
  const used = () => { gc(); const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };
  const startedAt = Date.now();
  for (let nextLook = 4_000; Date.now() - startedAt < 10_000; ) {
    const msgs = Array.from({ length: 10 }, () => tsMsg({ type: "user", timestamp: timeTickFrom(BigInt(++at)), payload }));
    await producer.broadcast({ msgs });
    await tick(producer);
    sent += msgs.length * talking.length;
    if (Date.now() - startedAt > nextLook) {
      seen.memory.push(used());
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
  readonly stalled: readonly (readonly string[])[];
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

    expect(stalled[0]).toEqual(["silent"]);
    expect(resumed).toBeGreaterThan(0);
    expect(before.waiting).toBe(0);
    expect(before.leaving).toBeGreaterThan(sent / 4);
    expect(late).toEqual(["5"]);
    expect(memory.length).toBeGreaterThanOrEqual(4);
    // What the queue keeps of what was read comes and goes; what waits for the silent channel does not.
    expect((memory.at(-1) ?? 0) - (memory[0] ?? 0), `of ${sent * 8192} bytes sent`).toBeLessThan((sent * 8192) / 4);
  });
});
