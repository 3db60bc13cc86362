import { randomFillSync } from "node:crypto";

const idsAtOnce = 512;

/** Ids for the rows of inserts: 63 random bits each, so that no two producers have to agree on anything. */
export class RowIds {
  readonly #fill: (words: BigUint64Array) => void;
  readonly #words = new BigUint64Array(idsAtOnce);
  #next = idsAtOnce;

  constructor(fill: (words: BigUint64Array) => void = (words) => void randomFillSync(words)) {
    this.#fill = fill;
  }

  /** Never 0, which means none. */
  next(): bigint {
    if (this.#next === idsAtOnce) {
      this.#fill(this.#words);
      this.#next = 0;
    }
    const bits = (this.#words[this.#next++] ?? 0n) >> 1n;
    return bits === 0n ? this.next() : bits;
  }
}
