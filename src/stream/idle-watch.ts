/**
 * Finds channels that have been silent for too long to be waited for.
 */
import type { Clock } from "../base/clock.js";
import type { ChannelFeed } from "./channel-feed.js";

/** How soon to look again at a channel whose log is being looked at right now. */
const soonMs = 20;

/** Watches feeds, with one timer for all. */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #onIdle: (feed: ChannelFeed) => void;
  readonly #feeds = new Set<ChannelFeed>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, idleMs: number, onIdle: (feed: ChannelFeed) => void) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  /** It is waited for: told once when it has been silent for long enough. */
  watch(feed: ChannelFeed): void {
    if (this.#idleMs === Infinity) return;
    this.#feeds.add(feed);
    if (this.#cancel === undefined) this.#arm(0);
  }

  /** It has spoken, or is not asked. */
  forget(feed: ChannelFeed): void {
    this.#feeds.delete(feed);
  }

  end(): void {
    this.#feeds.clear();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(leastMs: number): void {
    if (this.#feeds.size === 0) return;
    const nowMs = this.#clock.monotonicMs();
    const dueMs = Math.min(...[...this.#feeds].map(({ heardMs }) => heardMs + this.#idleMs));
    this.#cancel = this.#clock.setTimer(Math.max(leastMs, dueMs - nowMs), () => {
      this.#cancel = undefined;
      this.#look();
    });
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const feed of this.#feeds) {
      if (feed.heardMs + this.#idleMs > nowMs || !feed.silent) continue;
      this.#feeds.delete(feed);
      this.#onIdle(feed);
    }
    if (this.#cancel === undefined) this.#arm(soonMs);
  }
}
