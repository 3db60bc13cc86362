/**
 * One line on stderr that is written over as long work goes on; nothing at all when stderr is no terminal.
 */
import type { Clock } from "../base/clock.js";
import { fit } from "./cell.js";
import type { Output } from "./output.js";

/** Redraws at most this often. */
const everyMs = 200;

/** Shown from the first 200 ms of work on. */
export class Progress {
  readonly #stderr: Output;
  readonly #clock: Clock;
  #dueAt: number;
  #shown = false;

  constructor(stderr: Output, clock: Clock) {
    this.#stderr = stderr;
    this.#clock = clock;
    this.#dueAt = clock.monotonicMs() + everyMs;
  }

  /** Cheap to call often: `text` is asked for only when a redraw is due. */
  async show(text: () => string): Promise<void> {
    if (!this.#stderr.isTerminal || this.#clock.monotonicMs() < this.#dueAt) return;
    this.#dueAt = this.#clock.monotonicMs() + everyMs;
    this.#shown = true;
    await this.#stderr.write(`\r\u001b[K${fit(text(), this.#stderr.columns - 1)}`);
  }

  /** Takes the line away, if it is there. */
  async clear(): Promise<void> {
    if (!this.#shown) return;
    this.#shown = false;
    await this.#stderr.write("\r\u001b[K");
  }
}
