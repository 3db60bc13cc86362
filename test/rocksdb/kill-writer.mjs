/**
 * A process that writes into the RocksDB engine as fast as it can until it is killed, and says on stdout what it was told is safe.
 *
 *     <dir> <round> <seed> [turns]      turns: kills itself so many turns of the event loop after it began to open
 *
 *     opening · open · acked <channel> <batch> <first id> <count> <size> · trimming <channel> <id> · trimmed <channel> <id> · consumed <channel> <id>
 */
import { writeSync } from "node:fs";
import { openRocksMq } from "tidemark/rocksmq";

const [dir = "", round = "", seed = "", turns] = process.argv.slice(2);
const channels = ["a", "b", "c"];
let state = Number(seed) >>> 0;

if (turns !== undefined) killAfter(Number(turns));
say("opening");
// What is written survives a killed process, synced or not.
const mq = await openRocksMq({ dir, engine: "rocksdb", durability: Number(round) % 2 === 0 ? "os" : "sync" });
await mq.createConsumerGroup("group", { ifNotExists: true });
for (const channel of channels) await mq.createChannel(channel, { ifNotExists: true });
say("open");
await Promise.all([
  ...channels.flatMap((channel) => [1, 2, 3].map((producer) => produce(channel, producer))),
  ...channels.map((channel) => consume(channel)),
]);

/** @param {string} channel @param {number} producer @returns {Promise<never>} */
async function produce(channel, producer) {
  for (let n = 0; ; n += 1) {
    const batch = `${round}.${producer}.${n}`;
    const count = 1 + below(4);
    const size = below(10) === 0 ? 5000 : below(300);
    const label = (/** @type {number} */ index) => `${batch} ${index}/${count} ${size}`;
    const messages = Array.from({ length: count }, (_, index) => ({ payload: Buffer.from(label(index).padEnd(size, ".")) }));
    const { firstId } = await mq.produce(channel, messages);
    say(`acked ${channel} ${batch} ${firstId} ${count} ${size}`);
  }
}

/** @param {string} channel @returns {Promise<never>} */
async function consume(channel) {
  for (let n = 1; ; n += 1) {
    const messages = await mq.consume("group", channel, 1 + below(20), { waitMs: 1000 });
    const last = messages.at(-1);
    if (last === undefined) continue;
    say(`consumed ${channel} ${last.id}`);
    if (n % 4 !== 0) continue;
    say(`trimming ${channel} ${last.id}`);
    await mq.trim(channel, last.id);
    say(`trimmed ${channel} ${last.id}`);
  }
}

/** @param {string} text */
function say(text) {
  writeSync(1, `${text}\n`);
}

/** A small generator (mulberry32): the same seed, the same lives. @param {number} limit */
function below(limit) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}

/** @param {number} left */
function killAfter(left) {
  if (left === 0) process.kill(process.pid, "SIGKILL");
  else setImmediate(killAfter, left - 1);
}
