/**
 * A program of its own: the writer that the torture test kills. It opens the queue, and produces, consumes, trims, makes and destroys until it dies.
 * What it is told it says on stdout, as soon as it knows, and what it is about to ask for where the answer may never come:
 *
 *     node writer.js <folder> <round>
 *     open 4096                          recovered, and dropped so many bytes; "open -" after a clean close
 *     acked north 2 340 4704… 8 400      producer 2's batch 340: from this id on, 8 messages of 400 bytes
 *     consumed north 4704…               up to this id
 *     trimming north 4704… · trimmed north 4704…
 *     making · made · destroying · destroyed
 *
 * It never ends by itself. When nobody reads its stdout any more, the write fails and it is gone.
 */
import { randomInt } from "node:crypto";
import { writeSync } from "node:fs";
import type { RocksMq } from "../../rocksmq/index.js";
import { payloadOf } from "./message.js";
import { channels, comingAndGoing, droppedAtOpen, group, openTortured } from "./torture-queue.js";

const producers = 3;
/** Read at a time; more than the producers bring in the same time. */
const most = 500;

// A blocking write: it must be in the pipe before anything else happens here.
const say = (...words: readonly (string | number | bigint)[]): unknown => writeSync(1, `${words.join(" ")}\n`);

async function produce(mq: RocksMq, channel: string, round: number, producer: number): Promise<never> {
  for (let batch = 0; ; batch++) {
    const of = randomInt(1, 9);
    const bytes = randomInt(20) === 0 ? 8000 : randomInt(50, 600);
    const messages = Array.from({ length: of }, (_, at) => ({ payload: payloadOf({ channel, round, producer, batch, at, of, bytes }) }));
    const { firstId } = await mq.produce(channel, messages);
    say("acked", channel, producer, batch, firstId, of, bytes);
  }
}

async function consume(mq: RocksMq, channel: string): Promise<never> {
  for (let n = 1; ; n++) {
    const messages = await mq.consume(group, channel, most, { waitMs: 1000 });
    const last = messages.at(-1);
    if (last === undefined) continue;
    say("consumed", channel, last.id);
    if (n % 10 !== 0) continue;
    say("trimming", channel, last.id);
    await mq.trim(channel, last.id);
    say("trimmed", channel, last.id);
  }
}

async function comeAndGo(mq: RocksMq): Promise<never> {
  for (;;) {
    say("making");
    await mq.createChannel(comingAndGoing, { ifNotExists: true });
    say("made");
    for (let n = 0; n < 20; n++) await mq.produce(comingAndGoing, [{ payload: new Uint8Array(100) }]);
    say("destroying");
    await mq.destroyChannel(comingAndGoing);
    say("destroyed");
  }
}

const [folder = "", round = ""] = process.argv.slice(2);
const mq = await openTortured(folder);
say("open", (await droppedAtOpen(mq)) ?? "-");
await mq.createConsumerGroup(group, { ifNotExists: true });
for (const channel of channels) await mq.createChannel(channel, { ifNotExists: true });
await Promise.all([
  ...channels.flatMap((channel) => Array.from({ length: producers }, (_, producer) => produce(mq, channel, Number(round), producer))),
  ...channels.map((channel) => consume(mq, channel)),
  comeAndGo(mq),
]);
