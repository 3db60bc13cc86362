/**
 * What every engine is opened with. All fields are there: defaults and checks are the business of the queue above.
 */
import type { Clock } from "../base/clock.js";
import type { Logger } from "../base/logger.js";
import type { Metrics } from "../base/metrics.js";
import type { Vfs } from "../base/vfs.js";
import type { StoreKind } from "./store-kind.js";

/** How an engine is opened. */
export interface EngineOptions {
  /** The directory it owns; an engine that keeps nothing on a disk looks away. */
  readonly dir: string;
  /** What the store is for; one that keeps something else is refused. Default: a queue. */
  readonly keeps?: StoreKind | undefined;
  /** "internal": the engine gives out the ids of messages. "external": each append brings its own. */
  readonly ids: "internal" | "external";
  /** What a "durable" ack promises: "sync" survives a power cut; "os" a process kill; `everyMs` a power cut but for about that long. */
  readonly durability: "sync" | "os" | { readonly everyMs: number };
  /** Segments grow to this many bytes. */
  readonly segmentBytes: number;
  /** Whether the next segment is filled with zeros ahead of need: "auto", once the log is written fast; "always" is for tests. */
  readonly prefill: "auto" | "always" | "off";
  readonly clock: Clock;
  readonly vfs: Vfs;
  readonly metrics: Metrics;
  readonly logger: Logger;
}
