/**
 * Stretches of one channel, in the order of their ids: runs, extents, pages, batches. What is known of a stretch are its ends and how many messages are in
 * it; between two of them, and inside, ids may have gaps.
 *
 *     ids    [1 2 3] · · [7 · 9 10] · [13 14]        the one in the middle is not dense
 */

/** See above. */
export interface Stretch {
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly count: number;
}

/** The first index whose item passes; all after it must pass too. The length if none does. */
export function firstIndex<T>(items: readonly T[], passes: (item: T) => boolean): number {
  return firstOf(items.length, (at) => {
    const item = items[at];
    return item !== undefined && passes(item);
  });
}

/** The first of the numbers below `count` that passes; all after it must pass too. `count` if none does. */
export function firstOf(count: number, passes: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the first that ends at or after `id`; the length if none does. */
export function indexFrom(stretches: readonly Pick<Stretch, "lastId">[], id: bigint): number {
  return firstIndex(stretches, ({ lastId }) => lastId >= id);
}

/** Whether its ids have no gap, so that messages can be counted by subtraction. */
export function isDense({ firstId, lastId, count }: Stretch): boolean {
  return BigInt(count) === lastId - firstId + 1n;
}

/** The one with gaps in its ids that `id` cuts, so that only a look into it tells the last message below; undefined when there is none. */
export function cutBy<S extends Stretch>(stretches: readonly S[], id: bigint): S | undefined {
  const found = stretches[indexFrom(stretches, id)];
  return found === undefined || found.firstId >= id || isDense(found) ? undefined : found;
}

/** The last message below `id` where none is cut as above; undefined when none begins there. */
export function lastBelow(stretches: readonly Omit<Stretch, "count">[], id: bigint): bigint | undefined {
  const at = indexFrom(stretches, id);
  return (stretches[at]?.firstId ?? id) < id ? id - 1n : stretches[at - 1]?.lastId;
}

/** The last id below `id` of those without a gap up to `lastId`, which begin below it. */
export function cutOff(lastId: bigint, id: bigint): bigint {
  return lastId < id ? lastId : id - 1n;
}
