import type { Clock } from "../base/clock.js";

/** No clock has trouble with a day. What a system's timer can't count (more than 24.8 of them) would go off at once. */
const dayMs = 24 * 3_600_000;

/** Calls `f` once after `ms`, which may be Infinity. Unless told otherwise it holds the process until then, or until the returned function cancels it. */
export function setLongTimer(clock: Clock, ms: number, f: () => void, keepAlive = true): () => void {
  let cancel: () => void;
  const wait = (leftMs: number): void => {
    const next = leftMs > dayMs ? (): void => wait(leftMs - dayMs) : f;
    cancel = clock.setTimer(Math.min(leftMs, dayMs), next, { keepAlive });
  };
  wait(ms);
  return () => cancel();
}
