/**
 * All time comes through here, so that a test or a simulation can own it. A wall clock is never trusted for order.
 *
 * This is the only file that asks the system for the time or sets a timer.
 */

/** Where time comes from. */
export interface Clock {
  /** Milliseconds since 1970. May jump, both ways. */
  nowMs(): number;
  /** Milliseconds since some moment in the past, with fractions. Never goes back. */
  monotonicMs(): number;
  /** Calls `f` once after `ms`; the returned function cancels. `keepAlive` (default false) holds the process, as a caller's wait must. */
  setTimer(ms: number, f: () => void, options?: { keepAlive?: boolean | undefined }): () => void;
}

/** The longest delay that the system's timer takes; a longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/** The system's clocks and timers. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer: (ms, f, options = {}) => {
    const keepAlive = options.keepAlive ?? false;
    let cancel: () => void;
    const wait = (leftMs: number): void => {
      const delayMs = Math.min(leftMs, longestDelayMs);
      const timer = setTimeout(() => (leftMs > delayMs ? wait(leftMs - delayMs) : f()), delayMs);
      if (!keepAlive) timer.unref();
      cancel = () => clearTimeout(timer);
    };
    wait(ms);
    return () => cancel();
  },
};
