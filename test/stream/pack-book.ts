/**
 * The books of a reader of many channels: which messages of each were in packs by then, for every place that a pack ended at.
 *
 * They know nothing of how packs are made. From a checkpoint on exactly the others must come, each once; every pack that is entered is held to the laws.
 */
import { int64Of, type MessageId, type MsgPack, type MsgPosition, type TimeTick, type TsMsg } from "../../src/message/index.js";
import { zeroTick } from "../../src/stream/align/place.js";

export type Alignment = "watermark" | "lockstep";

/** A record as its channel has it; without a message it holds nothing for a stream. */
export interface Logged {
  readonly id: MessageId;
  readonly msg: TsMsg | undefined;
}

/** A place of one channel. */
export interface Place {
  readonly position: MsgPosition;
  /** The messages that were in packs before. */
  readonly done: ReadonlySet<bigint>;
  /** What nobody wants: from that record on what is not after the timestamp, up to the first tick that is not before it. */
  readonly skips?: { readonly from: bigint; readonly timestamp: TimeTick } | undefined;
}

/** Everything that takes part, and where it stands. */
export class PackBook {
  readonly #alignment: Alignment;
  readonly #logs: ReadonlyMap<string, readonly Logged[]>;
  /** Where each pack ended, by channel. */
  readonly ends: ReadonlyMap<string, Place>[] = [];
  #places = new Map<string, Place>();
  /** Added perhaps behind packs that are on their way: those do not know them. */
  readonly #news = new Set<string>();
  /** Where the next pack may begin. */
  #begins: readonly TimeTick[] = [zeroTick];
  #late = 0;

  /** @param logs the channels, as they grow */
  constructor(alignment: Alignment, logs: ReadonlyMap<string, readonly Logged[]>) {
    this.#alignment = alignment;
    this.#logs = logs;
  }

  get places(): ReadonlyMap<string, Place> {
    return this.#places;
  }

  /** Late messages that were entered. */
  get late(): number {
    return this.#late;
  }

  /** Everybody begins anew, at these places. */
  beginAnew(places: ReadonlyMap<string, Place>): void {
    this.#places = new Map(places);
    this.#news.clear();
    this.#begins = [this.#leastTimestamp()];
  }

  /** Another channel takes part. @param begun whether anything was read before; undefined: it may have been */
  add(channel: string, place: Place, begun: boolean | undefined): void {
    this.#places.set(channel, place);
    if (begun === undefined) this.#news.add(channel);
    if (begun === true) return;
    this.#begins = [...(begun === false ? [] : this.#begins), this.#leastTimestamp()];
  }

  /** The pack came. @throws for the law that it breaks */
  enter({ beginTs, endTs, msgs, endPositions }: MsgPack): void {
    must(
      this.#begins.includes(beginTs),
      () => `a pack begins where the one before it ended, at ${this.#begins.join(" or ")} and not ${beginTs}`,
    );
    must(endTs > beginTs, () => `a pack spans something, not (${beginTs},${endTs}]`);
    this.#begins = [endTs];
    for (const msg of msgs) this.#checkSpan(msg, beginTs, endTs);
    const ends = new Map(endPositions.map((position) => [position.channelName, position]));
    for (const channel of ends.keys()) this.#news.delete(channel);
    for (const [channel, place] of this.#places) this.#places.set(channel, this.#enterChannel(channel, place, msgs, ends));
    this.ends.push(new Map([...this.#places].filter(([channel]) => !this.#news.has(channel))));
  }

  /** Messages that are in no pack and that somebody wants. */
  missing(): string[] {
    return [...this.#places].flatMap(([channel, place]) =>
      this.#log(channel).flatMap(({ id, msg }) => {
        const isMessage = msg !== undefined && msg.type !== "timeTick";
        return isMessage && !place.done.has(int64Of(id)) && !this.#isSkipped(channel, place, id, msg)
          ? [`${channel} ${id.toString()}`]
          : [];
      }),
    );
  }

  #checkSpan({ late, endTs: ts }: TsMsg, beginTs: TimeTick, endTs: TimeTick): void {
    if (late === true) this.#late++;
    must(ts <= endTs, () => `${ts} is in a pack up to ${endTs}`);
    must(late === true || ts > beginTs, () => `${ts} is in a pack from ${beginTs} on, and not late`);
    if (this.#alignment === "watermark") must(late !== true || ts <= beginTs, () => `${ts} is late in a pack from ${beginTs} on`);
  }

  /** Where the pack ends in this channel. */
  #enterChannel(channel: string, place: Place, msgs: readonly TsMsg[], ends: ReadonlyMap<string, MsgPosition>): Place {
    const done = new Set(place.done);
    let last = -1n;
    for (const msg of msgs) {
      const msgId = msg.position?.msgId;
      if (msg.position?.channelName !== channel || msgId === undefined) continue;
      const id = int64Of(msgId);
      must(id > last, () => `${channel} is in log order, but ${id} stands behind ${last}`);
      must(!done.has(id), () => `message ${id} of ${channel} is in one pack only`);
      must(!this.#isSkipped(channel, place, msgId, msg), () => `message ${id} of ${channel} is not after ${place.skips?.timestamp}`);
      done.add(id);
      last = id;
    }
    must(ends.has(channel) || this.#news.has(channel), () => `the checkpoint names ${channel}`);
    return { ...place, position: ends.get(channel) ?? place.position, done };
  }

  /** Whether the place's owner had said that it does not want this message. */
  #isSkipped(channel: string, { skips }: Place, id: MessageId, { endTs }: TsMsg): boolean {
    if (skips === undefined || endTs > skips.timestamp) return false;
    const { from, timestamp } = skips;
    const over = this.#log(channel).find(
      (record) => int64Of(record.id) >= from && record.msg?.type === "timeTick" && record.msg.endTs >= timestamp,
    );
    return over === undefined || id.compare(over.id) < 0;
  }

  #leastTimestamp(): TimeTick {
    if (this.#alignment === "lockstep") return zeroTick;
    const ticks = [...this.#places.values()].map(({ position }) => position.timestamp);
    return ticks.length === 0 ? zeroTick : ticks.reduce((least, other) => (other < least ? other : least));
  }

  #log(channel: string): readonly Logged[] {
    return this.#logs.get(channel) ?? [];
  }
}

/** @throws with what was broken */
export function must(holds: boolean, what: () => string): void {
  if (!holds) throw new Error(what());
}
