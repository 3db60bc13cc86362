/**
 * Logical time for everybody who shares one metadata store: ticks that strictly increase, whatever the clock does and however often it is
 * opened again.
 */
import { checkWhole } from "../../base/arguments.js";
import type { Abortable, Closable } from "../../base/closable.js";
import { type TimeTick, timeTickFrom } from "../../message/index.js";
import { checkCall } from "../meta-input.js";
import { checkSourceOptions, type SourceOptions } from "./source-options.js";
import { TickSource } from "./tick-source.js";

/** Strictly increasing over crashes; at most 3 s ahead of the highest clock seen. */
export interface TimestampOracle {
  /**
   * Resolves with the last of `count` consecutive ticks, once no crash can give them out again. Calls are answered in call order.
   *
   * @param count a whole number from 1 to 262,143: what one millisecond holds. Default 1.
   * @throws `overloaded` while there is no tick within 3 s of the highest clock seen: the clock has gone back, and all until there is used up
   */
  allocate(count?: number, options?: Abortable): Promise<TimeTick>;
  /** The last tick given out; before the first one, the last that an earlier life may have given out (0n if there was none). */
  latest(): TimeTick;
}

const defaultKey = "tso/timestamp";
/** The counter of a tick has 18 bits, and 0 begins a millisecond. */
const mostAtOnce = 2 ** 18 - 1;

/**
 * Opens the oracle that keeps its place under `key` in a metadata store, and takes the key over from whoever had it open before. It owes a
 * `close()`; the store stays open. It writes about once a second while it is asked, and never otherwise.
 *
 * Every call of it throws `invalid-argument`; `closed`; `conflict` once another has opened the key; and what the store throws.
 *
 * @throws `invalid-argument`, also for an allocator's key; `corrupt` when the key holds something else; `conflict`; what the store throws. A key
 * that can't be read is never taken for a new one.
 *
 * @example
 * ```ts
 * const meta = await openEmbeddedMeta({ dir: "./tidemark-data/meta" });
 * const oracle = await openTimestampOracle({ meta });
 * const last = await oracle.allocate(100); // last - 99n, …, last
 * ```
 */
export async function openTimestampOracle(options: SourceOptions): Promise<TimestampOracle & Closable> {
  const { meta, key, clock } = checkSourceOptions(options, defaultKey);
  return new StoredTimestampOracle(await TickSource.open({ meta, key, clock, mayPassLimit: false, name: "timestamp oracle" }));
}

class StoredTimestampOracle implements TimestampOracle, Closable {
  readonly #source: TickSource;

  constructor(source: TickSource) {
    this.#source = source;
  }

  async allocate(count = 1, options?: Abortable): Promise<TimeTick> {
    checkWhole("count", count, 1, mostAtOnce);
    if (options !== undefined) checkCall(options);
    return timeTickFrom(await this.#source.take(count, options));
  }

  latest(): TimeTick {
    return timeTickFrom(this.#source.last);
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
