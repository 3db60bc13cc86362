/**
 * Producers that each wait for their ack before they send the next message, for a while:
 *
 *     ├── lead-in ──┤├──── measured ────┤
 *      nobody counts   acks, ack times, the event loop's delay
 *
 * The lead-in is long enough for the log to be filled ahead of need, which it is only under a load that lasts.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { RocksMq } from "../rocksmq/index.js";
import type { Setting } from "./claim.js";
import { quantile } from "./median.js";

/** Filling ahead begins after a second of load. */
const usualLeadInMs = 1_200;
/** While measured; a fast disk ends a turn by this. */
const mostBytes = 1_000_000_000;

/** A load. */
export interface Load {
  readonly channels: readonly string[];
  readonly producers: number;
  readonly messageBytes: number;
  readonly measuredMs: number;
  readonly leadInMs?: number | undefined;
}

/** What was measured. */
export interface Turn {
  readonly perSecond: number;
  readonly messages: number;
  readonly ackMs: { readonly p50: number; readonly p99: number };
  /** How much later than it should a timer fires that is due every millisecond. */
  readonly loopDelayP99Ms: number;
}

/** Puts a load on a queue whose channels are there; everything is acked when it resolves. @throws `signal.reason` */
export async function produceFor(mq: RocksMq, load: Load, setting: Setting): Promise<Turn> {
  const turn = new ProducerTurn(mq, load, setting);
  return turn.run();
}

class ProducerTurn {
  readonly #mq: RocksMq;
  readonly #load: Load;
  readonly #setting: Setting;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: 1 });
  readonly #ackMs: number[] = [];
  #phase: "lead-in" | "measured" | "over" = "lead-in";
  #startedAt = NaN;
  #endedAt = NaN;

  constructor(mq: RocksMq, load: Load, setting: Setting) {
    this.#mq = mq;
    this.#load = load;
    this.#setting = setting;
  }

  async run(): Promise<Turn> {
    const { clock, signal } = this.#setting;
    const { producers, measuredMs, leadInMs = usualLeadInMs } = this.#load;
    signal.throwIfAborted();
    const end = (): void => this.#end();
    signal.addEventListener("abort", end);
    let cancel = clock.setTimer(leadInMs, () => {
      this.#begin();
      cancel = clock.setTimer(measuredMs, end);
    });
    try {
      await Promise.all(Array.from({ length: producers }, (_, at) => this.#produce(at)));
    } finally {
      cancel();
      signal.removeEventListener("abort", end);
      this.#end();
    }
    signal.throwIfAborted();
    return this.#result();
  }

  #begin(): void {
    if (this.#phase !== "lead-in") return;
    this.#phase = "measured";
    this.#startedAt = this.#setting.clock.monotonicMs();
    this.#delay.enable();
  }

  #end(): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#endedAt = this.#setting.clock.monotonicMs();
    this.#delay.disable();
  }

  async #produce(at: number): Promise<void> {
    const { channels, messageBytes } = this.#load;
    const { clock } = this.#setting;
    const channel = channels[at % channels.length] ?? "";
    const messages = [{ payload: Buffer.alloc(messageBytes, 97 + (at % 26)) }];
    try {
      while (this.#phase !== "over") {
        const sentAt = clock.monotonicMs();
        await this.#mq.produce(channel, messages);
        if (this.#phase !== "measured") continue;
        this.#ackMs.push(clock.monotonicMs() - sentAt);
        if (this.#ackMs.length * messageBytes > mostBytes) this.#end();
      }
    } finally {
      // One that failed is enough: the others need not go on.
      this.#end();
    }
  }

  #result(): Turn {
    const messages = this.#ackMs.length;
    return {
      messages,
      perSecond: (messages * 1000) / (this.#endedAt - this.#startedAt),
      ackMs: { p50: quantile(this.#ackMs, 0.5), p99: quantile(this.#ackMs, 0.99) },
      // The histogram holds the time from one firing to the next: what is due every millisecond is one late by the rest.
      loopDelayP99Ms: Math.max(0, this.#delay.percentile(99) / 1e6 - 1),
    };
  }
}

/** Gives back the space of everything that was produced to these channels. */
export async function dropAll(mq: RocksMq, channels: readonly string[]): Promise<void> {
  for (const channel of channels) {
    const { endId } = await mq.describeChannel(channel);
    await mq.trim(channel, endId);
  }
}

/** Fills channels, one batch after the other, with so many messages each; quick, and not measured. @throws `signal.reason` */
export async function fill(
  mq: RocksMq,
  load: { readonly channels: readonly string[]; readonly messages: number; readonly messageBytes: number; readonly batch: number },
  { signal }: Pick<Setting, "signal">,
): Promise<void> {
  const { channels, messages, messageBytes, batch } = load;
  const payload = Buffer.alloc(messageBytes, 97);
  // About 8 MB under way, so that the next group gathers while one is written.
  const atOnce = Math.max(1, Math.ceil(8e6 / (batch * messageBytes * channels.length)));
  for (let sent = 0; sent < messages;) {
    signal.throwIfAborted();
    const acks: Promise<unknown>[] = [];
    for (let one = 0; one < atOnce && sent < messages; one += 1) {
      const count = Math.min(batch, messages - sent);
      for (const channel of channels)
        acks.push(
          mq.produce(
            channel,
            Array.from({ length: count }, () => ({ payload })),
          ),
        );
      sent += count;
    }
    await Promise.all(acks);
  }
}
