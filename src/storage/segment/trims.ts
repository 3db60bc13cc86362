/**
 * What the draft of a turn could not know of its trims: where they have their channels begin, and how much they take away. It is found out in the
 * turn of the log that stores them, when nothing else moves.
 *
 * A channel begins behind the last message that goes: ids may have gaps, and whoever stands in one has lost nothing. Mostly its runs know that. Where
 * one with gaps is cut it must be looked at: so the turn ends with that trim, for those behind it to see where the channel begins.
 *
 * A place that can't be read keeps nobody from trimming it away: then the channel begins where it was asked to, and the accounts go by the share
 * of the ids.
 */
import type { Logger } from "../../base/logger.js";
import { beginBehind } from "../draft-rules.js";
import { lastTrimmed } from "../last-trimmed.js";
import { cutBy } from "../stretches.js";
import type { ReadSource } from "./channel-reader.js";
import type { ChannelState } from "./channel-state.js";
import type { ControlRecord } from "./control-record.js";
import type { LogState } from "./log-state.js";
import { lastInRun } from "./last-in-run.js";
import { bytesBehind } from "./trim-bytes.js";

type TrimRecord = Extract<ControlRecord, { readonly type: "trim" }>;

/** What earlier trims of a group came to in a channel. */
interface Before {
  readonly beginId: bigint;
  readonly bytes: number;
}

/** See above. */
export class Trims {
  readonly #state: LogState;
  readonly #source: ReadSource;
  readonly #logger: Logger;

  constructor(state: LogState, source: ReadSource, logger: Logger) {
    this.#state = state;
    this.#source = source;
    this.#logger = logger;
  }

  /** Completes the trims among a group's records. Whoever has said how much goes has said where, too. */
  async enter(records: ControlRecord[]): Promise<void> {
    const earlier = new Map<number, Before>();
    for (const [at, record] of records.entries()) {
      if (record.type !== "trim") continue;
      const before = earlier.get(record.channel);
      const trim = record.bytes === undefined ? await this.#complete(record, before) : record;
      records[at] = trim;
      earlier.set(record.channel, { beginId: trim.beginId, bytes: (before?.bytes ?? 0) + (trim.bytes ?? 0) });
    }
  }

  async #complete(record: TrimRecord, before: Before | undefined): Promise<TrimRecord> {
    const channel = this.#state.channelByNumber(record.channel);
    // Made in this group: what it will hold is counted when it comes.
    if (channel === undefined) return { ...record, bytes: 0 };
    const beginId = await this.#begin(channel, record.beginId, before?.beginId ?? channel.beginId);
    return { ...record, beginId, bytes: await this.#bytesBelow(channel, beginId, before?.bytes ?? 0) };
  }

  async #begin(channel: ChannelState, beforeId: bigint, begin: bigint): Promise<bigint> {
    const run = cutBy(channel.runs, beforeId);
    if (run === undefined) return beforeId;
    const trim = { channel: channel.name, beforeId, logger: this.#logger };
    return beginBehind(await lastTrimmed(trim, () => lastInRun(channel, this.#source, run, beforeId)), begin);
  }

  /** What a channel holds below `id`, but for what went before. Undefined when that can't be read. */
  async #bytesBelow(channel: ChannelState, id: bigint, before: number): Promise<number | undefined> {
    try {
      return Math.max(0, channel.bytes - before - (await bytesBehind(channel, this.#source, id)));
    } catch (error) {
      this.#logger.warn({ err: error, channel: channel.name }, "how many bytes a trim removes can't be read: it is estimated");
      return undefined;
    }
  }
}
