/**
 * Packs that end at the watermark: the least of the channels' latest ticks.
 *
 *     c1  T10 ······ T20 ········ T30          latest 30
 *     c2  ····· T12 ·········· T25             latest 25  ◀ the watermark; only c2 is asked for more
 *
 *     each advance is one pack, an empty one too:  (0,10]  (10,12]  (12,20]  (20,25]
 *
 * The watermark never goes back. A channel that is added later, or speaks again after it was left out, holds it still until its own ticks have passed it.
 */
import { assert } from "../../base/assert.js";
import type { MsgPosition, TimeTick } from "../../message/index.js";
import type { StreamRecord } from "../stream-record.js";
import type { Aligner, AlignerOptions, CutPack } from "./aligner.js";
import { zeroTick } from "./place.js";
import { WatermarkChannel } from "./watermark-channel.js";
import { packOf, releaseWindow } from "./window.js";

/** D14's alignment, the default. */
export class WatermarkAligner implements Aligner {
  readonly #options: AlignerOptions;
  readonly #channels = new Map<string, WatermarkChannel>();
  /** Never goes back, once something was taken. */
  #watermark = zeroTick;
  /** The least latest tick of those that are waited for, and how many have it; 0 of them: it must be found anew. */
  #least = zeroTick;
  #atLeast = 0;
  #begun = false;

  constructor(options: AlignerOptions) {
    this.#options = options;
  }

  get watermark(): TimeTick {
    return this.#watermark;
  }

  get behind(): readonly string[] {
    this.#findLeast();
    return [...this.#channels].flatMap(([name, channel]) => (this.#isBehind(channel) ? [name] : []));
  }

  add(position: MsgPosition): void {
    this.#channels.set(position.channelName, new WatermarkChannel(position, this.#options.beforeAll));
    this.#atLeast = 0;
    if (!this.#begun) this.#watermark = leastOf([...this.#channels.values()].map(({ position: { timestamp } }) => timestamp));
  }

  wants(channel: string): boolean {
    this.#findLeast();
    const asked = this.#channel(channel);
    return asked.leftOut || this.#isBehind(asked);
  }

  take(channel: string, record: StreamRecord): CutPack | undefined {
    this.#begun = true;
    const from = this.#channel(channel);
    const before = from.latestTick;
    if (from.leftOut) {
      from.leftOut = false;
      this.#atLeast = 0;
    }
    from.take(record, this.#watermark);
    if (from.latestTick > before && before === this.#least && this.#atLeast > 0) this.#atLeast--;
    return this.#cutIfAdvanced();
  }

  leaveOut(channel: string): CutPack | undefined {
    this.#begun = true;
    const silent = this.#channel(channel);
    silent.endReplay();
    silent.leftOut = true;
    this.#atLeast = 0;
    return this.#cutIfAdvanced();
  }

  /** Time decides nothing here. */
  passTime(): undefined {
    return undefined;
  }

  get dueMs(): undefined {
    return undefined;
  }

  latestTick(channel: string): TimeTick {
    return this.#channel(channel).latestTick;
  }

  heldBytes(channel: string): number {
    return this.#channel(channel).held.bytes;
  }

  untickedBytes(channel: string): number {
    return this.#channel(channel).untickedBytes;
  }

  #channel(name: string): WatermarkChannel {
    const channel = this.#channels.get(name);
    assert(channel !== undefined, `the aligner knows channel ${name}`);
    return channel;
  }

  #isBehind(channel: WatermarkChannel): boolean {
    return !channel.leftOut && channel.latestTick === this.#least;
  }

  #findLeast(): void {
    if (this.#atLeast > 0) return;
    const waitedFor = [...this.#channels.values()].filter(({ leftOut }) => !leftOut);
    if (waitedFor.length === 0) return;
    this.#least = leastOf(waitedFor.map(({ latestTick }) => latestTick));
    this.#atLeast = waitedFor.filter(({ latestTick }) => latestTick === this.#least).length;
  }

  #cutIfAdvanced(): CutPack | undefined {
    this.#findLeast();
    // Nobody is waited for: what was the least may be nobody's any more.
    if (this.#atLeast === 0 || this.#least <= this.#watermark) return undefined;
    return this.#cut(this.#least);
  }

  #cut(endTs: TimeTick): CutPack {
    const beginTs = this.#watermark;
    const window = releaseWindow(this.#channels, { beginTs, lastTs: beginTs, endTs }, (channel) => channel.positionFor(beginTs));
    this.#watermark = endTs;
    return packOf(window, this.#options);
  }
}

/** 0 when there are none. */
function leastOf(ticks: readonly TimeTick[]): TimeTick {
  const [first = zeroTick, ...others] = ticks;
  return others.reduce((least, tick) => (tick < least ? tick : least), first);
}
