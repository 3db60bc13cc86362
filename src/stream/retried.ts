import type { Clock } from "../base/clock.js";
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import type { LogReader, LogRecord } from "../backend/index.js";

const pauseMs = 200;

/**
 * The reader's next records; asked again, after a pause, for as long as it fails with the advice to come back. Undefined once the signal has ended it.
 *
 * @param asking called before each time that it is asked
 * @throws what it fails with; `closed` when somebody else has closed it: what the channels are in has gone, and nothing will ever come
 */
export async function retried(
  reader: LogReader,
  clock: Clock,
  signal: AbortSignal,
  asking: () => void = () => undefined,
): Promise<readonly LogRecord[] | undefined> {
  while (!signal.aborted) {
    try {
      asking();
      const records = await reader.next();
      if (records === undefined && !signal.aborted) throw closedUnderneath();
      return records;
    } catch (error) {
      if (!isTidemarkError(error) || error.retry !== "backoff") throw error;
      await pause(clock, signal);
    }
  }
  return undefined;
}

function closedUnderneath(): TidemarkError<"closed"> {
  return new TidemarkError("closed", "what the stream reads from was closed under it: open that again, and another stream", {});
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.setTimer(pauseMs, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
