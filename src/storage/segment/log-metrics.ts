/**
 * What the log tells a metrics registry. docs/operations.md lists the names.
 */
import type { Metrics } from "../../base/metrics.js";

/** The log's instruments. */
export class LogMetrics {
  readonly #groups;
  readonly #bytes;
  readonly #syncSeconds;
  readonly #diskFull;
  readonly #segments;
  readonly #copied;

  constructor(metrics: Metrics) {
    this.#groups = metrics.counter(
      "tidemark_log_groups_total",
      "Groups written: each is one write, and one sync when durability asks for it.",
    );
    this.#bytes = metrics.counter("tidemark_log_bytes_total", "Bytes of groups written, frames and padding included.");
    this.#syncSeconds = metrics.histogram("tidemark_log_sync_seconds", "How long a group's write and sync took.");
    this.#diskFull = metrics.counter("tidemark_log_disk_full_total", "Groups that did not fit on the disk.");
    this.#segments = metrics.gauge("tidemark_log_segments", "Sealed segments that hold something live.");
    this.#copied = metrics.counter(
      "tidemark_log_compaction_bytes_total",
      "Bytes of the groups that compaction wrote: live batches, copied forward.",
    );
  }

  wrote(bytes: number): void {
    this.#groups.add(1);
    this.#bytes.add(bytes);
  }

  copied(bytes: number): void {
    this.wrote(bytes);
    this.#copied.add(bytes);
  }

  synced(ms: number): void {
    this.#syncSeconds.observe(ms / 1000);
  }

  diskFull(): void {
    this.#diskFull.add(1);
  }

  sealedSegments(count: number): void {
    this.#segments.set(count);
  }
}
