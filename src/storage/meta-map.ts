/**
 * Metadata in memory: an ordered map with revisions, and a draft over it that can be dropped.
 */
import { compareUtf8 } from "../base/utf8-order.js";
import type { MetaEntry, MetaView } from "./engine.js";

/** One change of one key, as it is logged. All keys that one change touched have its revision. */
export type MetaRecord =
  | { readonly type: "put"; readonly revision: bigint; readonly key: string; readonly value: Uint8Array }
  | { readonly type: "delete"; readonly revision: bigint; readonly key: string };

/** The committed metadata. */
export class MetaMap implements MetaView {
  readonly #entries = new Map<string, MetaEntry>();
  /** The keys of `#entries`, ascending by UTF-8 bytes. */
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
    for (let i = this.#indexOf(prefix); i < this.#keys.length && this.#keys[i]?.startsWith(prefix) === true; i++) {
      const entry = this.#entries.get(this.#keys[i] ?? "");
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }

  /** Takes over a logged change. */
  apply(record: MetaRecord): void {
    const existing = this.#entries.get(record.key);
    if (record.type === "put") {
      this.restore({
        key: record.key,
        value: record.value,
        createRevision: existing?.createRevision ?? record.revision,
        modRevision: record.revision,
      });
    } else if (existing !== undefined) {
      this.#entries.delete(record.key);
      this.#keys.splice(this.#indexOf(record.key), 1);
    }
    this.advance(record.revision);
  }

  /** Puts an entry in its place as it was, from a checkpoint. */
  restore(entry: MetaEntry): void {
    if (!this.#entries.has(entry.key)) this.#keys.splice(this.#indexOf(entry.key), 0, entry.key);
    this.#entries.set(entry.key, entry);
  }

  /** The revision never goes back. */
  advance(revision: bigint): void {
    if (revision > this.#revision) this.#revision = revision;
  }

  /** All entries, in key order. */
  all(): MetaEntry[] {
    return this.range("");
  }

  /** Where `key` stands in `#keys`, or would. */
  #indexOf(key: string): number {
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

/** What a group of changes would make of the metadata. */
export class MetaDraft implements MetaView {
  readonly #base: MetaView;
  /** Undefined: deleted. */
  readonly #changed = new Map<string, MetaEntry | undefined>();
  #revision: bigint;
  /** What the current change's records carry, once it has touched a key. */
  #current: bigint | undefined;

  constructor(base: MetaView) {
    this.#base = base;
    this.#revision = base.revision;
  }

  get revision(): bigint {
    return this.#revision;
  }

  /** Begins the next change: a revision of its own, if it touches anything. */
  nextChange(): void {
    this.#current = undefined;
  }

  get(key: string): MetaEntry | undefined {
    return this.#changed.has(key) ? this.#changed.get(key) : this.#base.get(key);
  }

  range(prefix: string): MetaEntry[] {
    const touched = [...this.#changed].filter(([key]) => key.startsWith(prefix));
    const untouched = this.#base.range(prefix);
    if (touched.length === 0) return untouched;
    const drafted = touched.flatMap(([, entry]) => (entry === undefined ? [] : [entry]));
    return [...untouched.filter(({ key }) => !this.#changed.has(key)), ...drafted].sort((a, b) => compareUtf8(a.key, b.key));
  }

  put(key: string, value: Uint8Array): MetaRecord {
    const revision = this.#touch();
    const createRevision = this.get(key)?.createRevision ?? revision;
    this.#changed.set(key, { key, value, createRevision, modRevision: revision });
    return { type: "put", revision, key, value };
  }

  /** Undefined when there is nothing to delete. */
  delete(key: string): MetaRecord | undefined {
    if (this.get(key) === undefined) return undefined;
    this.#changed.set(key, undefined);
    return { type: "delete", revision: this.#touch(), key };
  }

  /** The revision of the current change. */
  #touch(): bigint {
    this.#current ??= this.#revision += 1n;
    return this.#current;
  }
}
