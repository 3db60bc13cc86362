/**
 * Reading that acknowledges: 1 KiB in batches of 1,000, the cursor written with each.
 *
 *     alone ──────────────────┐  one channel by itself
 *     c0 c1 c2 … c15 c0 c1 …  │  then sixteen, four messages of each in turn, as 64 producers would write them
 */
import type { RocksMq } from "../../rocksmq/index.js";
import { type Claim, type Setting, sized } from "../claim.js";
import { type LogHost, Rounds } from "../figure.js";
import { logHosts, openOn } from "../log-host.js";
import { fill } from "../producers.js";

const messageBytes = 1024;
const batch = 1_000;
const interleaved = Array.from({ length: 16 }, (_, at) => `c${at}`);
/** Of the sixteen, one after the other: a round by one alone would be over in a moment. */
const read = interleaved.filter((_, at) => at % 4 === 0);

/** One channel by itself, and one of sixteen. */
export const consume: Claim = {
  name: "consume",
  about: "consume 1 KiB in batches of 1,000, the cursor persisted with each",
  run: (setting) =>
    setting.scratch.use(async (dir) => {
      const alone = new Rounds("one channel by itself, messages a second", "per second", { better: "more", must: 1e6, stretch: 2.5e6 });
      const among = new Rounds("one of 16 interleaved, messages a second", "per second", { better: "more", must: 3e5, stretch: 1e6 });
      await prepare(dir, setting);
      for (let round = 1; round <= sized(setting, { quick: 1, usual: 5 }); round += 1) {
        for (const host of logHosts) await measure({ dir, host, group: `${host} ${round}`, alone, among }, setting);
      }
      return [alone.figure(), among.figure()];
    }),
};

async function prepare(dir: string, setting: Setting): Promise<void> {
  const mq = await openOn("thread", { dir });
  try {
    for (const channel of ["alone", ...interleaved]) await mq.createChannel(channel);
    const messages = sized(setting, { quick: 50_000, usual: 200_000 });
    await fill(mq, { channels: ["alone"], messages, messageBytes, batch: 100 }, setting);
    await fill(mq, { channels: interleaved, messages: messages / 20, messageBytes, batch: 4 }, setting);
  } finally {
    await mq.close();
  }
}

async function measure(
  round: { readonly dir: string; readonly host: LogHost; readonly group: string; readonly alone: Rounds; readonly among: Rounds },
  setting: Setting,
): Promise<void> {
  const { dir, host, group, alone, among } = round;
  const mq = await openOn(host, { dir });
  try {
    await mq.createConsumerGroup(group);
    alone.add(await consumeAll(mq, group, ["alone"], setting), host);
    among.add(await consumeAll(mq, group, read, setting), host);
  } finally {
    await mq.close();
  }
}

/** Messages a second, to the end of each channel. */
async function consumeAll(mq: RocksMq, group: string, channels: readonly string[], { clock, signal }: Setting): Promise<number> {
  let messages = 0;
  const startedAt = clock.monotonicMs();
  for (const channel of channels) {
    for (let got = -1; got !== 0;) {
      signal.throwIfAborted();
      got = (await mq.consume(group, channel, batch)).length;
      messages += got;
    }
  }
  return (messages * 1000) / (clock.monotonicMs() - startedAt);
}
