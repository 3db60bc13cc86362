/**
 * What a caller may give that throws, each time it is called.
 */
import { type Clock, systemClock } from "../../src/base/clock.js";
import type { Logger } from "../../src/base/logger.js";
import type { Metrics } from "../../src/base/metrics.js";

interface Hooks {
  readonly metrics?: Metrics;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** Throws. */
export function fail(): never {
  throw new Error("the hook is broken");
}

const broken = { add: fail, set: fail, observe: fail };

const unmade: Metrics = { counter: fail, gauge: fail, histogram: fail };
const made: Metrics = { counter: () => broken, gauge: () => broken, histogram: () => broken };
const logger: Logger = { debug: fail, info: fail, warn: fail, error: fail };
const noTime: Clock = { ...systemClock, nowMs: () => Number.NaN, monotonicMs: () => Number.NaN };

/** A clock that throws. */
export const noClock: Clock = { nowMs: fail, monotonicMs: fail, setTimer: fail };

/** What is called back, broken in each way there is: in words, and as options. */
export const brokenHooks: readonly [name: string, hooks: Hooks][] = [
  ["metrics that can't be made", { metrics: unmade }],
  ["metrics that throw", { metrics: made }],
  ["a logger that throws", { logger }],
  ["metrics and a logger that throw", { metrics: made, logger }],
  ["a clock that throws", { clock: noClock }],
  ["a clock that knows no time", { clock: noTime }],
];
