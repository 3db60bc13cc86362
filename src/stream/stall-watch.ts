/**
 * Says when no pack comes because some channels give no tick, and when one comes again.
 *
 *     flowing ── bytes wait, no pack for 2 s, or the others are full ──▶ stalled ── a pack ──▶ flowing
 */
import type { Clock } from "../base/clock.js";

/** What holds a stream up. */
export interface Stall {
  readonly channels: readonly string[];
  /** When the last pack came, or the wait began; by the wall clock. */
  readonly sinceMs: number;
  readonly bufferedBytes: number;
}

/** The channels that are waited for, and what waits; "reading" while their logs are being read; undefined when nothing waits, or nobody takes packs. */
export type Waiting = Omit<Stall, "sinceMs"> | "reading" | undefined;

/** What a watch asks and tells. */
export interface StallListener {
  waiting(): Waiting;
  stalled(stall: Stall): void;
  resumed(): void;
}

/** Ten times the usual interval of ticks. */
const patienceMs = 2_000;
/** Long enough for a look at a log that is slow: those who are waited for may be on their way. */
const briefMs = 50;

/** Watches one reading of a stream. */
export class StallWatch {
  readonly #clock: Clock;
  readonly #listener: StallListener;
  #sinceMs: number;
  #since: number;
  /** Nothing waits. */
  #resting = false;
  #isStalled = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, listener: StallListener) {
    this.#clock = clock;
    this.#listener = listener;
    this.#sinceMs = clock.nowMs();
    this.#since = clock.monotonicMs();
  }

  /** A pack came. */
  progress(): void {
    this.#beginWait();
    if (!this.#isStalled) return;
    this.#isStalled = false;
    this.#listener.resumed();
  }

  /** Nothing waits for a tick: what comes next begins its wait then. */
  rest(): void {
    this.#resting = true;
  }

  /** Something waits for a tick. `full`: those who are ahead can't be read any further. */
  look(full: boolean): void {
    if (this.#resting) this.#beginWait();
    if (this.#isStalled || (this.#cancel !== undefined && !full)) return;
    this.#cancel?.();
    this.#arm(full ? briefMs : Math.max(0, this.#since + patienceMs - this.#clock.monotonicMs()), full);
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #beginWait(): void {
    this.#resting = false;
    this.#sinceMs = this.#clock.nowMs();
    this.#since = this.#clock.monotonicMs();
  }

  #arm(leftMs: number, full: boolean): void {
    this.#cancel = this.#clock.setTimer(leftMs, () => {
      this.#cancel = undefined;
      this.#check(full);
    });
  }

  #check(full: boolean): void {
    const waiting = this.#listener.waiting();
    if (waiting === undefined) return;
    // A log that turns out to have nothing more tells nobody. By then those who are ahead may not be full any more.
    if (waiting === "reading") return this.#arm(briefMs, false);
    if (!full && this.#clock.monotonicMs() - this.#since < patienceMs) return this.look(false);
    this.#isStalled = true;
    this.#listener.stalled({ ...waiting, sinceMs: this.#sinceMs });
  }
}
