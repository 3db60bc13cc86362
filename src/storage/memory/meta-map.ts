/**
 * A map of metadata with revisions, in the order of its keys' UTF-8 bytes.
 */
import { compareUtf8 } from "../../base/utf8-order.js";
import type { MetaEntry, MetaView } from "../engine.js";

/** Keeps entries as it is told to; who counts the revisions up is its owner. */
export class MetaMap implements MetaView {
  readonly #entries = new Map<string, MetaEntry>();
  /** The keys of `#entries`, ascending. */
  readonly #keys: string[] = [];
  #revision = 0n;

  get revision(): bigint {
    return this.#revision;
  }

  get(key: string): MetaEntry | undefined {
    return this.#entries.get(key);
  }

  range(prefix: string): MetaEntry[] {
    const found: MetaEntry[] = [];
    for (let at = this.#placeOf(prefix); at < this.#keys.length; at++) {
      const entry = this.#entries.get(this.#keys[at] ?? "");
      if (entry === undefined || !entry.key.startsWith(prefix)) break;
      found.push(entry);
    }
    return found;
  }

  /** Puts `value` at `revision`, and returns the entry that is there now. */
  put(key: string, value: Uint8Array, revision: bigint): MetaEntry {
    const before = this.#entries.get(key);
    const entry: MetaEntry = { key, value, createRevision: before?.createRevision ?? revision, modRevision: revision };
    if (before === undefined) this.#keys.splice(this.#placeOf(key), 0, key);
    this.#entries.set(key, entry);
    this.#revision = revision;
    return entry;
  }

  /** Takes away a key that is there. */
  delete(key: string, revision: bigint): void {
    this.#keys.splice(this.#placeOf(key), 1);
    this.#entries.delete(key);
    this.#revision = revision;
  }

  /** Where `key` stands, or would. */
  #placeOf(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareUtf8(this.#keys[middle] ?? "", key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
