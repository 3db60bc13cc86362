/**
 * A place of a consumer in one channel, and readers that are opened there.
 */
import type { Clock } from "../base/clock.js";
import { closeAfter, closeTogether } from "../base/close-all.js";
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import type { LogBackend, LogReader, LogReaderOptions, ReadStart } from "../backend/index.js";
import type { MsgPosition } from "../message/index.js";

/** Where reading a channel begins, so that exactly what was not handed over comes. */
export interface PlaceInChannel {
  readonly start: ReadStart;
  /** The same as a checkpoint. */
  readonly position: MsgPosition;
}

/** A channel's reader, standing at its place. */
export interface PlacedReader {
  readonly place: PlaceInChannel;
  readonly reader: LogReader;
}

/** How readers are opened. */
export interface OpenOptions extends LogReaderOptions {
  readonly clock: Clock;
  /** How long to wait for places that their channels have not reached. Undefined: not at all. */
  readonly timeoutMs?: number | undefined;
}

/** Opens a reader at each place: all, or none and the error of the first that could not be. */
export async function openReaders(backend: LogBackend, places: readonly PlaceInChannel[], options: OpenOptions): Promise<PlacedReader[]> {
  const { clock, timeoutMs, signal, ...bounds } = options;
  const patience = new Patience(clock, timeoutMs, signal);
  const open = (place: PlaceInChannel): Promise<LogReader> => openReader(backend, place, bounds, patience);
  try {
    const outcomes = await Promise.allSettled(places.map(async (place) => ({ place, reader: await open(place) })));
    const opened = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed === undefined && signal?.aborted !== true) return opened;
    const reason: unknown = signal?.aborted === true ? signal.reason : failed?.reason;
    return await closeAfter(reason, () => closeTogether(opened.map(({ reader }) => reader)));
  } finally {
    patience.end();
  }
}

async function openReader(backend: LogBackend, place: PlaceInChannel, bounds: LogReaderOptions, patience: Patience): Promise<LogReader> {
  const channel = place.position.channelName;
  for (;;) {
    try {
      return await backend.openReader(channel, place.start, bounds);
    } catch (error) {
      if (!patience.waits || !isTidemarkError(error, "position-ahead")) throw error;
    }
    await waitForMore(backend, place, bounds, patience);
  }
}

/** Resolves when the channel has got something, or the place has come into being. @throws `timeout`; `signal.reason` */
async function waitForMore(backend: LogBackend, place: PlaceInChannel, bounds: LogReaderOptions, patience: Patience): Promise<void> {
  const channel = place.position.channelName;
  const watch = await backend.openReader(channel, "latest", { maxRecords: 1 });
  try {
    // Something may have come before the watch stood.
    const before = await backend.openReader(channel, place.start, bounds).catch(() => undefined);
    if (before !== undefined) await before.close();
    else await watch.next({ signal: patience.signal });
  } catch (error) {
    throw patience.isOver ? timeoutError(channel) : error;
  } finally {
    await watch.close();
  }
}

/** A time that some are willing to wait, or a caller's signal. */
class Patience {
  readonly waits: boolean;
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #cancel: () => void = () => undefined;

  constructor(clock: Clock, timeoutMs: number | undefined, signal: AbortSignal | undefined) {
    this.waits = timeoutMs !== undefined;
    this.signal = signal === undefined ? this.#over.signal : AbortSignal.any([signal, this.#over.signal]);
    if (timeoutMs !== undefined) this.#cancel = clock.setTimer(timeoutMs, () => this.#over.abort(), { keepAlive: true });
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  end(): void {
    this.#cancel();
  }
}

function timeoutError(channel: string): TidemarkError<"timeout"> {
  return new TidemarkError("timeout", `channel ${JSON.stringify(channel)} did not reach the position in time: the stream is where it was`, {
    channel,
  });
}
