/**
 * A process that follows three channels beside the writer, and stops with exit code 1 at the first thing that is wrong. Told on stdin where
 * everything ends, it reads up to there and says what it has seen. `live.ts` bundles it.
 *
 *     <door> <dir>
 */
import type * as rocksmq from "../../../src/rocksmq/index.js";
import { read, type Said } from "./live-message.js";

const [door = "", dir = ""] = process.argv.slice(2);
const { isTidemarkError, openRocksMq } = (await import(/* @vite-ignore */ door)) as typeof rocksmq;
const seen = { messages: 0, trims: 0, destroys: 0 };
let ends: Record<string, Pick<Said, "life" | "number">> | undefined;
const finish = new AbortController();
const mq = await openRocksMq({ dir, readOnly: true });
process.stdin.on("data", (text) => {
  ends = JSON.parse(String(text)) as typeof ends;
  finish.abort();
});
await Promise.all(["a", "b", "c"].map((channel) => follow(channel)));
await mq.close();
console.log(JSON.stringify(seen));
process.stdin.destroy();

async function follow(channel: string): Promise<void> {
  const place: Place = { from: "earliest", last: undefined, isGap: false };
  while (!isDone(channel, place)) {
    try {
      await readOn(channel, place);
    } catch (error) {
      if (isTidemarkError(error, "position-trimmed")) {
        seen.trims += 1;
        place.from = BigInt(error.details.firstAvailable);
        place.isGap = true;
      } else if (isTidemarkError(error, "channel-not-found")) {
        seen.destroys += 1;
        place.from = "earliest";
        place.isGap = true;
      } else throw error;
    }
  }
}

interface Place {
  from: "earliest" | bigint;
  last: Said | undefined;
  /** What was trimmed or destroyed since the last message explains a jump. */
  isGap: boolean;
}

/** Follows until it is told where the end is; from then on reads up to the end that it finds. */
async function readOn(channel: string, place: Place): Promise<void> {
  const reader = mq.read(channel, {
    from: place.from,
    follow: ends === undefined,
    batch: 50,
    signal: ends === undefined ? finish.signal : undefined,
  });
  for await (const messages of reader) {
    for (const { id, payload } of messages) {
      check(channel, place, read(payload));
      place.from = id + 1n;
    }
    seen.messages += messages.length;
  }
}

function check(channel: string, place: Place, said: Said): void {
  const { last, isGap } = place;
  if (said.channel !== channel) throw new Error(`${JSON.stringify(said)} in channel ${channel}`);
  const isNext = last === undefined || (said.life === last.life && said.number === last.number + 1);
  const isLater = isGap && last !== undefined && (said.life > last.life || (said.life === last.life && said.number > last.number));
  if (!isNext && !isLater) throw new Error(`skipped or repeated: ${JSON.stringify(said)} behind ${JSON.stringify(last)}`);
  // A batch is whole: it begins at 0 and goes on to its end, but for what a trim has cut.
  const isBorder =
    last === undefined || isGap || (said.at === 0 ? last.at === last.of - 1 : said.at === last.at + 1 && said.of === last.of);
  if (!isBorder) throw new Error(`half a batch: ${JSON.stringify(said)} behind ${JSON.stringify(last)}`);
  place.last = said;
  place.isGap = false;
}

/** Whether it has come to the end. One that was trimmed away counts as read. */
function isDone(channel: string, { last }: Place): boolean {
  const end = ends?.[channel];
  if (end === undefined) return false;
  return end.number === -1 || (last !== undefined && last.life === end.life && last.number === end.number);
}
