/**
 * What happens to the store, told to whoever listens. A slow listener loses the oldest, and is told how many.
 *
 *     emit ─▶ every listener's queue (at most 1,000) ─▶ its loop
 */
import type { Closable } from "../base/closable.js";
import type { Clock } from "../base/clock.js";
import { Parked } from "./parked.js";
import { PullLoop } from "./pull-loop.js";

/** Retention and compaction come with a later version. `missed`: how many were dropped right before this one. */
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
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  /** What a listener that comes later is told first. */
  readonly #standing: RocksMqEvent[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  emit(event: RocksMqEvent): void {
    for (const listener of this.#listeners) listener.take(event);
  }

  /** Emits what holds for as long as the queue is open. */
  emitStanding(event: RocksMqEvent): void {
    this.#standing.push(event);
    this.emit(event);
  }

  listen(): AsyncIterable<RocksMqEvent> & Closable {
    const listener: Listener = new Listener(this.#clock, () => this.#listeners.delete(listener));
    this.#listeners.add(listener);
    for (const event of this.#standing) listener.take(event);
    return listener;
  }

  /** Ends all loops; what is still waiting in them is dropped. */
  close(): void {
    for (const listener of this.#listeners) listener.end();
  }
}

class Listener implements AsyncIterable<RocksMqEvent>, Closable {
  readonly #clock: Clock;
  readonly #loop: PullLoop<RocksMqEvent>;
  #waiting: RocksMqEvent[] = [];
  #missed = 0;
  #parked: Parked | undefined;

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock;
    this.#loop = new PullLoop({
      what: "listener",
      pull: () => this.#next(),
      onEnd: () => {
        onEnd();
        this.#waiting = [];
        this.#parked?.ring();
      },
    });
  }

  take(event: RocksMqEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length > mostWaiting) {
      this.#waiting.shift();
      this.#missed += 1;
    }
    this.#parked?.ring();
  }

  end(): void {
    this.#loop.end();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<RocksMqEvent, undefined> {
    return this.#loop.iterator();
  }

  async #next(): Promise<RocksMqEvent | undefined> {
    if (this.#waiting.length === 0) {
      this.#parked = new Parked({ clock: this.#clock });
      await this.#parked.ended;
      this.#parked = undefined;
    }
    const event = this.#waiting.shift();
    const missed = this.#missed;
    this.#missed = 0;
    return event === undefined || missed === 0 ? event : { ...event, missed };
  }
}
