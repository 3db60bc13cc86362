/**
 * A metadata store for tests that answers as it is told to: late, or with an error, before or after it has done what was asked.
 */
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { NodeVfs } from "../../base/node-vfs.js";
import { openMemoryEngine } from "../../storage/index.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { EngineMetaStore } from "../embedded/engine-meta-store.js";
import type { MetaEntry, MetaRange, MetaRangeOptions, MetaStore, MetaTxn, MetaTxnResult } from "../meta-store.js";

/** How a call goes: `before` is awaited before it is done, `after` then. */
export interface Mood {
  readonly before?: (() => Promise<void>) | undefined;
  readonly after?: (() => Promise<void>) | undefined;
}

/** A store in memory whose next reads and transactions can be disturbed. */
export class MoodyMeta implements MetaStore {
  /** For the next reads of a key, one each. */
  readonly gets: Mood[] = [];
  /** For the next transactions, one each. */
  readonly txns: Mood[] = [];
  /** So many transactions were asked for. */
  asked = 0;
  readonly #store: MetaStore;

  private constructor(store: MetaStore) {
    this.#store = store;
  }

  /** A new, empty one. */
  static async open(): Promise<MoodyMeta> {
    const engine = await openMemoryEngine({
      dir: "/nowhere",
      ids: "internal",
      durability: "sync",
      segmentBytes: 1024 * 1024,
      prefill: "off",
      clock: new ManualClock(),
      vfs: new NodeVfs(),
      metrics: noMetrics,
      logger: silentLogger,
    });
    return new MoodyMeta(new EngineMetaStore(engine));
  }

  get(key: string): Promise<MetaEntry | undefined> {
    return inMood(this.gets.shift(), () => this.#store.get(key));
  }

  range(prefix: string, options?: MetaRangeOptions): Promise<MetaRange> {
    return this.#store.range(prefix, options);
  }

  put(key: string, value: Uint8Array): Promise<bigint> {
    return this.#store.put(key, value);
  }

  delete(key: string): Promise<boolean> {
    return this.#store.delete(key);
  }

  txn(txn: MetaTxn): Promise<MetaTxnResult> {
    this.asked += 1;
    return inMood(this.txns.shift(), () => this.#store.txn(txn));
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

async function inMood<T>(mood: Mood | undefined, call: () => Promise<T>): Promise<T> {
  await mood?.before?.();
  const result = await call();
  await mood?.after?.();
  return result;
}
