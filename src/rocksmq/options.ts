/**
 * How a queue is opened: every option checked, every default filled in.
 */
import { type Clock, systemClock } from "../base/clock.js";
import { TidemarkError } from "../base/errors.js";
import { guardClock, guardLogger, guardMetrics } from "../base/guarded-hooks.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { type Metrics, noMetrics } from "../base/metrics.js";
import { NodeVfs } from "../base/node-vfs.js";
import { type Vfs, vfs as vfsBrand } from "../base/vfs.js";
import type { IdAllocator } from "../meta/index.js";
import type { EngineOptions } from "../storage/index.js";
import { checkFlag, checkMethods, checkOptions, checkParts, checkWhole, checkWord, invalid, type KnownOptions } from "./arguments.js";
import type { QueueSettings } from "./core.js";
import type { Retention } from "./door.js";
import { checkedRetention } from "./retention-check.js";

/** How a queue is opened. Only `dir` must be there. */
export interface RocksMqOptions {
  /** The directory it owns; made if it is not there. */
  dir: string;
  /**
   * Default "segment". "rocksdb" keeps the messages in RocksDB, under the keys that the system had which this follows. It needs the optional peer
   * `@nxtedition/rocksdb`, takes no `readOnly`, `segmentBytes`, `prefill` or `vfs`, and ids from 10^17 on only. A directory of the other engine:
   * `invalid-argument`.
   */
  engine?: "segment" | "rocksdb" | undefined;
  /**
   * Takes no lock and writes nothing, beside the process that writes or alone. Every write, consume, subscription, seek and ack is `read-only`; options that
   * are about writing (`durability`, `ids`, `prefill`, `retention` and the sizes) are `invalid-argument`. Reads see all that was acked when they
   * began, perhaps also a last batch that was not acked yet: a power cut may take that one away again, and its ids never come back. `follow`
   * looks again at least every 200 ms. Nothing is told by `events()`. Default false.
   */
  readOnly?: boolean | undefined;
  /** "sync" (default): acks after fdatasync. "os": acks after the write; a process kill loses nothing, a power cut may. `everyMs`: as "os", and
   *  synced at least that often; a power cut loses at most that much and one sync. */
  durability?: "sync" | "os" | { everyMs: number } | undefined;
  /** What channels without a retention of their own keep, as long as the queue is open so. Default: everything. */
  retention?: Retention | undefined;
  /** Segments grow to this size. Default 64 MiB. */
  segmentBytes?: number | undefined;
  /** Zero-fill the next segment ahead of need: "auto" (default; begins at 1 MB/s held for 1 s) or "off". */
  prefill?: "auto" | "off" | undefined;
  /** Payload and properties of one message. Default 16 MiB: beyond it `too-large`. */
  maxMessageBytes?: number | undefined;
  /** Produced and not yet durable. Default 64 MiB: a produce that does not fit now is `overloaded`, one that never fits `too-large`. A produce is
   *  `overloaded` too beside more produces than one for each 256 bytes of it (at least 4,096), however small they are. */
  maxPendingBytes?: number | undefined;
  /** Where ids come from, one `alloc(n)` a produce. Default: the queue gives them out. A range of the wrong size, or one that goes back, is
   *  `invalid-argument` with nothing written. */
  ids?: IdAllocator | undefined;
  /** Where it throws, or gives no number, the system's takes its place. */
  clock?: Clock | undefined;
  vfs?: Vfs | undefined;
  /** What they throw never reaches the log; the first time, the logger is told. */
  metrics?: Metrics | undefined;
  /** What it throws is dropped. */
  logger?: Logger | undefined;
}

/** What the engine and the queue over it are opened with. */
export interface ResolvedOptions {
  readonly kind: "segment" | "rocksdb";
  readonly readOnly: boolean;
  readonly engine: EngineOptions;
  readonly queue: QueueSettings;
}

const known: KnownOptions<keyof RocksMqOptions> = {
  dir: true,
  engine: true,
  readOnly: true,
  durability: true,
  retention: true,
  segmentBytes: true,
  prefill: true,
  maxMessageBytes: true,
  maxPendingBytes: true,
  ids: true,
  clock: true,
  vfs: true,
  metrics: true,
  logger: true,
};

