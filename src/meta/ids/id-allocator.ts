/**
 * Ids that never repeat: unique over all channels, and over crashes.
 *
 * They are ticks (see `TickWindow`), so they grow with the clock; but a range of any size is given at once, also one that has to
 * run ahead of it.
 */
import { checkWhole } from "../../base/arguments.js";
import type { Closable } from "../../base/closable.js";
import { checkSourceOptions, type SourceOptions } from "./source-options.js";
import { TickSource } from "./tick-source.js";

/** The seed's interface. Ids never repeat and never go back, over crashes and clock jumps. */
export interface IdAllocator {
  /**
   * `count` consecutive ids: [begin, end). Resolves once no crash can give them out again.
   *
   * @param count a whole number from 1 to 4,294,967,295
   */
  alloc(count: number): Promise<[begin: bigint, end: bigint]>;
  allocOne(): Promise<bigint>;
  /** Renews the window of ids ahead of need: call it from time to time, and no `alloc` waits for the store. Nothing else depends on it. */
  updateId(): Promise<void>;
}

const defaultKey = "gid/idTimestamp";
/** The seed counts in 32 bits. */
const mostAtOnce = 2 ** 32 - 1;

/**
 * Opens the allocator that keeps its place under `key` in a metadata store, and takes the key over from whoever had it open before. It owes a
 * `close()`; the store stays open. Ids are positive 64-bit numbers; those given out in one millisecond start at its Unix time << 18.
 *
 * Every call of it throws `invalid-argument`; `closed`; `conflict` once another has opened the key; and what the store throws.
 *
 * @throws `invalid-argument`, also for an oracle's key; `corrupt` when the key holds something else; `conflict`; what the store throws. A key
 * that can't be read is never taken for a new one.
 *
 * @example
 * ```ts
 * const meta = await openEmbeddedMeta({ dir: "./tidemark-data/meta" });
 * const ids = await openIdAllocator({ meta });
 * const mq = await openRocksMq({ dir: "./tidemark-data/queue", ids });
 * ```
 */
export async function openIdAllocator(options: SourceOptions): Promise<IdAllocator & Closable> {
  const { meta, key, clock } = checkSourceOptions(options, defaultKey);
  return new TickIdAllocator(await TickSource.open({ meta, key, clock, mayPassLimit: true, name: "id allocator" }));
}

class TickIdAllocator implements IdAllocator, Closable {
  readonly #source: TickSource;

  constructor(source: TickSource) {
    this.#source = source;
  }

  async alloc(count: number): Promise<[begin: bigint, end: bigint]> {
    checkWhole("count", count, 1, mostAtOnce);
    const last = await this.#source.take(count);
    return [last - BigInt(count) + 1n, last + 1n];
  }

  allocOne(): Promise<bigint> {
    return this.#source.take(1);
  }

  updateId(): Promise<void> {
    return this.#source.refresh();
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
