/** Step 3: a writer of its own process is killed while it writes; then what it was told is compared with what is there. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { RocksMq, RocksMqEvent } from "../../rocksmq/index.js";
import type { Clock } from "../../base/clock.js";
import { Failure } from "../failure.js";
import { bytes, count, duration } from "../figures.js";
import { AckLog, type Verdict } from "./acks.js";
import { type Airport, airports } from "./flights.js";
import { openTourQueue, type Setting, writerBatch } from "./tour-setting.js";

/** The kill comes at a moment that nobody chose, once this many messages are acked. */
const atLeastAcked = 50_000;

type WriterProcess = ChildProcessByStdio<null, Readable, Readable>;

/** Where each channel ends before the writer begins. */
type Start = Readonly<Record<Airport, { readonly k: number; readonly id: bigint }>>;

/** Takes over the open queue, closes it for the writer, and resolves with the queue opened anew. */
export async function killStep(mq: RocksMq, setting: Setting): Promise<RocksMq> {
  const { stage, clock, folder } = setting;
  const start = await startOf(mq);
  await mq.close();
  const acks = await writeAndKill(start, setting);

  const openedAt = clock.monotonicMs();
  const reopened = await openTourQueue(folder);
  const openMs = clock.monotonicMs() - openedAt;
  try {
    const events = reopened.events();
    const recovered = firstRecovery(events);
    const verdict = await acks.compare(setting.flights, start, (airport) => reopened.read(airport, { from: start[airport].id }));
    await events.close();
    await stage.line(`   reopened in ${duration(openMs)}; ${cutText((await recovered)?.droppedBytes)}`);
    await tell(verdict, setting);
  } catch (error) {
    await reopened.close().catch(() => undefined);
    throw error;
  }
  return reopened;
}

/** Undefined when the listener was closed without one: the store found nothing to recover. */
async function firstRecovery(events: AsyncIterable<RocksMqEvent>): Promise<{ readonly droppedBytes: number } | undefined> {
  for await (const event of events) if (event.type === "recovered") return event;
  return undefined;
}

function cutText(droppedBytes: number | undefined): string {
  if (droppedBytes === undefined || droppedBytes === 0) return "this kill tore no write, so there was nothing to cut";
  return `cut ${bytes(droppedBytes)} of a torn write, told to nobody as safe`;
}

async function tell({ acked, found, unheard, repeated, wrong, torn }: Verdict, { stage }: Setting): Promise<void> {
  const lost = acked - found;
  const proof = `acked ${count(acked)} · found ${count(found)} · lost ${count(lost)} · ids repeated ${count(repeated)}`;
  if (lost + repeated + wrong + torn > 0) {
    await stage.line(`   ${stage.out.bad(proof)}`);
    throw new Failure(`the queue broke its promise (wrong bytes ${wrong}, torn batches ${torn}): please report this, with the folder`);
  }
  await stage.line(`   ${stage.out.good(proof)}`);
  if (unheard > 0) await stage.line(`   ${count(unheard)} more are there, in whole batches: their acks died with the writer`);
}

async function startOf(mq: RocksMq): Promise<Start> {
  const ends = await Promise.all(
    airports.map(async (airport) => {
      const { messages, endId } = await mq.describeChannel(airport);
      return [airport, { k: Number(messages), id: endId }] as const;
    }),
  );
  return Object.fromEntries(ends) as Start;
}

/** Resolves with what the writer has said, once it is dead. */
async function writeAndKill(start: Start, { folder, stage, signal, clock }: Setting): Promise<AckLog> {
  const acks = new AckLog(writerBatch);
  const program = fileURLToPath(new URL("./writer.js", import.meta.url));
  const starts = airports.map((airport) => `${airport}:${start[airport].k}`);
  const writer = spawn(process.execPath, [program, folder, ...starts], { stdio: ["ignore", "pipe", "pipe"] });
  // "close" comes after the pipes have been read to their ends, "exit" perhaps before.
  const closed = once(writer, "close");
  // A writer that can't even be started is heard of below, but must not end the process before.
  closed.catch(() => undefined);
  const kill = (): boolean => writer.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  try {
    await stage.step(3, "Kill", `SIGKILL to a writer process (pid ${writer.pid ?? "none"}) while it writes`);
    const killed = Promise.all([closed, killWhileWriting(writer, acks, clock)]);
    const [, complaint] = await stage.during(killed, () => [`   ${count(acks.messages)} messages acked so far`]);
    signal.throwIfAborted();
    if (writer.signalCode !== "SIGKILL") throw new Failure(`the writer ended by itself: ${reasonOf(writer, complaint)}`);
    return acks;
  } finally {
    // Also when nobody reads on: it would write without end.
    signal.removeEventListener("abort", kill);
    kill();
  }
}

/** Listens to the writer, and kills it; resolves with what it has complained of once it says nothing more. */
async function killWhileWriting(writer: WriterProcess, acks: AckLog, clock: Clock): Promise<string> {
  let complaint = "";
  writer.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  for await (const text of writer.stdout.setEncoding("utf8")) {
    const before = acks.messages;
    acks.push(String(text));
    if (before >= atLeastAcked || acks.messages < atLeastAcked) continue;
    // A moment of its own: right behind an ack the writer would be found between two writes, every time.
    clock.setTimer(randomInt(1, 150), () => writer.kill("SIGKILL"), { keepAlive: true });
  }
  return complaint;
}

function reasonOf({ exitCode, signalCode }: ChildProcess, complaint: string): string {
  const said = complaint.split("\n").find((line) => line.includes("Error"));
  return said ?? `exit code ${exitCode}, signal ${signalCode}`;
}
