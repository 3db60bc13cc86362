/**
 * Randomness from one number: the same seed gives the same choices, so that a run that found a fault can be run again.
 *
 * 32 bits of state are plenty to choose among a few ways of losing power; it is no source of secrets or of statistics.
 */

/** A stream of choices that a seed decides. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number of 32 bits: also a fine seed for another stream. */
  bits(): number {
    // Mulberry32: one addition and two multiplications a draw.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor((this.bits() / 2 ** 32) * bound);
  }

  chance(probability: number): boolean {
    return this.bits() / 2 ** 32 < probability;
  }

  /** One of `choices`, which must not be empty. */
  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0];
  }

  /** Goes on from here like the other one would. */
  copy(): SeededRandom {
    return new SeededRandom(this.#state);
  }
}
