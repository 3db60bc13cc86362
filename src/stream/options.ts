/**
 * How streams are made: what may be given, what is left out, what is refused.
 */
import { checkFlag, checkMethods, checkOptions, checkParts, checkWhole, checkWord, invalid, type KnownOptions } from "../base/arguments.js";
import { type Clock, systemClock } from "../base/clock.js";
import { guardClock, guardLogger, guardMetrics } from "../base/guarded-hooks.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { type Metrics, noMetrics } from "../base/metrics.js";
import { protoUnmarshal, type UnmarshalDispatcher } from "../message/index.js";

/** Options of every stream of a factory. */
export interface StreamOptions {
  /** Packs handed over and not yet taken; beyond it the readers pause. Default 16. */
  bufferPacks?: number | undefined;
  /** The same in bytes, as they are stored. Default 64 MiB. */
  bufferBytes?: number | undefined;
  /** Plain stream: a pack holds up to this many messages of one channel that are there already, and up to 128 KiB of them, or one. Default 1,000; 1 is
   *  Milvus's behaviour. */
  packMessages?: number | undefined;
  /** A message that does not decode: "skip" (default; counted, logged, an event) or "throw" (the stream ends with `corrupt`). */
  poison?: "skip" | "throw" | undefined;
  /** How payloads become messages. Default: `protoUnmarshal`'s. */
  unmarshal?: UnmarshalDispatcher | undefined;
  clock?: Clock | undefined;
  metrics?: Metrics | undefined;
  logger?: Logger | undefined;
}

/** Options of a time-tick stream. */
export interface TtOptions {
  /**
   * "watermark" (default): a pack ends at the least of the channels' latest ticks; every advance makes one pack, empty ones too, and a pack's beginTs is the endTs
   * of the one before. The watermark never goes back: a channel that is added, or speaks again after idleMs, holds it still until its own ticks have passed it, and
   * what it has at or below is late. "lockstep": Milvus's rule, a pack only where all channels show the same tick.
   */
  alignment?: "watermark" | "lockstep" | undefined;
  /** Drop an insert or delete whose id is already in the pack. Default: on in lockstep, off in watermark. */
  dedupe?: boolean | undefined;
  /** Lockstep only: merge windows while a tick is more than lagMs old, up to so many bytes and milliseconds, as Milvus does. Default off. */
  pursuit?: { lagMs: number; bytes: number; timeMs: number } | undefined;
  /** Watermark only: a channel silent for so many milliseconds is left out of the watermark until it speaks. Default: never. */
  idleMs?: number | undefined;
  /**
   * Bytes read ahead and not yet covered by a watermark, over all channels. Default 256 MiB: channels that are ahead share half and pause (a stall is an event and
   * a metric); a channel that fills the other half without a tick ends the stream with `overloaded`.
   */
  alignBytes?: number | undefined;
}

