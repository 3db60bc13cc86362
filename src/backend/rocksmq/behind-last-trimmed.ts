/**
 * Where a queue is to begin that is trimmed before an id.
 *
 *     ids    1 2 · · · · 7 8        trimmed before 7: a queue that begins at 7 says to whoever stands behind 2 that something is gone
 *                ▲                  so it begins here, where the same is gone
 */
import { isTidemarkError } from "../../base/errors.js";
import type { StreamQueue } from "../../rocksmq/index.js";

/**
 * The least id that may stand for `before` in a trim: behind the last record before it. The one given where the channel has nothing to say about it.
 *
 * What lies before an id that was reached stays as it is, but for other trims.
 */
export async function behindLastTrimmed(mq: StreamQueue, channel: string, before: bigint): Promise<bigint> {
  const latest = await mq.latestId(channel);
  if (latest === undefined || before > latest || before <= 0n) return before;
  const isEmptyFrom = async (id: bigint): Promise<boolean> => ((await firstFrom(mq, channel, id)) ?? before) >= before;
  // Mostly there is a record right before it.
  if (!(await isEmptyFrom(before - 1n))) return before;
  let [low, high] = [0n, before - 1n];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (await isEmptyFrom(middle)) high = middle;
    else low = middle + 1n;
  }
  return high;
}

/** The first record at or behind an id; undefined where something before it is trimmed: then it is as good as there. */
async function firstFrom(mq: StreamQueue, channel: string, id: bigint): Promise<bigint | undefined> {
  try {
    for await (const [first] of mq.read(channel, { from: id, limit: 1 })) return first?.id;
  } catch (error) {
    if (!isTidemarkError(error, "position-trimmed")) throw error;
    return 0n;
  }
  return undefined;
}
