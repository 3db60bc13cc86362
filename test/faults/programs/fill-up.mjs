/**
 * Lives on a disk that is full again and again: refused, it reads, frees some space, and goes on without being opened again; then it is opened
 * on the full disk. Says what happened, in order.
 *
 *     began, acked, failed: as write-on.mjs · step <what> <figures or outcome> · trimmed <id>
 */
import { closeSync, openSync, readdirSync, readSync, unlinkSync, writeFileSync } from "node:fs";
import { marked, openOn, outcomeOf, say } from "./queue.mjs";

/** @type {{ host: import("./queue.mjs").LogHost; bytes: number; producers: number; warmUpMs: number; ballast: string; ballastBytes: number; queue: import("../../../src/rocksmq/index.js").RocksMqOptions }} */
const { host, bytes, producers, warmUpMs, ballast, ballastBytes, queue } = JSON.parse(process.argv[2] ?? "");

let next = 0;
let mq = await openOn(host, queue);
await mq.createChannel("c");
await mq.createConsumerGroup("g");

// A load that lasts, so that segments are filled ahead of need, with the past trimmed so that all of it fits.
for (const startedAt = performance.now(); performance.now() - startedAt < warmUpMs;) {
  await Promise.all(Array.from({ length: producers }, produce));
  await trimTo(1);
}

writeFileSync(ballast, Buffer.alloc(ballastBytes));
await fill("with a ballast");
await readAll();
unlinkSync(ballast);
say(`step produce, the ballast gone: ${await produce()}`);

await fill("by itself");
say(`step consume: ${await outcomeOf(() => mq.consume("g", "c", 3))}`);
await trimTo(0.5);
say(`step produce, half of it trimmed: ${await produce()}`);

await fill("by itself");
say(`step files without a use: ${withoutUse()}`);
say(`step close: ${await outcomeOf(() => mq.close())}`);
mq = await openOn(host, queue);
await readAll();
say(`step seek: ${await outcomeOf(async () => mq.seek("g", "c", (await mq.describeChannel("c")).beginId))}`);
say(`step consume: ${await outcomeOf(() => mq.consume("g", "c", 3))}`);
await trimTo(0.5);
say(`step produce, half of it trimmed: ${await produce()}`);
await readAll();
await mq.close();

/** One message; resolves with its outcome. */
async function produce() {
  const number = next++;
  say(`began ${number}`);
  const outcome = await outcomeOf(async () => {
    const { firstId } = await mq.produce("c", [{ payload: marked(number, bytes) }]);
    say(`acked ${number} ${firstId}`);
  });
  if (outcome !== "ok") say(`failed ${number} ${outcome}`);
  return outcome;
}

async function fill(/** @type {string} */ how) {
  for (;;) {
    const outcomes = await Promise.all(Array.from({ length: producers }, produce));
    const refused = outcomes.find((outcome) => outcome !== "ok");
    if (refused === undefined) continue;
    say(`step full, ${how}: ${refused}`);
    return;
  }
}

async function readAll() {
  let read = 0;
  for await (const messages of mq.read("c", { from: "earliest" })) read += messages.length;
  const { messages } = await mq.describeChannel("c");
  say(`step read: ${BigInt(read) === messages ? "all" : `${read} of ${messages}`}`);
}

/** @param {number} share of the messages, the oldest */
async function trimTo(share) {
  const { beginId, endId } = await mq.describeChannel("c");
  const id = beginId + BigInt(Math.floor(Number(endId - beginId) * share));
  const outcome = await outcomeOf(() => mq.trim("c", id));
  if (outcome === "ok") say(`trimmed ${id}`);
  else say(`step trim: ${outcome}`);
}

/** Segment files without a header hold nothing. One may be there: of a roll that the full disk stopped. */
function withoutUse() {
  const segments = readdirSync(queue.dir).filter((name) => name.endsWith(".seg"));
  const empty = segments.filter((name) => {
    const file = openSync(`${queue.dir}/${name}`, "r");
    const head = Buffer.alloc(8);
    readSync(file, head, 0, 8, 0);
    closeSync(file);
    return head.every((byte) => byte === 0);
  });
  return empty.length <= 1 ? "at most one" : `${empty.length}, ${empty.join(", ")}`;
}
