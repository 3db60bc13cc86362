/**
 * Packs of a time-tick stream: feeds bring records, the aligner cuts.
 *
 *     log ─▶ feed ─┐            behind: read until it has a tick, at most half of alignBytes
 *     log ─▶ feed ─┤ aligner ─▶ queue of packs
 *     log ─▶ feed ─┘            ahead: left alone; all of them together fetch up to half of alignBytes
 *
 * It turns whenever something has arrived, there is room for packs again, or time has passed; and in between it does nothing.
 */
import type { Clock } from "../base/clock.js";
import { closeTogether } from "../base/close-all.js";
import { TidemarkError } from "../base/errors.js";
import type { Aligner, CutPack } from "./align/aligner.js";
import { ChannelFeed } from "./channel-feed.js";
import { IdleWatch } from "./idle-watch.js";
import type { TtSettings } from "./options.js";
import type { PackQueue } from "./pack-queue.js";
import type { PackSource } from "./pack-source.js";
import type { PlacedReader } from "./place-in-channel.js";
import type { RecordReader } from "./record-reader.js";
import { type Stall, StallWatch, type Waiting } from "./stall-watch.js";

/** What a source is made of. */
export interface TtSourceParts {
  readonly queue: PackQueue;
  readonly records: RecordReader;
  readonly aligner: Aligner;
  readonly settings: TtSettings;
  readonly clock: Clock;
  readonly onStall: (stall: Stall | undefined) => void;
}

/** After so many records others get their turn. */
const recordsATurn = 1_000;

/** Reads and aligns, from one seek to the next. */
export class TtSource implements PackSource {
  readonly #parts: TtSourceParts;
  readonly #feeds: ChannelFeed[] = [];
  readonly #idle: IdleWatch;
  readonly #stall: StallWatch;
  /** Silent, and not waited for until they speak. */
  readonly #leftOut = new Set<ChannelFeed>();
  #begun = false;
  #closed = false;
  #turning = false;
  #turnAgain = false;
  #cancelDue: (() => void) | undefined;

