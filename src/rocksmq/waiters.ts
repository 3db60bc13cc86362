/**
 * Who waits on which channel. Woken by the engine's events, never by looking again and again.
 */
import { Parked, type Patience } from "./parked.js";

/** All that are parked, by channel. */
export class Waiters {
  readonly #parked = new Map<string, Set<Parked>>();

  /** Parks until the channel is rung. `handle` gets what can ring this one alone. */
  async park(channel: string, patience: Patience, handle?: (parked: Parked) => void): Promise<"rung" | "timeout"> {
    const parked = new Parked(patience);
    const here = this.#parked.get(channel) ?? new Set();
    this.#parked.set(channel, here.add(parked));
    handle?.(parked);
    try {
      return await parked.ended;
    } finally {
      here.delete(parked);
      if (here.size === 0 && this.#parked.get(channel) === here) this.#parked.delete(channel);
    }
  }

  /** Something happened on the channel. */
  ring(channel: string): void {
    for (const parked of this.#parked.get(channel) ?? []) parked.ring();
  }

  /** Something happened that concerns everybody: the store failed, or closes. */
  ringAll(): void {
    for (const channel of this.#parked.keys()) this.ring(channel);
  }
}
