/**
 * Holds the process while somebody waits, and only then: a promise alone does not, so a program whose only work is a wait would end in the
 * middle of it; and an open store that nobody waits on must not keep a finished program up.
 */
import type { Clock } from "./clock.js";

/** How often the timer that holds the process goes off, for nothing. */
const beatMs = 24 * 3_600_000;

/** Counts those who wait. One timer for all of them. */
export class KeepAlive {
  readonly #clock: Clock;
  /** The timer runs exactly while this is above 0. */
  #holds = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many hold the process now. */
  get holds(): number {
    return this.#holds;
  }

  /** Holds the process until the returned function is called; that is idempotent. */
  hold(): () => void {
    this.#holds++;
    if (this.#holds === 1) this.#beat();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#holds === 0) this.#cancel?.();
    };
  }

  /** Holds the process until `waiting` settles, and settles as it does. */
  async during<T>(waiting: Promise<T>): Promise<T> {
    const letGo = this.hold();
    try {
      return await waiting;
    } finally {
      letGo();
    }
  }

  #beat(): void {
    this.#cancel = this.#clock.setTimer(beatMs, () => this.#beat(), { keepAlive: true });
  }
}
