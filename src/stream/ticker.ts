/**
 * Writes the time ticks of channels: what says to time-tick streams that they have seen everything up to a time.
 */
import { checkMethods, checkOptions, checkWhole, invalid } from "../base/arguments.js";
import { type Clock, systemClock } from "../base/clock.js";
import type { Closable } from "../base/closable.js";
import { closeAfter } from "../base/close-all.js";
import { guardClock } from "../base/guarded-hooks.js";
import { checkChannelName } from "../backend/index.js";
import { type TimeTick, tsMsg } from "../message/index.js";
import type { MsgStream, MsgStreamFactory } from "./door.js";
import { ChannelActivity, channelActivity } from "./ticker-activity.js";
import { type TickOutlet, TickerRounds } from "./ticker-rounds.js";

/** What a ticker is opened with. */
export interface TickerOptions {
  /** Of the streams that write to the channels and read them. */
  factory: MsgStreamFactory;
  /** One ticker a channel, over all processes. Missing ones are created. */
  channels: readonly string[];
  /** A timestamp above all that were given before the call, to anybody: an oracle's `allocate`. */
  now: () => Promise<TimeTick>;
  /** Milliseconds between rounds. Default 200. */
  intervalMs?: number | undefined;
  clock?: Clock | undefined;
}

/** Keeps the one promise of its channels: after a tick T nothing at or below T. */
export interface Ticker extends Closable {
  /**
   * A timestamp for something that is going to be written to the channel. Ticks stay below it until `done` is called, which is due once it is durable, or sure
   * never to be.
   *
   * @throws `invalid-argument` for a channel that is not the ticker's, and when `now` goes back; `closed`; what ended the ticker's rounds
   *
   * @example
   * ```ts
   * const { timestamp, done } = await ticker.begin("airport-jfk");
   * try {
   *   await stream.produce({ msgs: [tsMsg({ type: "user", timestamp, hashKeys: [0], payload })] });
   * } finally {
   *   done();
   * }
   * ```
   */
  begin(channel: string): Promise<{ timestamp: TimeTick; done(): void }>;
  /**
   * Writes ticks now, to each channel that had data, or has had a reader in this process, since its last: the least open `begin` - 1, else a fresh timestamp.
   * Resolves once they are durable, with those that were written.
   *
   * @throws `closed`; whatever a channel refuses or fails with
   */
  tick(): Promise<Map<string, TimeTick>>;
}

/**
 * Opens a ticker, which from then on writes ticks every `intervalMs`. It owes a `close()`.
 *
 * A round that fails with the advice to back off is made up for by the next one. Any other failure ends the rounds, and is thrown by what is called next.
 *
 * @throws `invalid-argument`; whatever `asProducer` throws
 */
export async function openTicker(options: TickerOptions): Promise<Ticker> {
  const { factory, channels, now, intervalMs = 200, clock = systemClock } = checkedOptions(options);
  const activity = activityOf(factory);
  const stream = await factory.newMsgStream();
  try {
    await stream.asProducer(channels);
    const held = await Promise.all(channels.map(async (channel) => [channel, await holdsSomething(stream, channel)] as const));
    const outlet = new StreamOutlet(stream, channels, activity);
    return new OpenTicker(new TickerRounds({ outlet, channels: new Map(held), now, intervalMs, clock: guardClock(clock) }));
  } catch (error) {
    return closeAfter(error, () => stream.close());
  }
}

/** Whose last record may be data: nobody knows what was in flight when an earlier ticker ended. */
async function holdsSomething(stream: MsgStream, channel: string): Promise<boolean> {
  return (await stream.latestMessageId(channel)) !== undefined;
}

class OpenTicker implements Ticker {
  readonly #rounds: TickerRounds;

  constructor(rounds: TickerRounds) {
    this.#rounds = rounds;
  }

  begin(channel: string): Promise<{ timestamp: TimeTick; done(): void }> {
    return this.#rounds.begin(channel);
  }

  tick(): Promise<Map<string, TimeTick>> {
    return this.#rounds.tick();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The producer side of a stream: a tick's hash key is the place of its channel. */
class StreamOutlet implements TickOutlet {
  readonly #stream: MsgStream;
  readonly #places: ReadonlyMap<string, number>;
  readonly #activity: ChannelActivity;

  constructor(stream: MsgStream, channels: readonly string[], activity: ChannelActivity) {
    this.#stream = stream;
    this.#places = new Map(channels.map((channel, place) => [channel, place]));
    this.#activity = activity;
  }

  async write(ticks: ReadonlyMap<string, TimeTick>): Promise<void> {
    const msgs = [...ticks].map(([channel, timestamp]) => {
      return tsMsg({ type: "timeTick", timestamp, hashKeys: [this.#places.get(channel) ?? 0] });
    });
    await this.#stream.produce({ msgs });
  }

  takeActive(channel: string): boolean {
    return this.#activity.takeActive(channel);
  }

  close(): Promise<void> {
    return this.#stream.close();
  }
}

function checkedOptions(options: TickerOptions): TickerOptions {
  checkOptions(options, { factory: true, channels: true, now: true, intervalMs: true, clock: true });
  const { channels, now, intervalMs, clock } = options;
  if (!Array.isArray(channels) || channels.length === 0) throw invalid("channels", "an array of at least one name", channels);
  for (const [at, channel] of channels.entries()) checkChannelName(`channels[${at}]`, channel);
  if (new Set(channels).size < channels.length) throw invalid("channels", "names that are all different", channels);
  if (typeof now !== "function") throw invalid("now", "a function that gives a timestamp", now);
  if (intervalMs !== undefined) checkWhole("intervalMs", intervalMs, 1, Number.MAX_SAFE_INTEGER);
  if (clock !== undefined) checkMethods("clock", clock, ["setTimer"]);
  return options;
}

/** @throws `invalid-argument` for a factory that is not ours */
function activityOf(factory: MsgStreamFactory): ChannelActivity {
  const activity: unknown = Reflect.get(factory, channelActivity);
  if (activity instanceof ChannelActivity) return activity;
  throw invalid("factory", "a factory of message streams that this package made", factory);
}
