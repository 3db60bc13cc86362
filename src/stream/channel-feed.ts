/**
 * One channel of a time-tick stream on its way to the aligner: batches that were fetched and not yet taken.
 */
import type { Clock } from "../base/clock.js";
import { closeAll } from "../base/close-all.js";
import type { LogRecord } from "../backend/index.js";
import type { PlacedReader } from "./place-in-channel.js";
import { bytesOf } from "./record-reader.js";
import { retried } from "./retried.js";

/** What a feed tells its owner. */
export interface FeedListener {
  /** There is more to take. */
  arrived(feed: ChannelFeed): void;
  /** Nothing more is there: it waits. */
  parked(feed: ChannelFeed): void;
  failed(error: unknown): void;
}

interface Batch {
  readonly records: readonly LogRecord[];
  readonly bytes: number;
  /** Of each record. */
  readonly sizes: readonly number[];
}

/** At most one fetch at a time. */
export class ChannelFeed {
  readonly #placed: PlacedReader;
  readonly #clock: Clock;
  readonly #listener: FeedListener;
  /** In the order of the log; none of them is empty. */
  #batches: Batch[] = [];
  /** In the first batch. */
  #at = 0;
  #bytes = 0;
  #fetching: Promise<void> | undefined;
  readonly #ending = new AbortController();
  /** When the fetch under way was asked for; undefined once it has come to wait for what is said. */
  #askedMs: number | undefined;
  /** When the last batch came. */
  #cameMs = 0;
  /**
   * When the channel spoke last, else when it was taken on; by the monotonic clock. What lay there already was said by the time that it was
   * asked for, however long the answer took; and whoever was made to wait was not silent. Never goes back.
   */
  heardMs: number;

  constructor(placed: PlacedReader, clock: Clock, listener: FeedListener) {
    this.#placed = placed;
    this.#clock = clock;
    this.#listener = listener;
    this.heardMs = clock.monotonicMs();
    placed.reader.whenAtTail(() => {
      this.#askedMs = undefined;
      listener.parked(this);
    });
  }

  get channel(): string {
    return this.#placed.place.position.channelName;
  }

  get group(): string {
    return this.#placed.place.position.msgGroup;
  }

  /** Of the batches that are not taken to their end. */
  get bytes(): number {
    return this.#bytes;
  }

  get empty(): boolean {
    return this.#batches.length === 0;
  }

  /** Whether nothing is there to take, and nothing was when the log was last looked at. */
  get silent(): boolean {
    return this.empty && this.#placed.reader.atTail;
  }

  /** Whether a fetch would be one more. */
  get idle(): boolean {
    return this.#fetching === undefined && !this.#ending.signal.aborted;
  }

  fetch(): void {
    this.#fetching ??= this.#fetch();
  }

  /** The next record, left where it is. */
  get first(): LogRecord | undefined {
    return this.#batches[0]?.records[this.#at];
  }

  /** What the next record takes. */
  get firstBytes(): number {
    return this.#batches[0]?.sizes[this.#at] ?? 0;
  }

  /** The next record is done with. */
  shift(): void {
    this.#at++;
    const [first] = this.#batches;
    if (first === undefined || this.#at < first.records.length) return;
    this.#batches.shift();
    this.#bytes -= first.bytes;
    this.#at = 0;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs > this.#cameMs) this.heardMs = nowMs;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#batches = [];
    await closeAll(
      () => this.#placed.reader.close(),
      async () => this.#fetching,
    );
  }

  async #fetch(): Promise<void> {
    try {
      const batch = await retried(this.#placed.reader, this.#clock, this.#ending.signal, () => {
        this.#askedMs = this.#clock.monotonicMs();
      });
      this.#fetching = undefined;
      if (batch === undefined || this.#ending.signal.aborted) return;
      this.#hold(batch);
      this.#listener.arrived(this);
    } catch (error) {
      this.#ending.abort();
      this.#listener.failed(error);
    }
  }

  #hold(records: readonly LogRecord[]): void {
    this.#cameMs = this.#clock.monotonicMs();
    this.heardMs = Math.max(this.heardMs, this.#askedMs ?? this.#cameMs);
    const sizes = records.map(bytesOf);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    this.#batches.push({ records, bytes, sizes });
    this.#bytes += bytes;
  }
}
