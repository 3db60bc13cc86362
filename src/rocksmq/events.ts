/**
 * What happens to the store, told to whoever listens. A slow listener loses the oldest, and is told how many.
 *
 *     emit ─▶ every listener's queue (at most 1,000) ─▶ its loop
 */
import { AsyncQueue } from "../base/async-queue.js";
import type { Closable } from "../base/closable.js";
import type { Clock } from "../base/clock.js";
import { KeepAlive } from "../base/keep-alive.js";

/** `missed`: how many were dropped right before this one. */
export type RocksMqEvent = { readonly missed?: number } & (
  | { readonly type: "trimmed"; readonly channel: string; readonly beginId: bigint; readonly bytes: number }
  | { readonly type: "retention-blocked"; readonly channel: string; readonly groups: readonly string[]; readonly bytes: number }
  | { readonly type: "retention-forced"; readonly channel: string; readonly groups: readonly string[]; readonly messages: bigint }
  | { readonly type: "compacted"; readonly segments: number; readonly bytesFreed: number }
  | { readonly type: "recovered"; readonly droppedBytes: number; readonly ms: number }
  | { readonly type: "failed"; readonly error: Error }
);

/** What one listener may have waiting. */
const mostWaiting = 1_000;

/** All listeners of one queue. */
export class Events {
  /** Who waits for the next event holds the process. */
  readonly #keepAlive: KeepAlive;
  readonly #listeners = new Set<AsyncQueue<RocksMqEvent>>();
  /** What a listener that comes later is told first. */
  readonly #standing: RocksMqEvent[] = [];
  /** What holds for now, under the key by which it is let go. */
  readonly #holding = new Map<string, RocksMqEvent>();

  constructor(clock: Clock) {
    this.#keepAlive = new KeepAlive(clock);
  }

  emit(event: RocksMqEvent): void {
    for (const listener of this.#listeners) listener.push(event);
  }

  /** Emits what holds for as long as the queue is open. */
  emitStanding(event: RocksMqEvent): void {
    this.#standing.push(event);
    this.emit(event);
  }

  /** Emits what holds until it is let go, or something else is held under that key. */
  hold(key: string, event: RocksMqEvent): void {
    this.#holding.set(key, event);
    this.emit(event);
  }

  letGo(key: string): void {
    this.#holding.delete(key);
  }

  listen(): AsyncIterable<RocksMqEvent> & Closable {
    const listener: AsyncQueue<RocksMqEvent> = new AsyncQueue<RocksMqEvent>({
      capacity: mostWaiting,
      whenFull: "drop-oldest",
      mark: (event, missed) => ({ ...event, missed }),
      onClose: () => this.#listeners.delete(listener),
      keepAlive: this.#keepAlive,
    });
    this.#listeners.add(listener);
    for (const event of [...this.#standing, ...this.#holding.values()]) listener.push(event);
    return listener;
  }

  /** Ends all loops; what is still waiting in them is dropped. */
  async close(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
  }
}
