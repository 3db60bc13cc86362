import type { Clock } from "../base/clock.js";
import { isTidemarkError } from "../base/errors.js";
import type { LogReader, LogRecord } from "../backend/index.js";

const pauseMs = 200;

/** The reader's next records; asked again, after a pause, for as long as it fails with the advice to come back. Undefined once it, or the signal, has ended. */
export async function retried(reader: LogReader, clock: Clock, signal: AbortSignal): Promise<readonly LogRecord[] | undefined> {
  while (!signal.aborted) {
    try {
      return await reader.next();
    } catch (error) {
      if (!isTidemarkError(error) || error.retry !== "backoff") throw error;
      await pause(clock, signal);
    }
  }
  return undefined;
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.setTimer(pauseMs, end, { keepAlive: true });
    signal.addEventListener("abort", end, { once: true });
  });
}
