import type { Metrics } from "../base/metrics.js";

/** What streams count. */
export class StreamMetrics {
  readonly #packs;
  readonly #messages;
  readonly #late;
  readonly #poison;
  readonly #stalls;
  readonly #stalled;

  constructor(metrics: Metrics) {
    this.#packs = metrics.counter("tidemark_stream_packs_total", "Packs handed over.");
    this.#messages = metrics.counter("tidemark_stream_messages_total", "Messages in the packs handed over.");
    this.#late = metrics.counter("tidemark_stream_late_messages_total", "Messages handed over behind the watermark.", ["channel"]);
    this.#poison = metrics.counter("tidemark_stream_poison_total", "Records that did not decode.", ["channel"]);
    this.#stalls = metrics.counter("tidemark_stream_stalls_total", "Times that no pack came because a channel gave no tick.");
    this.#stalled = metrics.gauge("tidemark_stream_stalled", "1 while no pack comes because a channel gives no tick.");
  }

  handedOver(messages: number): void {
    this.#packs.add(1);
    this.#messages.add(messages);
  }

  late(channel: string, messages: number): void {
    this.#late.add(messages, { channel });
  }

  poison(channel: string): void {
    this.#poison.add(1, { channel });
  }

  stalled(isStalled: boolean): void {
    if (isStalled) this.#stalls.add(1);
    this.#stalled.set(isStalled ? 1 : 0);
  }
}