  constructor(parts: TtSourceParts) {
    this.#parts = parts;
    const { clock, settings, queue, onStall } = parts;
    this.#idle = new IdleWatch(clock, settings.idleMs, (feed) => this.#leaveOut(feed));
    this.#stall = new StallWatch(clock, { waiting: () => this.#waiting(), stalled: onStall, resumed: () => onStall(undefined) });
    queue.whenRoom(() => this.#turn());
  }

  add(placed: PlacedReader): void {
    this.#feeds.push(
      new ChannelFeed(placed, this.#parts.clock, {
        arrived: (feed) => this.#arrived(feed),
        parked: (feed) => this.#idle.parked(feed),
        failed: (error) => this.#fail(error),
      }),
    );
    this.#parts.aligner.add(placed.place.position);
    this.#turn();
  }

  begin(): void {
    this.#begun = true;
    this.#turn();
  }

  async close(): Promise<void> {
    this.#end();
    await closeTogether(this.#feeds);
  }

  #end(): void {
    this.#closed = true;
    this.#idle.end();
    this.#stall.end();
    this.#cancelDue?.();
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#end();
    this.#parts.queue.fail(error);
  }

  #arrived(feed: ChannelFeed): void {
    this.#idle.forget(feed);
    this.#leftOut.delete(feed);
    this.#turn();
  }

  #leaveOut(feed: ChannelFeed): void {
    this.#leftOut.add(feed);
    this.#push(this.#parts.aligner.leaveOut(feed.channel));
    this.#turn();
  }

  /** Does what there is to do. One turn at a time: what happens meanwhile is seen by another one. */
  #turn(): void {
    this.#turnAgain = true;
    if (this.#turning || !this.#begun || this.#closed) return;
    this.#turning = true;
    void this.#turns();
  }

  /** Never rejects. */
  async #turns(): Promise<void> {
    try {
      while (this.#turnAgain && !this.#closed) {
        this.#turnAgain = false;
        while (!this.#closed && !this.#parts.queue.full && this.#takeSome()) await new Promise((resolve) => setImmediate(resolve));
        if (!this.#closed) this.#fetch();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#turning = false;
    }
  }

  /** Takes what the aligner wants, as long as it is somebody's turn. Whether there is more. */
  #takeSome(): boolean {
    const { queue } = this.#parts;
    let left = recordsATurn;
    for (let took = true; took && left > 0 && !queue.full;) {
      took = false;
      for (const feed of this.#feeds) {
        const taken = this.#takeFrom(feed, left);
        left -= taken;
        took ||= taken > 0;
      }
    }
    return left <= 0;
  }

  /** How many records were taken. */
  #takeFrom(feed: ChannelFeed, most: number): number {
    const { aligner, records, queue, clock } = this.#parts;
    const nowMs = clock.nowMs();
    let taken = 0;
    for (let next = feed.first; next !== undefined && taken < most && !queue.full && aligner.wants(feed.channel); next = feed.first) {
      const record = records.read(next, feed.channel, feed.group, feed.firstBytes);
      feed.shift();
      this.#push(aligner.take(feed.channel, record, nowMs));
      taken++;
    }
    return taken;
  }

  #push(cut: CutPack | undefined): void {
    if (cut === undefined) return;
    this.#parts.queue.push(cut);
    this.#stall.progress();
  }

  /** Asks for more, where more may be held. Everything that the aligner wants and that is here was taken. */
  #fetch(): void {
    const { aligner, queue, settings } = this.#parts;
    if (queue.full) return;
    const half = settings.alignBytes / 2;
    let held = 0;
    let heldAhead = 0;
    let paused = false;
    const wanted = this.#feeds.filter(({ channel }) => aligner.wants(channel));
    for (const { bytes, channel } of this.#feeds) held += bytes + aligner.heldBytes(channel);
    const behind = new Set(wanted);
    for (const feed of this.#feeds) if (!behind.has(feed)) heldAhead += feed.bytes + aligner.heldBytes(feed.channel);
    for (const feed of this.#feeds) {
      if (behind.has(feed)) this.#fetchBehind(feed, held);
      else if (heldAhead < half) feed.fetch();
      else paused = true;
      if (this.#closed) return;
    }
    if (held > 0) this.#stall.look(paused);
    else this.#stall.rest();
    this.#watchTime();
  }

  #fetchBehind(feed: ChannelFeed, held: number): void {
    const { aligner, settings } = this.#parts;
    const unticked = aligner.untickedBytes(feed.channel);
    if (unticked >= settings.alignBytes / 2)
      return this.#fail(overloaded(`channel ${JSON.stringify(feed.channel)} has ${unticked} bytes without a tick`, settings));
    if (held >= settings.alignBytes)
      return this.#fail(overloaded(`${held} bytes of all channels wait for a tick that all have reached`, settings));
    feed.fetch();
    if (!this.#leftOut.has(feed)) this.#idle.watch(feed);
  }

  #watchTime(): void {
    const { aligner, clock } = this.#parts;
    if (aligner.dueMs === undefined || this.#cancelDue !== undefined) return;
    this.#cancelDue = clock.setTimer(Math.max(0, aligner.dueMs - clock.nowMs()), () => {
      this.#cancelDue = undefined;
      this.#push(aligner.passTime(clock.nowMs()));
      this.#turn();
    });
  }

  #waiting(): Waiting {
    const { aligner, queue } = this.#parts;
    const bufferedBytes = this.#feeds.reduce((bytes, feed) => bytes + feed.bytes + aligner.heldBytes(feed.channel), 0);
    if (bufferedBytes === 0 || queue.full) return undefined;
    const channels = aligner.behind;
    // Whoever is being read may have its tick in the next batch.
    return this.#feeds.some((feed) => !feed.silent && channels.includes(feed.channel)) ? "reading" : { channels, bufferedBytes };
  }
}

function overloaded(what: string, { alignBytes }: TtSettings): TidemarkError<"overloaded"> {
  const text = `${what}, with alignBytes ${alignBytes}: see to it that ticks are written, or give it more`;
  return new TidemarkError("overloaded", text, { alignBytes });
}
