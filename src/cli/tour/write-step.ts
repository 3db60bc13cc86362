/** Step 1: many producers, one message each, every ack after an fsync; and beside it what the bare disk can do. */
import type { RocksMq } from "../../rocksmq/index.js";
import { bytes, count, duration, rate } from "../figures.js";
import { writeBare } from "./bare-disk.js";
import { type Airport, airports } from "./flights.js";
import type { Load } from "./load.js";
import type { Setting } from "./tour-setting.js";

/** Producers, each waiting for its ack before it sends the next message. */
const producers = 1024;
/** A disk that is too slow for the whole load gets as much of it as fits in this time. */
const longestMs = 10_000;
const barColumns = 30;

/** Resolves with the number of messages written: all of the load, or its beginning on a very slow disk. */
export async function writeStep(mq: RocksMq, load: Load, setting: Setting): Promise<number> {
  const { stage, clock, folder } = setting;
  await stage.step(1, "Write", `real US flights into three channels; ${count(producers)} producers, every ack after an fsync`);
  for (const airport of airports) await mq.createChannel(airport);

  // The bare disk before and after, half each: what else the machine does hits both alike.
  const half = Math.floor(load.count / 2);
  let bareMs = writeBare(folder, load, { from: 0, to: half, inFlight: producers, clock });
  const run = new WriteRun(mq, load, setting);
  const ms = await stage.during(run.finish(), () => bars(run, load));
  const written = run.taken;
  bareMs += writeBare(folder, load, { from: half, to: load.count, inFlight: producers, clock });

  const perSecond = (written * 1000) / ms;
  const barePerSecond = (load.count * 1000) / bareMs;
  for (const line of bars(run, load)) await stage.line(line);
  const size = load.slice(0, written).length;
  await stage.line(
    `   ${count(written)} messages, ${bytes(size)} · ${stage.out.bold(`${rate(perSecond)} msg/s`)} · ack p50 ${duration(run.latency(0.5))}, p99 ${duration(run.latency(0.99))}`,
  );
  await stage.line(
    `   the same bytes written and synced bare on this disk: ${rate(barePerSecond)} msg/s (we reach ${(perSecond / barePerSecond).toFixed(2)} of it)`,
  );
  if (written < load.count)
    await stage.line(`   a slow disk: after ${duration(longestMs)} we stopped short of ${count(load.count)} messages`);
  return written;
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

  /** Resolves with the milliseconds that it took, once everything taken is acked. */
  async finish(): Promise<number> {
    const { clock, signal } = this.#setting;
    const startedAt = clock.monotonicMs();
    const cancel = clock.setTimer(longestMs, () => (this.#stopped = true));
    try {
      await Promise.all(Array.from({ length: producers }, () => this.#produce()));
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

  async #produce(): Promise<void> {
    const { clock, signal } = this.#setting;
    while (this.taken < this.#load.count && !this.#stopped && !signal.aborted) {
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
