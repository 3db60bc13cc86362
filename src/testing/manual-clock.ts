/**
 * A clock for tests: time stands still until told.
 *
 *     advance(30)      now ──▶ 10 fire, turn ──▶ 25 fire, turn ──▶ 30
 *
 * Timers fire in the order of their time, those of one time in the order they were set; one that is set meanwhile and is due fires too.
 */
import { invalid } from "../base/arguments.js";
import type { Clock } from "../base/clock.js";

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** A `Clock` that a test moves by hand. */
export class ManualClock implements Clock {
  #wallMs: number;
  /** Only `advance` moves it. */
  #monotonicMs = 0;
  /** In the order they were set. */
  readonly #timers = new Set<Timer>();

  /** @param nowMs Unix milliseconds. Default 1,700,000,000,000 (14 November 2023). */
  constructor(nowMs = 1_700_000_000_000) {
    checkFinite("nowMs", nowMs);
    this.#wallMs = nowMs;
  }

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** `keepAlive` means nothing here: this clock holds no process. */
  setTimer(ms: number, f: () => void, _options?: { keepAlive?: boolean | undefined }): () => void {
    const timer = { dueMs: this.#monotonicMs + Math.max(0, ms), fire: f };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /**
   * Moves both clocks by `ms` and fires what comes due, one timer at a time, one turn of the event loop after each. Work on a disk or in a
   * worker may still be under way when it resolves: await its event.
   *
   * @param ms nothing for less than 0: time never goes back, and `setNowMs` is there for the wall clock
   */
  async advance(ms: number): Promise<void> {
    checkFinite("ms", ms);
    const untilMs = this.#monotonicMs + ms;
    for (let timer = this.#firstDue(untilMs); timer !== undefined; timer = this.#firstDue(untilMs)) {
      this.#move(Math.max(0, timer.dueMs - this.#monotonicMs));
      this.#timers.delete(timer);
      timer.fire();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#move(Math.max(0, untilMs - this.#monotonicMs));
  }

  /** The wall clock jumps, back too; timers and monotonic time know nothing of it. */
  setNowMs(ms: number): void {
    checkFinite("ms", ms);
    this.#wallMs = ms;
  }

  #firstDue(untilMs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (timer.dueMs <= untilMs && (first === undefined || timer.dueMs < first.dueMs)) first = timer;
    return first;
  }

  #move(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }
}

/** A clock that has become NaN fires nothing any more, and says nothing of it. */
function checkFinite(argument: string, value: unknown): void {
  if (typeof value !== "number" || !Number.isFinite(value)) throw invalid(argument, "a finite number of milliseconds", value);
}
