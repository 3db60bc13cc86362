/**
 * Produces until it is done, or something fails; says what became of each message, and then of every other call.
 *
 *     began <n> · acked <n> <id> · failed <n> <outcome> · then <call> <outcome>
 */
import { marked, openOn, outcomeOf, say } from "./queue.mjs";

/** @type {{ host: import("./queue.mjs").LogHost; producers: number; messages: number; bytes: number; queue: import("../../../src/rocksmq/index.js").RocksMqOptions }} */
const { host, producers, messages, bytes, queue } = JSON.parse(process.argv[2] ?? "");

let next = 0;
let failed = false;

const opened = await outcomeOf(run);
if (opened !== "ok") say(`then open ${opened}`);

async function run() {
  const mq = await openOn(host, queue);
  const created = await outcomeOf(() => mq.createChannel("c", { ifNotExists: true }));
  if (created !== "ok") say(`then createChannel ${created}`);
  await Promise.all(Array.from({ length: producers }, () => produce(mq)));
  for (const [call, how] of Object.entries({
    produce: () => mq.produce("c", [{ payload: marked(next, bytes) }]),
    createChannel: () => mq.createChannel("another"),
    consume: () => mq.consume("g", "c", 1),
    close: () => mq.close(),
  })) {
    if (failed) say(`then ${call} ${await outcomeOf(how)}`);
  }
  await mq.close().catch(() => undefined);
}

async function produce(/** @type {import("../../../src/rocksmq/index.js").RocksMq} */ mq) {
  while (next < messages && !failed) {
    const number = next++;
    say(`began ${number}`);
    const outcome = await outcomeOf(async () => {
      const { firstId } = await mq.produce("c", [{ payload: marked(number, bytes) }]);
      say(`acked ${number} ${firstId}`);
    });
    if (outcome !== "ok") say(`failed ${number} ${outcome}`);
    failed ||= outcome !== "ok";
  }
}
