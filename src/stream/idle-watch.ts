/**
 * Finds channels that have been silent for too long to be waited for.
 */
import type { Clock } from "../base/clock.js";
import type { ChannelFeed } from "./channel-feed.js";

/** Watches feeds, with one timer for all. One whose time has come while its log is being looked at is told of once nothing was found there. */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #onIdle: (feed: ChannelFeed) => void;
  readonly #feeds = new Set<ChannelFeed>();
  #cancel: (() => void) | undefined;
  /** When the timer goes off, while there is one. */
  #armedMs = Infinity;

  constructor(clock: Clock, idleMs: number, onIdle: (feed: ChannelFeed) => void) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  /** It is waited for: told once when it has been silent for long enough. */
  watch(feed: ChannelFeed): void {
    if (this.#idleMs === Infinity) return;
    this.#feeds.add(feed);
    this.#tellOf(feed);
    if (this.#feeds.has(feed)) this.#arm(this.#dueMs(feed));
  }

  /** Nothing more was found in its log. */
  parked(feed: ChannelFeed): void {
    if (this.#feeds.has(feed)) this.#tellOf(feed);
  }

  /** It has spoken, or is not asked. */
  forget(feed: ChannelFeed): void {
    this.#feeds.delete(feed);
  }

  end(): void {
    this.#feeds.clear();
    this.#disarm();
  }

  #arm(dueMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (dueMs <= nowMs || dueMs >= this.#armedMs) return;
    this.#disarm();
    this.#armedMs = dueMs;
    this.#cancel = this.#clock.setTimer(dueMs - nowMs, () => this.#look());
  }

  #disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#armedMs = Infinity;
  }

  #look(): void {
    this.#disarm();
    for (const feed of this.#feeds) this.#tellOf(feed);
    for (const feed of this.#feeds) this.#arm(this.#dueMs(feed));
  }

  #tellOf(feed: ChannelFeed): void {
    if (this.#dueMs(feed) > this.#clock.monotonicMs() || !feed.silent) return;
    this.#feeds.delete(feed);
    this.#onIdle(feed);
  }

  #dueMs({ heardMs }: ChannelFeed): number {
    return heardMs + this.#idleMs;
  }
}
