/**
 * Sends megabytes through sixteen channels, written and read at the same time.
 *
 *     <folder> <megabytes>        bare <bytes> · peak <bytes>
 */
import { residentBytes } from "../kernel-figures.js";
import { openOn } from "../log-host.js";
import { endWithParent } from "../program.js";

const messageBytes = 1024;
const producersEach = 4;

endWithParent();
const [dir = "", megabytes = "0"] = process.argv.slice(2);
const channels = Array.from({ length: 16 }, (_, at) => `c${at}`);
const messagesEach = Math.ceil((Number(megabytes) * 1e6) / messageBytes / channels.length / producersEach) * producersEach;

console.log(`bare ${(await residentBytes()).peak}`);
const mq = await openOn("thread", { dir });
await mq.createConsumerGroup("g");
for (const channel of channels) await mq.createChannel(channel);
await Promise.all(channels.flatMap((channel) => [consume(channel), ...Array.from({ length: producersEach }, () => produce(channel))]));
console.log(`peak ${(await residentBytes()).peak}`);
await mq.close();
process.exit();

async function produce(channel: string): Promise<void> {
  // Not one after the other a new one: what the producer itself leaves to be collected is not our subject.
  const messages = [{ payload: Buffer.alloc(messageBytes, 97) }];
  for (let sent = 0; sent < messagesEach / producersEach; sent += 1) await mq.produce(channel, messages);
}

async function consume(channel: string): Promise<void> {
  for (let got = 0; got < messagesEach;) got += (await mq.consume("g", channel, 1_000, { waitMs: 1_000 })).length;
}
