/**
 * A process that produces, trims, destroys and makes channels as fast as it can for so many milliseconds, and some rounds; then kills itself in the middle of it, or
 * closes and says where everything ends. `live.ts` bundles it.
 *
 *     <door> <dir> <milliseconds> kill|close
 */
import type * as rocksmq from "../../../src/rocksmq/index.js";
import { payloadOf, read, type Said } from "./live-message.js";

const [door = "", dir = "", milliseconds, how] = process.argv.slice(2);
const { openRocksMq } = (await import(/* @vite-ignore */ door)) as typeof rocksmq;
const until = performance.now() + Number(milliseconds);
const mq = await openRocksMq({ dir, segmentBytes: 1024 * 1024 });
const fewestRounds = Number(milliseconds) < 100 ? 1 : 200;
const rounds = new Map<string, number>();
const ends = new Map<string, Pick<Said, "life" | "number">>();
for (const channel of ["a", "b", "c"]) await begin(channel);
const working = Promise.all(["a", "b", "c"].map((channel) => work(channel)));
if (how === "kill") {
  await Promise.race([working, passed()]);
  process.kill(process.pid, "SIGKILL");
}
await working;
await mq.close();
console.log(JSON.stringify(Object.fromEntries(ends)));

/** Goes on where the last life, acked or not, has left the channel. */
async function begin(channel: string): Promise<void> {
  await mq.createChannel(channel, { ifNotExists: true });
  const lastId = await mq.latestId(channel);
  if (lastId === undefined) {
    ends.set(channel, { life: Math.floor(Date.now()), number: -1 });
    return;
  }
  for await (const messages of mq.read(channel, { from: lastId })) {
    const said = read(messages[0]?.payload ?? new Uint8Array(0));
    ends.set(channel, { life: said.life, number: said.number });
  }
}

async function work(channel: string): Promise<void> {
  for (let round = 1; !isOver(round); round++) {
    const { life = 0, number = -1 } = ends.get(channel) ?? {};
    const of = 1 + (round % 30);
    const size = round % 17 === 0 ? 6000 : 40 + ((round * 37) % 900);
    const messages = Array.from({ length: of }, (_, at) => ({
      payload: payloadOf({ channel, life, number: number + 1 + at, at, of, size }),
    }));
    const { lastId } = await mq.produce(channel, messages);
    ends.set(channel, { life, number: number + of });
    // The whole channel now and then: readers that lag find nothing where they stand.
    if (round % 40 === 0) await mq.trim(channel, lastId - (round % 120 === 0 ? 0n : 400n));
    if (channel === "c" && round % 60 === 0) await again(channel, life);
    rounds.set(channel, round);
  }
}

async function again(channel: string, life: number): Promise<void> {
  await mq.destroyChannel(channel);
  await mq.createChannel(channel);
  ends.set(channel, { life: life + 1, number: -1 });
}

/** However slow the machine is, some of everything has been done by then. */
function isOver(round: number): boolean {
  return performance.now() >= until && round > fewestRounds;
}

/** Resolves in the middle of the work. */
async function passed(): Promise<void> {
  while (["a", "b", "c"].some((channel) => !isOver(rounds.get(channel) ?? 0))) await new Promise<void>((resolve) => setImmediate(resolve));
}
