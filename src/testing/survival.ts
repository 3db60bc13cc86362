/**
 * What a power cut leaves of the changes that no sync had made durable.
 *
 * Every un-synced change (a write, a size, a name) has a number, rising over the whole disk. A file system may have written back any of
 * them by itself, in any order; `Survival` says which, one decision a question:
 *
 *     nothing     only what was synced            prefix     what happened up to some moment: a journal
 *     everything  the cache was just written back  suffix     only what came after it: the newest pages went first
 *     some        each sector, size and name by its own coin, older contents of a rewritten sector included
 */
import type { SeededRandom } from "./seeded-random.js";

/** How the un-synced changes fare. */
export type SurvivalPolicy = "nothing" | "everything" | "prefix" | "suffix" | "some";

/** Every way there is. */
export const survivalPolicies: readonly [SurvivalPolicy, ...SurvivalPolicy[]] = ["nothing", "everything", "prefix", "suffix", "some"];

/** Decides, change by change, what is on the disk after the power came back. */
export class Survival {
  readonly #random: SeededRandom;
  readonly #policy: SurvivalPolicy;
  /** The moment that "prefix" and "suffix" turn at. */
  readonly #moment: number;

  /** @param span numbers of the oldest and the newest un-synced change */
  constructor(policy: SurvivalPolicy, random: SeededRandom, span: { readonly oldest: number; readonly newest: number }) {
    this.#policy = policy;
    this.#random = random;
    this.#moment = span.oldest + random.below(Math.max(1, span.newest - span.oldest + 1));
  }

  /** Whether the change of that number reached the disk. */
  keeps(change: number): boolean {
    switch (this.#policy) {
      case "nothing":
        return false;
      case "everything":
        return true;
      case "prefix":
        return change <= this.#moment;
      case "suffix":
        return change > this.#moment;
      case "some":
        return this.#random.chance(0.5);
      default:
        return this.#policy satisfies never;
    }
  }

  /**
   * Which of several states of one place is on the disk: 0 is the durable one, state i was made by `changes[i - 1]`.
   * States come whole: one that survives holds what those before it wrote there.
   */
  stateOf(changes: readonly number[]): number {
    switch (this.#policy) {
      case "nothing":
        return 0;
      case "everything":
        return changes.length;
      case "prefix":
        return changes.filter((change) => change <= this.#moment).length;
      case "suffix":
        return changes.some((change) => change > this.#moment) ? changes.length : 0;
      case "some":
        return this.#random.below(changes.length + 1);
      default:
        return this.#policy satisfies never;
    }
  }
}
