/**
 * The bound on what is produced and not yet durable. Nobody waits in front of it: what does not fit is refused, so that the producer feels it.
 */
import { TidemarkError } from "../base/errors.js";

/** A batch that waits costs about a kilobyte besides its bytes, so as many as this many bytes of the bound stand for may wait. */
const bytesABatch = 256;
/** Under however small a bound. */
const leastBatches = 4_096;

/** Counts the batches on their way to the disk, and their bytes. */
export class PendingBytes {
  readonly #limit: number;
  readonly #mostBatches: number;
  /** Never above `#limit`; 0 when nothing is on its way. */
  #pending = 0;
  /** Never above `#mostBatches`. */
  #batches = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#mostBatches = Math.max(leastBatches, Math.floor(limit / bytesABatch));
  }

  /**
   * Takes room for a batch; the caller owes a `leave`.
   *
   * @throws `too-large` if it never fits; `overloaded` if it does not fit now
   */
  enter(bytes: number): void {
    if (bytes > this.#limit) {
      const text = `a batch of ${bytes} bytes never fits into maxPendingBytes ${this.#limit}: split it, or raise the bound`;
      throw new TidemarkError("too-large", text, { limit: this.#limit, size: bytes });
    }
    if (this.#pending + bytes > this.#limit) {
      const text = `${this.#pending} bytes are not durable yet, and ${bytes} more go beyond maxPendingBytes ${this.#limit}: await earlier produces first`;
      throw new TidemarkError("overloaded", text, { limit: this.#limit, pending: this.#pending, size: bytes });
    }
    if (this.#batches === this.#mostBatches) {
      const text = `${this.#batches} batches are not durable yet, as many as go with maxPendingBytes ${this.#limit}: await earlier produces first`;
      throw new TidemarkError("overloaded", text, { limit: this.#limit, pending: this.#pending, size: bytes });
    }
    this.#batches += 1;
    this.#pending += bytes;
  }

  leave(bytes: number): void {
    this.#batches -= 1;
    this.#pending -= bytes;
  }
}
