/**
 * A process that opens the store for reading again and again, looks at everything, and closes it; until its input ends. `live.ts` bundles it.
 *
 *     <door> <dir>
 */
import type * as rocksmq from "../../../src/rocksmq/index.js";
import { read } from "./live-message.js";

const [door = "", dir = ""] = process.argv.slice(2);
const { isTidemarkError, openRocksMq } = (await import(/* @vite-ignore */ door)) as typeof rocksmq;
let isOver = false;
process.stdin.on("data", () => {
  isOver = true;
  process.stdin.destroy();
});
let browsings = 0;
for (; !isOver || browsings === 0; browsings++) await browse();
console.log(browsings);

async function browse(): Promise<void> {
  const mq = await openRocksMq({ dir, readOnly: true });
  for (const channel of await mq.channels()) await unlessGone(() => look(mq, channel));
  await mq.close();
}

async function look(mq: rocksmq.RocksMq, channel: string): Promise<void> {
  const { beginId, endId, messages } = await mq.describeChannel(channel);
  if (endId - beginId < messages) throw new Error(`${channel} has ${messages} messages in [${beginId}, ${endId})`);
  await mq.latestId(channel);
  await mq.idAt(channel, 0);
  let last: number | undefined;
  for await (const batch of mq.read(channel, { from: "earliest", batch: 100 })) {
    for (const { number } of batch.map(({ payload }) => read(payload))) {
      if (last !== undefined && number !== last + 1) throw new Error(`${channel}: ${number} behind ${last}`);
      last = number;
    }
  }
}

/** What is trimmed or destroyed under a look is told so. */
async function unlessGone(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!isTidemarkError(error, "position-trimmed") && !isTidemarkError(error, "channel-not-found")) throw error;
  }
}
