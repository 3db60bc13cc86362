/**
 * The bound on what is produced and not yet durable. Nobody waits in front of it: what does not fit is refused, so that the producer feels it.
 */
import { TidemarkError } from "../base/errors.js";

/** Counts the bytes on their way to the disk. */
export class PendingBytes {
  readonly #limit: number;
  /** Never above `#limit`; 0 when nothing is on its way. */
  #pending = 0;

  constructor(limit: number) {
    this.#limit = limit;
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
    this.#pending += bytes;
  }

  leave(bytes: number): void {
    this.#pending -= bytes;
  }
}
