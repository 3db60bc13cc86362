import { compareUtf8 } from "../../src/base/utf8-order.js";
import type { MetaEntry, MetaView } from "../../src/storage/index.js";

/** Keys without values, for tests of what is found where. */
export class MetaMap implements MetaView {
  readonly revision = 0n;
  readonly #keys = new Set<string>();

  put(key: string): void {
    this.#keys.add(key);
  }

  get(key: string): MetaEntry | undefined {
    return this.#keys.has(key) ? { key, value: new Uint8Array(0), createRevision: 0n, modRevision: 0n } : undefined;
  }

  range(prefix: string): MetaEntry[] {
    return [...this.#keys]
      .filter((key) => key.startsWith(prefix))
      .sort(compareUtf8)
      .flatMap((key) => this.get(key) ?? []);
  }
}
