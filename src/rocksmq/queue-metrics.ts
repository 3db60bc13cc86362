import type { Metrics } from "../base/metrics.js";

/** What the queue counts. */
export class QueueMetrics {
  readonly #produced;
  readonly #producedBytes;
  readonly #refused;
  readonly #consumed;

  constructor(metrics: Metrics) {
    this.#produced = metrics.counter("tidemark_rocksmq_produced_messages_total", "Messages stored durably.");
    this.#producedBytes = metrics.counter("tidemark_rocksmq_produced_bytes_total", "Bytes of payload and properties stored durably.");
    this.#refused = metrics.counter("tidemark_rocksmq_overloaded_total", "Produces refused because of maxPendingBytes.");
    this.#consumed = metrics.counter("tidemark_rocksmq_consumed_messages_total", "Messages handed to consumes and subscriptions.");
  }

  produced(messages: number, bytes: number): void {
    this.#produced.add(messages);
    this.#producedBytes.add(bytes);
  }

  overloaded(): void {
    this.#refused.add(1);
  }

  consumed(messages: number): void {
    this.#consumed.add(messages);
  }
}
