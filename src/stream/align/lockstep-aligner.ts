/**
 * Packs as Milvus makes them: one only where all channels show the same tick.
 *
 *     round   c1         c2
 *       1     a@4  T10   b@6  T10      the same: (0,10]
 *       2     a@12 T20   b@13 T15      c1 is ahead and pauses
 *       3                b@18 T20      the same: (10,20], and nothing for 15
 *
 * Every round each channel that is not ahead reads up to its next tick. Channels whose ticks never meet give no pack at all.
 */
import { assert } from "../../base/assert.js";
import { maxTick, type MsgPosition, type TimeTick } from "../../message/index.js";
import type { StreamRecord } from "../stream-record.js";
import type { Aligner, AlignerOptions, CutPack } from "./aligner.js";
import { LockstepChannel } from "./lockstep-channel.js";
import { zeroTick } from "./place.js";
import { Pursuit, type PursuitOptions } from "./pursuit.js";
import { packOf, releaseWindow, type Window } from "./window.js";

/** The rule of the reference, step by step (spec 3.3 and 3.5). */
export class LockstepAligner implements Aligner {
  readonly #options: AlignerOptions;
  readonly #pursuit: Pursuit | undefined;
  readonly #channels = new Map<string, LockstepChannel>();
  /** The last tick that all had together. */
  #lastTs = zeroTick;
  /** As the packs that came out say; behind `#lastTs` while windows are merged. */
  #packedTs = zeroTick;

  constructor(options: AlignerOptions, pursuit: PursuitOptions | undefined) {
    this.#options = options;
    this.#pursuit = pursuit === undefined ? undefined : new Pursuit(pursuit);
  }

  get watermark(): TimeTick {
    return this.#packedTs;
  }

  get behind(): readonly string[] {
    return [...this.#channels].flatMap(([name, { reads }]) => (reads ? [name] : []));
  }

  add(position: MsgPosition): void {
    this.#channels.set(position.channelName, new LockstepChannel(position, this.#lastTs, this.#options.beforeAll));
  }

  wants(channel: string): boolean {
    return this.#channel(channel).reads;
  }

  take(channel: string, record: StreamRecord, nowMs: number): CutPack | undefined {
    const from = this.#channel(channel);
    from.take(record);
    return from.reads ? undefined : this.#compare(nowMs);
  }

  /** All are waited for, always. */
  leaveOut(): undefined {
    return undefined;
  }

  passTime(nowMs: number): CutPack | undefined {
    const merged = this.#pursuit?.passTime(nowMs);
    return merged === undefined ? undefined : this.#pack(merged);
  }

  get dueMs(): number | undefined {
    return this.#pursuit?.dueMs;
  }

  latestTick(channel: string): TimeTick {
    return this.#channel(channel).lastTick;
  }

  heldBytes(channel: string): number {
    return this.#channel(channel).held.bytes;
  }

  untickedBytes(channel: string): number {
    return this.#channel(channel).untickedBytes;
  }

  #channel(name: string): LockstepChannel {
    const channel = this.#channels.get(name);
    assert(channel !== undefined, `the aligner knows channel ${name}`);
    return channel;
  }

  /** At the end of a round: everybody has come to a tick. */
  #compare(nowMs: number): CutPack | undefined {
    const channels = [...this.#channels.values()];
    if (channels.some(({ reads }) => reads)) return undefined;
    const latest = maxTick(...channels.map(({ lastTick }) => lastTick));
    const areSame = channels.every(({ lastTick }) => lastTick === latest);
    for (const channel of channels) channel.reads = areSame || channel.lastTick < latest;
    if (!areSame || latest <= this.#lastTs) return undefined;
    const window = this.#window(latest);
    this.#lastTs = latest;
    const whole = this.#pursuit === undefined ? window : this.#pursuit.add(window, nowMs);
    return whole === undefined ? undefined : this.#pack(whole);
  }

  #window(endTs: TimeTick): Window {
    const span = { beginTs: this.#packedTs, lastTs: this.#lastTs, endTs };
    return releaseWindow(this.#channels, span, ({ position }) => position);
  }

  #pack(window: Window): CutPack {
    this.#packedTs = window.endTs;
    return packOf(window, this.#options);
  }
}
