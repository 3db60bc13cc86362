/**
 * What happens to something, told to whoever listens. A slow listener loses the oldest, and is told how many.
 *
 *     emit ─▶ every listener's queue (at most 1,000) ─▶ its loop
 */
import { AsyncQueue } from "./async-queue.js";
import type { Closable } from "./closable.js";
import type { Clock } from "./clock.js";
import { KeepAlive } from "./keep-alive.js";

/** What one listener may have waiting. */
const mostWaiting = 1_000;

/** All listeners of one thing. `missed` of an event is how many were dropped right before it. */
export class EventListeners<Event extends { readonly missed?: number }> {
  /** Who waits for the next event holds the process. */
  readonly #keepAlive: KeepAlive;
  readonly #listeners = new Set<AsyncQueue<Event>>();
  /** What a listener that comes later is told first. */
  readonly #standing: Event[] = [];
  /** What holds for now, under the key by which it is let go. */
  readonly #holding = new Map<string, Event>();
  #closed = false;

  constructor(clock: Clock) {
    this.#keepAlive = new KeepAlive(clock);
  }

  /** All listeners get the same event, frozen with its lists. */
  emit(event: Event): void {
    for (const part of Object.values(event)) if (Array.isArray(part)) Object.freeze(part);
    Object.freeze(event);
    for (const listener of this.#listeners) listener.push(event);
  }

  /** Emits what holds for as long as the thing is open. */
  emitStanding(event: Event): void {
    this.#standing.push(event);
    this.emit(event);
  }

  /** Emits what holds until it is let go, or something else is held under that key. */
  hold(key: string, event: Event): void {
    this.#holding.set(key, event);
    this.emit(event);
  }

  letGo(key: string): void {
    this.#holding.delete(key);
  }

  /** A loop that begins after the end is over at once. */
  listen(): AsyncIterable<Event> & Closable {
    const listener: AsyncQueue<Event> = new AsyncQueue<Event>({
      capacity: mostWaiting,
      whenFull: "drop-oldest",
      mark: (event, missed) => ({ ...event, missed }),
      onClose: () => this.#listeners.delete(listener),
      keepAlive: this.#keepAlive,
    });
    if (this.#closed) listener.end();
    else this.#listeners.add(listener);
    for (const event of [...this.#standing, ...this.#holding.values()]) listener.push(event);
    return listener;
  }

  /** Ends all loops; what is still waiting in them is dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
  }
}
