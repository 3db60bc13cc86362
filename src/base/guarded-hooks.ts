/**
 * What a caller gives us to call back, made harmless: a hook that throws must not stop the log, nor leave anybody waiting.
 *
 *     metrics, logger     what they throw is dropped; the first time the logger is told
 *     clock               where it throws, or gives no number, the system's takes its place
 */
import { type Clock, systemClock } from "./clock.js";
import { type Logger, silentLogger } from "./logger.js";
import { type Metrics, noMetrics } from "./metrics.js";

/** A logger that never throws. */
export function guardLogger(logger: Logger): Logger {
  if (logger === silentLogger) return logger;
  const guarded =
    (level: keyof Logger) =>
    (fields: object, text: string): void => {
      // There is nobody to tell where it throws.
      attempt(
        () => logger[level](fields, text),
        () => undefined,
      );
    };
  return { debug: guarded("debug"), info: guarded("info"), warn: guarded("warn"), error: guarded("error") };
}

/** Metrics that never throw. One that can't be made counts nothing. @param logger one that never throws */
export function guardMetrics(metrics: Metrics, logger: Logger): Metrics {
  if (metrics === noMetrics) return metrics;
  const orTell = onceTold(logger);
  return {
    counter: (name, help, labels) => {
      const made = orTell(name, () => metrics.counter(name, help, labels));
      return { add: (n, values) => orTell(name, () => made?.add(n, values)) };
    },
    gauge: (name, help, labels) => {
      const made = orTell(name, () => metrics.gauge(name, help, labels));
      return { set: (n, values) => orTell(name, () => made?.set(n, values)) };
    },
    histogram: (name, help, labels) => {
      const made = orTell(name, () => metrics.histogram(name, help, labels));
      return { observe: (n, values) => orTell(name, () => made?.observe(n, values)) };
    },
  };
}

/** A clock that always has a time, and whose timers always fire. */
export function guardClock(clock: Clock): Clock {
  return clock === systemClock ? clock : new GuardedClock(clock);
}

/** Runs what may throw; tells of the first time that something of a name does. */
function onceTold(logger: Logger): <T>(name: string, run: () => T) => T | undefined {
  const told = new Set<string>();
  return (name, run) =>
    attempt<ReturnType<typeof run> | undefined>(run, (error) => {
      if (!told.has(name)) logger.warn({ err: error, metric: name }, "a metric throws, and may be wrong from now on");
      told.add(name);
      return undefined;
    });
}

class GuardedClock implements Clock {
  readonly #clock: Clock;
  /** Of `monotonicMs`; never goes down. */
  #lastMs = Number.NEGATIVE_INFINITY;
  /** How far the monotonic time of the one that was given was ahead of the system's, when the system's took its place. */
  #aheadMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return reading(() => this.#clock.nowMs()) ?? systemClock.nowMs();
  }

  monotonicMs(): number {
    this.#lastMs = Math.max(this.#lastMs, reading(() => this.#clock.monotonicMs()) ?? this.#insteadMs());
    return this.#lastMs;
  }

  /** Fires at most once, and never once it is cancelled, whatever the clock makes of either. */
  setTimer(ms: number, f: () => void, options?: { keepAlive?: boolean | undefined }): () => void {
    let isDue = true;
    const fire = (): void => {
      if (!isDue) return;
      isDue = false;
      f();
    };
    const cancel = this.#start(ms, fire, options);
    return () => {
      isDue = false;
      // Where it can't be cancelled it fires, to no effect.
      attempt(cancel, () => undefined);
    };
  }

  #start(ms: number, fire: () => void, options: { keepAlive?: boolean | undefined } | undefined): () => void {
    return attempt(
      () => this.#clock.setTimer(ms, fire, options),
      () => systemClock.setTimer(ms, fire, options),
    );
  }

  #insteadMs(): number {
    const systemMs = systemClock.monotonicMs();
    this.#aheadMs ??= Math.max(this.#lastMs, systemMs) - systemMs;
    return systemMs + this.#aheadMs;
  }
}

function reading(read: () => number): number | undefined {
  const ms = attempt(read, () => Number.NaN);
  return Number.isFinite(ms) ? ms : undefined;
}

/** What `run` gives, or where it throws what `otherwise` does. */
function attempt<T>(run: () => T, otherwise: (error: unknown) => T): T {
  try {
    return run();
  } catch (error) {
    return otherwise(error);
  }
}
