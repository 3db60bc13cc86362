/**
 * The reads that are under way: a database is closed only once there are none, since closing takes the iterators away from them.
 */
import { engineClosed } from "../refusals.js";

/** Lets reads in until it is closed. */
export class OpenReads {
  #count = 0;
  #closed = false;
  #onNone: () => void = () => undefined;

  /** Runs a read. @throws `closed` */
  async run<T>(read: () => Promise<T>): Promise<T> {
    this.check();
    this.#count += 1;
    try {
      return await read();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) this.#onNone();
    }
  }

  /** For those that look again after a while. @throws `closed` */
  check(): void {
    if (this.#closed) throw engineClosed();
  }

  /** Refuses reads from now on. */
  close(): void {
    this.#closed = true;
  }

  /** Resolves once none is under way; to be asked once it is closed. */
  async none(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#onNone = resolve;
    });
  }
}
