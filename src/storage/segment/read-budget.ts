/**
 * A bound on the bytes that readers keep for their next call, over all readers of a store: the ones that kept longest unused lose theirs.
 */

/** What the readers of a store keep for their next call, all together. */
export const readAheadBytes = 64 * 1024 * 1024;

/** Something that can let go of what it keeps; it reads it again when it must. */
export interface Keeper {
  letGo(): void;
}

/** Keeps books of who keeps how much. */
export class ReadBudget {
  readonly #capacity: number;
  /** In the order of their last use. */
  readonly #kept = new Map<Keeper, number>();
  /** Never above `#capacity` but for the one that came last. */
  #bytes = 0;

  /** @param capacity in bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** `keeper` keeps this many bytes now; 0 for none. */
  keep(keeper: Keeper, bytes: number): void {
    this.#bytes += bytes - (this.#kept.get(keeper) ?? 0);
    this.#kept.delete(keeper);
    if (bytes === 0) return;
    this.#kept.set(keeper, bytes);
    for (const [oldest, held] of this.#kept) {
      if (this.#bytes <= this.#capacity || oldest === keeper) return;
      this.#kept.delete(oldest);
      this.#bytes -= held;
      oldest.letGo();
    }
  }
}
