import type { MsgPack } from "../message/index.js";

const done = { done: true, value: undefined } as const;

/** A loop over a stream's packs. `return` ends also a `next` that waits, and leaves the stream as it is. */
export class PackIterator implements AsyncIterator<MsgPack, void, void> {
  readonly #next: (signal: AbortSignal) => Promise<MsgPack | undefined>;
  readonly #onEnd: () => void;
  readonly #ended = new AbortController();

  constructor(next: (signal: AbortSignal) => Promise<MsgPack | undefined>, onEnd: () => void) {
    this.#next = next;
    this.#onEnd = onEnd;
  }

  async next(): Promise<IteratorResult<MsgPack, void>> {
    const { signal } = this.#ended;
    if (signal.aborted) return done;
    try {
      const pack = await this.#next(signal);
      if (pack !== undefined) return { done: false, value: pack };
      this.#end();
      return done;
    } catch (error) {
      if (signal.aborted) return done;
      this.#end();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<MsgPack, void>> {
    this.#end();
    return done;
  }

  #end(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.#onEnd();
  }
}
