/**
 * What of a channel goes by its retention, told from its oldest batches. Pure: the moment, the batches and the cursors come in.
 *
 *     batches    [ 1 ][ 2 ][ 3 ][ 4 ][ 5 ][ 6 ] …            1 to 5 are too old, or too much
 *                          ▲ cursor of "billing"
 *     goes       ◀────────┤                                   the rest is unread: it stays, and "billing" is told of
 *     or         ◀──────────────┤                             unless what is from there on is more than `unreadBytesMax`
 */
import type { RetainedBatch } from "../storage/index.js";
import type { Retention } from "./door.js";

/** What an unread message holds back, unless the channel's retention says otherwise. */
const usualUnreadBytes = 1024 ** 3;

/** Where a group stands in the channel. */
export interface GroupPlace {
  readonly group: string;
  readonly currentId: bigint;
}

/** A channel at one moment. */
export interface RetentionCase {
  /** From the oldest on, not all of them. */
  readonly batches: readonly RetainedBatch[];
  /** Of all that the channel retains. */
  readonly bytes: number;
  readonly nowMs: number;
  readonly retention: Retention;
  /** All cursors there are. */
  readonly cursors: readonly GroupPlace[];
}

/** What is to be done. */
export interface RetentionPlan {
  /** Batches below it go; undefined when none does. */
  readonly beforeId: bigint | undefined;
  /** What goes. */
  readonly bytes: number;
  /** Unread messages among it, and whose: the unread of a channel were more than it keeps. */
  readonly forced: { readonly groups: readonly string[]; readonly messages: bigint };
  /** Why no more goes; undefined when all that should go does, as far as the batches reach. */
  readonly blocked: { readonly groups: readonly string[]; readonly bytes: number } | undefined;
  /** When the first batch that stays will be too old; undefined when that is not a matter of time. */
  readonly nextMs: number | undefined;
  /** All of these batches go, and perhaps more. */
  readonly isCutOff: boolean;
}

/** Decides. */
export function planRetention(of: RetentionCase): RetentionPlan {
  const { batches, retention, nowMs } = of;
  const plan = new Plan(of);
  for (const batch of batches) {
    const oldMs = retention.ageMs === undefined ? undefined : batch.timeMs + retention.ageMs;
    const isDue = (oldMs !== undefined && oldMs <= nowMs) || plan.left > (retention.bytes ?? Infinity);
    if (!isDue) return plan.stop({ nextMs: oldMs });
    const holders = of.cursors.filter(({ currentId }) => currentId <= batch.lastId);
    const unreadMost = retention.unreadBytesMax ?? usualUnreadBytes;
    // All from here on is unread, by the one that is farthest behind.
    if (holders.length > 0 && plan.left <= unreadMost) return plan.stop({ blocked: { groups: namesOf(holders), bytes: plan.left } });
    plan.take(batch, unreadMost === 0 ? [] : holders);
  }
  return plan.stop({ isCutOff: batches.length > 0 });
}

class Plan {
  /** Bytes that the channel retains without what goes. */
  left: number;
  #bytes = 0;
  #beforeId: bigint | undefined;
  #messages = 0n;
  readonly #groups = new Set<string>();

  constructor({ bytes }: RetentionCase) {
    this.left = bytes;
  }

  /** The batch goes, unread by `holders`. */
  take({ firstId, lastId, bytes }: RetainedBatch, holders: readonly GroupPlace[]): void {
    this.left -= bytes;
    this.#bytes += bytes;
    this.#beforeId = lastId + 1n;
    if (holders.length === 0) return;
    for (const group of namesOf(holders)) this.#groups.add(group);
    const unreadFrom = holders.reduce((least, { currentId }) => (currentId < least ? currentId : least), lastId);
    this.#messages += lastId - (unreadFrom > firstId ? unreadFrom : firstId) + 1n;
  }

  stop(why: Partial<Pick<RetentionPlan, "blocked" | "nextMs" | "isCutOff">>): RetentionPlan {
    const forced = { groups: [...this.#groups], messages: this.#messages };
    return { beforeId: this.#beforeId, bytes: this.#bytes, forced, blocked: undefined, nextMs: undefined, isCutOff: false, ...why };
  }
}

function namesOf(places: readonly GroupPlace[]): string[] {
  return places.map(({ group }) => group);
}
