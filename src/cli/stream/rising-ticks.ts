/**
 * The timestamps of one run: by the clock, and above all that the channels hold already, also when the clock has gone back since.
 *
 * The last record of a channel tells enough: it is a tick, or it is above the last tick.
 */
import type { Clock } from "../../base/clock.js";
import { isTidemarkError } from "../../base/errors.js";
import { maxTick, protoUnmarshal, type TimeTick, timeTick, timeTickFrom, unmarshalRecord } from "../../message/index.js";
import type { ConsumerMessage, RocksMq } from "../../rocksmq/index.js";

/** Gives each timestamp once, rising. */
export class RisingTicks {
  readonly #clock: Clock;
  #last: TimeTick;

  constructor(clock: Clock, floor: TimeTick) {
    this.#clock = clock;
    this.#last = floor;
  }

  next(): TimeTick {
    this.#last = maxTick(timeTick(this.#clock.nowMs()), timeTickFrom(this.#last + 1n));
    return this.#last;
  }
}

/** The greatest timestamp that stands at the end of a channel; 0n when all are empty. */
export async function latestTick(mq: RocksMq, channels: readonly string[]): Promise<TimeTick> {
  const ticks = await Promise.all(channels.map((channel) => tickAtEnd(mq, channel)));
  return maxTick(timeTickFrom(0n), ...ticks);
}

async function tickAtEnd(mq: RocksMq, channel: string): Promise<TimeTick> {
  const from = await mq.latestId(channel);
  if (from === undefined) return timeTickFrom(0n);
  for await (const [record] of mq.read(channel, { from, limit: 1 })) if (record !== undefined) return tickOf(record);
  return timeTickFrom(0n);
}

/** What is no message of a stream has only the time at which it was stored. */
function tickOf(record: ConsumerMessage): TimeTick {
  try {
    return unmarshalRecord(record, protoUnmarshal.newUnmarshalDispatcher()).endTs;
  } catch (error) {
    if (!isTidemarkError(error)) throw error;
    return timeTick(record.timeMs);
  }
}
