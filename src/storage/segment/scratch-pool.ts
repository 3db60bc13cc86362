/**
 * The few buffers that reads go into when the callers shall have no views of what was read.
 *
 *     in use: 4 of 4     line: C, D     one is done ─▶ C
 *
 * More reads than the system works on at a time gain nothing, and each would need a buffer of its own.
 */
import { Deferred } from "../../base/deferred.js";

/** As many as libuv's threads, by default. */
const mostBuffers = 4;

/** Buffers of one size, at most four in use at a time. Whoever took one owes it, or its loss, to the next in line. */
export class ScratchPool {
  readonly #bytes: number;
  readonly #free: Buffer[] = [];
  readonly #line: Deferred<Buffer>[] = [];
  #inUse = 0;

  /** @param bytes of each buffer */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Resolves with a buffer once one is free; its bytes are anything. */
  async take(): Promise<Buffer> {
    if (this.#inUse >= mostBuffers) {
      const turn = new Deferred<Buffer>();
      this.#line.push(turn);
      return turn.promise;
    }
    this.#inUse++;
    return this.#free.pop() ?? this.#make();
  }

  /** Nobody has a view of it any more. */
  giveBack(buffer: Buffer): void {
    const next = this.#line.shift();
    if (next !== undefined) return next.resolve(buffer);
    this.#inUse--;
    this.#free.push(buffer);
  }

  /** One that was taken stays with who has views of it. */
  lose(): void {
    const next = this.#line.shift();
    if (next !== undefined) return next.resolve(this.#make());
    this.#inUse--;
  }

  #make(): Buffer {
    return Buffer.allocUnsafeSlow(this.#bytes);
  }
}
