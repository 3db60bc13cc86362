/**
 * What Milvus's metadata says of a topic's pages, held against the messages that are there: so what is missing is seen though RocksDB, which
 * keeps the two in two databases, says nothing of it.
 *
 *     page_message_size/<topic>/<id>   bytes of the page that ends with this id        message_size/<topic>   bytes of the open page behind them
 */

/** The pages of one topic, by the ids of their last messages, ascending. */
export interface MilvusPages {
  readonly closed: readonly { readonly endId: bigint; readonly bytes: number }[];
  readonly openBytes: number;
}

/** Takes a topic's messages in order, and tells what is missing of its pages. */
export class PageCheck {
  readonly #pages: MilvusPages;
  readonly #found: number[];
  #at = 0;

  constructor(pages: MilvusPages) {
    this.#pages = pages;
    this.#found = Array.from({ length: pages.closed.length + 1 }, () => 0);
  }

  take(id: bigint, bytes: number): void {
    while (id > (this.#pages.closed[this.#at]?.endId ?? id)) this.#at += 1;
    this.#found[this.#at] = (this.#found[this.#at] ?? 0) + bytes;
  }

  /** Bytes that pages should hold and do not; more than they should is no loss: a killed Milvus may not have counted its last messages. */
  get missingBytes(): number {
    const { closed, openBytes } = this.#pages;
    return [...closed.map(({ bytes }) => bytes), openBytes].reduce(
      (sum, bytes, at) => sum + Math.max(0, bytes - (this.#found[at] ?? 0)),
      0,
    );
  }
}
