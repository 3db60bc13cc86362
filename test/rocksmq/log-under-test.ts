/**
 * A back-end over a queue, as the laws of the port want it; whichever engine and disk the queue is on.
 */
import type { LogUnderTest } from "../../src/backend/conformance/index.js";
import { RocksMqBackend } from "../../src/backend/rocksmq/rocksmq-backend.js";
import { int64MessageId, int64Of } from "../../src/message/index.js";
import { openRocksMq, type RocksMq, type RocksMqOptions } from "../../src/rocksmq/index.js";
import { ManualClock } from "../../src/testing/index.js";

interface Extras {
  /** Leaves out ids in the channel of that name. Default: nothing is done. */
  readonly leaveGap?: (mq: RocksMq, channel: string) => Promise<void>;
  /** Once the queue is closed. */
  readonly clean?: () => void | Promise<void>;
}

/** Opens the queue, on a clock that stands still. */
export async function rocksMqLog(options: RocksMqOptions, { leaveGap, clean }: Extras): Promise<LogUnderTest> {
  const clock = new ManualClock();
  const open = () => openRocksMq({ ...options, clock });
  let mq = await open();
  return {
    backend: new RocksMqBackend(mq),
    another: async () => new RocksMqBackend(mq),
    reopen: async () => {
      await mq.close();
      mq = await open();
      return new RocksMqBackend(mq);
    },
    nameOf: (label) => label,
    farBehind: (id) => int64MessageId("rocksmq", int64Of(id) + 1_000n),
    leaveGap: async (label) => leaveGap?.(mq, label),
    passTime: (ms) => clock.advance(ms),
    end: async () => {
      await mq.close();
      await clean?.();
    },
  };
}