/** `StreamOptions` with what was left out. */
export interface StreamSettings {
  readonly bufferPacks: number;
  readonly bufferBytes: number;
  readonly packMessages: number;
  readonly poison: "skip" | "throw";
  readonly unmarshal: UnmarshalDispatcher;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** `TtOptions` with what was left out. */
export interface TtSettings {
  readonly alignment: "watermark" | "lockstep";
  readonly dedupe: boolean;
  readonly pursuit: { readonly lagMs: number; readonly bytes: number; readonly timeMs: number } | undefined;
  /** Infinity: never. */
  readonly idleMs: number;
  readonly alignBytes: number;
}

const mebibyte = 1024 * 1024;

const streamKeys: KnownOptions<keyof StreamOptions> = {
  bufferPacks: true,
  bufferBytes: true,
  packMessages: true,
  poison: true,
  unmarshal: true,
  clock: true,
  metrics: true,
  logger: true,
};

const ttKeys: KnownOptions<keyof TtOptions> = { alignment: true, dedupe: true, pursuit: true, idleMs: true, alignBytes: true };

/** What streams are made with when nobody says anything. */
export function defaultSettings(): StreamSettings {
  return {
    bufferPacks: 16,
    bufferBytes: 64 * mebibyte,
    packMessages: 1_000,
    poison: "skip",
    unmarshal: protoUnmarshal.newUnmarshalDispatcher(),
    clock: systemClock,
    metrics: noMetrics,
    logger: silentLogger,
  };
}

/** The settings, with those that are given in place of the earlier. @throws `invalid-argument` */
export function withOptions(before: StreamSettings, options: StreamOptions): StreamSettings {
  checkOptions(options, streamKeys);
  const { bufferPacks, bufferBytes, packMessages, poison, unmarshal, clock, metrics, logger } = options;
  checkCount("bufferPacks", bufferPacks, 1);
  checkCount("bufferBytes", bufferBytes, 1);
  if (packMessages !== undefined) checkWhole("packMessages", packMessages, 1, 100_000);
  if (poison !== undefined) checkWord("poison", poison, ["skip", "throw"]);
  if (unmarshal !== undefined) checkMethods("unmarshal", unmarshal, ["unmarshal", "addMsgTemplate"]);
  if (clock !== undefined) checkMethods("clock", clock, ["nowMs", "monotonicMs", "setTimer"]);
  if (metrics !== undefined) checkMethods("metrics", metrics, ["counter", "gauge", "histogram"]);
  if (logger !== undefined) checkMethods("logger", logger, ["debug", "info", "warn", "error"]);
  // What is there already is guarded.
  const guardedLogger = logger === undefined ? before.logger : guardLogger(logger);
  return {
    bufferPacks: bufferPacks ?? before.bufferPacks,
    bufferBytes: bufferBytes ?? before.bufferBytes,
    packMessages: packMessages ?? before.packMessages,
    poison: poison ?? before.poison,
    unmarshal: unmarshal ?? before.unmarshal,
    clock: clock === undefined ? before.clock : guardClock(clock),
    metrics: metrics === undefined ? before.metrics : guardMetrics(metrics, guardedLogger),
    logger: guardedLogger,
  };
}

/** @throws `invalid-argument`, also for an option of the other alignment */
export function ttSettings(options: TtOptions): TtSettings {
  checkOptions(options, ttKeys);
  const { alignment = "watermark", dedupe, pursuit, idleMs, alignBytes } = options;
  checkWord("alignment", alignment, ["watermark", "lockstep"]);
  checkFlag("dedupe", dedupe);
  checkCount("idleMs", idleMs, 1);
  checkCount("alignBytes", alignBytes, 2);
  if (pursuit !== undefined) checkPursuit(pursuit);
  if (pursuit !== undefined && alignment !== "lockstep") throw invalid("pursuit", "left out: it is for the alignment lockstep", pursuit);
  if (idleMs !== undefined && alignment !== "watermark") throw invalid("idleMs", "left out: it is for the alignment watermark", idleMs);
  return {
    alignment,
    dedupe: dedupe ?? alignment === "lockstep",
    pursuit,
    idleMs: idleMs ?? Infinity,
    alignBytes: alignBytes ?? 256 * mebibyte,
  };
}

function checkPursuit(pursuit: { lagMs: number; bytes: number; timeMs: number }): void {
  checkParts(pursuit, { lagMs: true, bytes: true, timeMs: true }, "pursuit");
  checkWhole("pursuit.lagMs", pursuit.lagMs, 0, Number.MAX_SAFE_INTEGER);
  checkWhole("pursuit.bytes", pursuit.bytes, 0, Number.MAX_SAFE_INTEGER);
  checkWhole("pursuit.timeMs", pursuit.timeMs, 0, Number.MAX_SAFE_INTEGER);
}

function checkCount(argument: string, value: number | undefined, least: number): void {
  if (value !== undefined) checkWhole(argument, value, least, Number.MAX_SAFE_INTEGER);
}
