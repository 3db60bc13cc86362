/**
 * A process that writes as fast as it can until it is killed, and says on stdout what it was told is safe. `kill-rounds.ts` bundles it.
 *
 *     <dir> <round> <seed> <host> <prefill> <space> [turns]      turns: kills itself so many turns of the event loop after it began to open
 *
 * With <space> "kept" channels have a retention and hold back what is unread, one is destroyed and made again all the time, and time passes faster,
 * so that segments are compacted.
 *
 *     opening · open · acked <channel> <batch> <first id> <count> · trimming <channel> <id> · trimmed <channel> <id> · consumed <channel> <id>
 */
import { writeSync } from "node:fs";
import { type Clock, systemClock } from "../../src/base/clock.js";
import { openOn } from "../../src/bench/log-host.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";

const [dir = "", round = "", seed = "", host = "", prefill = "", space = "", turns] = process.argv.slice(2);
/** What is filled ahead is filled only under a load that lasts. A life is short: it has large messages, and its seconds pass five times as fast. */
const isFilled = prefill === "auto";
const isKept = space === "kept";
const pace = isKept ? 20 : isFilled ? 5 : 1;
const clock: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs() * pace,
  setTimer: (ms, f, options) => systemClock.setTimer(isKept ? ms / pace : ms, f, options),
};
const random = new SeededRandom(Number(seed));
const say = (text: string): number => writeSync(1, `${text}\n`);
const channels = ["a", "b", "c"];

if (turns !== undefined) killAfter(Number(turns));
say("opening");
// What is written survives a killed process, synced or not.
const durability = Number(round) % 2 === 0 ? "os" : "sync";
const mq = await openOn(host === "inline" ? "inline" : "thread", {
  dir,
  durability,
  segmentBytes: (isFilled ? 512 : 48) * 1024,
  prefill: isFilled ? "auto" : "off",
  clock,
  // The queue's own: whoever compares opens it without, and nothing goes meanwhile.
  ...(isKept ? { retention: { bytes: 30_000 } } : {}),
});
await mq.createConsumerGroup("group", { ifNotExists: true });
for (const channel of channels) await mq.createChannel(channel, { ifNotExists: true });
if (isKept) void tellWhatIsCompacted();
say("open");
await Promise.all([
  ...channels.flatMap((channel) => [1, 2, 3].map((producer) => produce(channel, producer))),
  ...channels.map((channel) => consume(channel)),
  ...(isKept ? [comeAndGo()] : []),
]);

async function produce(channel: string, producer: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const batch = `${round}.${producer}.${n}`;
    const count = 1 + random.below(4);
    const size = isFilled ? random.below(30_000) : random.below(10) === 0 ? 5000 : random.below(300);
    const messages = Array.from({ length: count }, (_, index) => ({ payload: payloadOf(`${batch} ${index}/${count} ${size}`) }));
    const { firstId } = await mq.produce(channel, messages);
    say(`acked ${channel} ${batch} ${firstId} ${count} ${size}`);
  }
}

async function consume(channel: string): Promise<never> {
  for (let n = 1; ; n += 1) {
    const messages = await mq.consume("group", channel, 1 + random.below(20), { waitMs: 1000 });
    const last = messages.at(-1);
    if (last === undefined) continue;
    say(`consumed ${channel} ${last.id}`);
    // What retention takes nobody asks for: anything up to the cursor.
    if (isKept || n % 4 !== 0) continue;
    say(`trimming ${channel} ${last.id}`);
    await mq.trim(channel, last.id);
    say(`trimmed ${channel} ${last.id}`);
  }
}

/** Fills segments with what goes at once, so that little is left in them. */
async function comeAndGo(): Promise<never> {
  for (;;) {
    await mq.createChannel("gone", { ifNotExists: true });
    for (let n = 0; n < 4; n += 1) await mq.produce("gone", [{ payload: new Uint8Array(8000) }]);
    await mq.destroyChannel("gone");
  }
}

async function tellWhatIsCompacted(): Promise<void> {
  for await (const event of mq.events()) if (event.type === "compacted") say(`compacted ${event.segments}`);
}

/** The label says the size: the reader can tell every byte that should be there. */
function payloadOf(label: string): Buffer {
  return Buffer.from(label.padEnd(Number(label.split(" ").at(-1)), "."));
}

function killAfter(left: number): void {
  if (left === 0) process.kill(process.pid, "SIGKILL");
  else setImmediate(killAfter, left - 1);
}
