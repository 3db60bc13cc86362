/** Step 1: many producers, one message each, every ack after an fdatasync; and beside it what the bare disk can do. */
import type { RocksMq } from "../../rocksmq/index.js";
import { bytes, count, duration, rate } from "../figures.js";
import { BareDisk } from "./bare-disk.js";
import { type Airport, airports } from "./flights.js";
import type { Load } from "./load.js";
import type { Setting } from "./tour-setting.js";

/** Producers, each waiting for its ack before it sends the next message. */
const producers = 256;
/** A disk that is too slow for the whole load gets as much of it as fits in this time. */
const longestMs = 15_000;
/** Of the queue, each followed by one of the bare disk. */
const turns = 20;
const barColumns = 30;

/** Resolves with the number of messages written: all of the load, or its beginning on a very slow disk. */
export async function writeStep(mq: RocksMq, load: Load, setting: Setting): Promise<number> {
  const { stage } = setting;
  await stage.step(1, "Write", `${count(producers)} producers, three channels; every ack after an fdatasync`);
  for (const airport of airports) await mq.createChannel(airport);

  const run = new WriteRun(mq, load, setting);
  const race = await stage.during(takeTurns(run, load, setting), () => bars(run, load));
  const written = run.taken;
  for (const line of bars(run, load)) await stage.line(line);
  const [perSecond, barePerSecond] = [race.ms, race.bareMs].map((ms) => (written * 1000) / ms) as [number, number];
  const size = bytes(load.slice(0, written).length);
  const ack = `ack p50 ${duration(run.latency(0.5))}, p99 ${duration(run.latency(0.99))}`;
  await stage.line(`   ${count(written)} messages, ${size} · ${stage.out.bold(`${rate(perSecond)} msg/s`)} · ${ack}`);
  const share = (perSecond / barePerSecond).toFixed(2);
  await stage.line(`   the same, bare write + fdatasync: ${rate(barePerSecond)} msg/s (we reach about ${share} of it)`);
  if (written < load.count)
    await stage.line(`   a slow disk: we stopped after ${duration(longestMs)}, short of ${count(load.count)} messages`);
  return written;
}

/** The queue and the bare disk in turns: what else the machine does meanwhile hits both alike. Resolves with the time that each took. */
async function takeTurns(run: WriteRun, load: Load, { folder, clock }: Setting): Promise<{ ms: number; bareMs: number }> {
  const time = { ms: 0, bareMs: 0 };
  const bareDisk = new BareDisk(folder, clock);
  try {
    for (let from = 0; from < load.count && time.ms + time.bareMs < longestMs; from = run.taken) {
      time.ms += await run.go(Math.min(load.count, from + Math.ceil(load.count / turns)), longestMs - time.ms - time.bareMs);
      time.bareMs += bareDisk.write(load, { from, to: run.taken, inFlight: producers });
    }
  } finally {
    bareDisk.close();
  }
  return time;
}

/** One run of all producers through the load. */
class WriteRun {
  readonly acked: Record<Airport, number> = { ATL: 0, DFW: 0, ORD: 0 };
  /** Messages handed out to producers so far: 0 to taken - 1. */
  taken = 0;
  readonly #mq: RocksMq;
  readonly #load: Load;
  readonly #setting: Setting;
  readonly #latencies: Float64Array;
  #stopped = false;

  constructor(mq: RocksMq, load: Load, setting: Setting) {
    this.#mq = mq;
    this.#load = load;
    this.#setting = setting;
    this.#latencies = new Float64Array(load.count);
  }

  /** All producers, until `end` messages are acked in all or the time is over. Resolves with the milliseconds that it took. */
  async go(end: number, longest: number): Promise<number> {
    const { clock, signal } = this.#setting;
    this.#stopped = false;
    const startedAt = clock.monotonicMs();
    const cancel = clock.setTimer(longest, () => (this.#stopped = true));
    try {
      await Promise.all(Array.from({ length: producers }, () => this.#produce(end)));
    } finally {
      cancel();
      // One failed producer is enough: the others must not go on into a closed queue.
      this.#stopped = true;
    }
    signal.throwIfAborted();
    return clock.monotonicMs() - startedAt;
  }

  /** The ack time below which this share of all lies. */
  latency(share: number): number {
    const sorted = this.#latencies.slice(0, this.taken).sort();
    return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  }

  async #produce(end: number): Promise<void> {
    const { clock, signal } = this.#setting;
    while (this.taken < end && !this.#stopped && !signal.aborted) {
      const n = this.taken;
      this.taken += 1;
      const airport = this.#load.airport(n);
      const sentAt = clock.monotonicMs();
      await this.#mq.produce(airport, [{ payload: this.#load.payload(n) }]);
      this.#latencies[n] = clock.monotonicMs() - sentAt;
      this.acked[airport] += 1;
    }
  }
}

/** A bar per channel; the fullest that the load allows is as wide as a bar gets. */
function bars({ acked }: WriteRun, load: Load): string[] {
  const most = Math.max(...airports.map((airport) => load.countOf(airport)));
  return airports.map((airport) => {
    const filled = Math.round((acked[airport] / most) * barColumns);
    return `   ${airport}  ${"█".repeat(filled).padEnd(barColumns)}  ${count(acked[airport]).padStart(8)}`;
  });
}