const mebibyte = 1024 * 1024;
/** What says how to write. */
const forWriters = ["durability", "segmentBytes", "prefill", "maxMessageBytes", "maxPendingBytes", "ids", "retention"] as const;
/** What says how segments are written, or where. */
const forSegments = ["readOnly", "segmentBytes", "prefill", "vfs"] as const;
/** Both must be numbers that a file's offsets and a buffer's length can take. */
const largestSegment = 2 ** 31;
const largestMessage = 2 ** 30;

/** @throws `invalid-argument` naming the option */
export function resolveOptions(options: RocksMqOptions): ResolvedOptions {
  checkOptions(options, known);
  checkWhatKind(options);
  const retention = options.retention === undefined ? {} : checkedRetention(options.retention);
  if (options.engine === "rocksdb") refuseWhatIsForSegments(options);
  const {
    dir,
    engine: kind = "segment",
    ids,
    readOnly = false,
    durability = "sync",
    segmentBytes = 64 * mebibyte,
    prefill = "auto",
  } = options;
  const { maxMessageBytes = 16 * mebibyte, maxPendingBytes = 64 * mebibyte } = options;
  const { clock = systemClock, vfs = new NodeVfs(), metrics = noMetrics, logger = silentLogger } = options;
  if (typeof dir !== "string" || dir === "" || dir.includes("\0")) throw invalid("dir", "the path of a directory", dir);
  checkDurability(durability);
  checkWord("prefill", prefill, ["auto", "off"]);
  checkWhole("segmentBytes", segmentBytes, 4096, largestSegment);
  checkWhole("maxMessageBytes", maxMessageBytes, 1, largestMessage);
  checkWhole("maxPendingBytes", maxPendingBytes, 1, Number.MAX_SAFE_INTEGER);
  if (ids !== undefined) checkMethods("ids", ids, ["alloc"]);
  checkMethods("clock", clock, ["nowMs", "monotonicMs", "setTimer"]);
  checkMethods("metrics", metrics, ["counter", "gauge", "histogram"]);
  checkMethods("logger", logger, ["debug", "info", "warn", "error"]);
  if (typeof vfs !== "object" || vfs === null || vfs[vfsBrand] !== true) throw invalid("vfs", "a Vfs", vfs);
  const engineIds = ids === undefined ? "internal" : "external";
  if (readOnly) refuseWhatIsForWriters(options);
  const guarded = guardHooks({ clock, metrics, logger });
  return {
    kind,
    readOnly,
    engine: { dir, ids: engineIds, durability, segmentBytes, prefill, vfs, ...guarded },
    queue: { dir, maxMessageBytes, maxPendingBytes, ids, retention, ...guarded },
  };
}

/** From here on none of them throws. */
function guardHooks(hooks: { clock: Clock; metrics: Metrics; logger: Logger }): { clock: Clock; metrics: Metrics; logger: Logger } {
  const logger = guardLogger(hooks.logger);
  return { clock: guardClock(hooks.clock), metrics: guardMetrics(hooks.metrics, logger), logger };
}

function checkWhatKind({ engine, readOnly }: RocksMqOptions): void {
  if (engine !== undefined) checkWord("engine", engine, ["segment", "rocksdb"]);
  checkFlag("readOnly", readOnly);
}

/** Nothing is accepted and ignored. */
function refuseWhatIsForSegments(options: RocksMqOptions): void {
  const given = forSegments.find((option) => options[option] !== undefined && options[option] !== false);
  if (given === undefined) return;
  const text = `${given} is for the segment engine, and can't be given together with engine "rocksdb": leave it out`;
  throw new TidemarkError("invalid-argument", text, { argument: given });
}

function refuseWhatIsForWriters(options: RocksMqOptions): void {
  const given = forWriters.find((option) => options[option] !== undefined);
  if (given === undefined) return;
  const text = `${given} is for a queue that is written to, and can't be given together with readOnly: leave it out`;
  throw new TidemarkError("invalid-argument", text, { argument: given });
}

function checkDurability(durability: RocksMqOptions["durability"]): void {
  if (durability === "sync" || durability === "os") return;
  if (typeof durability !== "object" || durability === null) {
    throw invalid("durability", 'one of "sync", "os", { everyMs }', durability);
  }
  checkParts(durability, { everyMs: true }, "durability");
  checkWhole("durability.everyMs", durability.everyMs, 1, 24 * 3_600_000);
}
