/**
 * What a trim takes away, to the byte. The accounts know what each run of a channel holds, and the index what each extent does; of the one
 * extent that the trim cuts, the frames are looked at.
 *
 *     runs       [░░░░░░][░░░░|      ][        ]       ░ goes
 *     extents            [░][░|][  ]
 *     frames                [░][░|][ ]
 *
 * It is found out in the turn of the log that stores the trim, when nothing else moves. A place that can't be read keeps nobody from trimming
 * it away: then it is not known, and the accounts go by the share of the ids.
 */
import type { Logger } from "../../base/logger.js";
import { bytesFrom } from "./batch-place.js";
import { framesOf } from "./channel-lookup.js";
import type { ReadSource } from "./channel-reader.js";
import { firstIndex, type ChannelState, type Run } from "./channel-state.js";
import type { ControlRecord } from "./control-record.js";
import type { LogState } from "./log-state.js";
import { extentsOfRun } from "./run-extents.js";

/** See above. */
export class TrimBytes {
  readonly #state: LogState;
  readonly #source: ReadSource;
  readonly #logger: Logger;

  constructor(state: LogState, source: ReadSource, logger: Logger) {
    this.#state = state;
    this.#source = source;
    this.#logger = logger;
  }

  /** Enters into the trims among a group's records how much goes with each, where whoever trims has not said so. */
  async enter(records: ControlRecord[]): Promise<void> {
    const gone = new Map<number, number>();
    for (const [at, record] of records.entries()) {
      if (record.type !== "trim") continue;
      const before = gone.get(record.channel) ?? 0;
      const bytes = record.bytes ?? (await this.#below(record.channel, record.beginId, before));
      if (bytes === undefined) continue;
      if (record.bytes === undefined) records[at] = { ...record, bytes };
      gone.set(record.channel, before + bytes);
    }
  }

  /** What a channel holds below `id`, but for what goes before. Undefined when that can't be read. */
  async #below(number: number, id: bigint, before: number): Promise<number | undefined> {
    const channel = this.#state.channelByNumber(number);
    // Made in this group: what it will hold is counted when it comes.
    if (channel === undefined) return 0;
    try {
      return Math.max(0, channel.bytes - before - (await this.#from(channel, id)));
    } catch (error) {
      this.#logger.warn({ err: error, channel: channel.name }, "how many bytes a trim removes can't be read: it is estimated");
      return undefined;
    }
  }

  async #from(channel: ChannelState, id: bigint): Promise<number> {
    const [cut, ...later] = channel.runs.slice(firstIndex(channel.runs, (run) => run.lastId >= id));
    if (cut === undefined) return 0;
    const behind = later.reduce((sum, { bytes }) => sum + bytes, 0);
    return behind + (id <= cut.firstId ? cut.bytes : await this.#fromInRun(channel, cut, id));
  }

  async #fromInRun(channel: ChannelState, run: Run, id: bigint): Promise<number> {
    const [first, ...others] = extentsOfRun(await this.#source.index(run), channel.number, run, id);
    if (first === undefined) return 0;
    const behind = others.reduce((sum, { bytes }) => sum + bytes, 0);
    if (id <= first.firstId) return behind + first.bytes;
    const frames = await framesOf(channel, this.#source, run, first);
    return behind + frames.reduce((sum, frame) => sum + bytesFrom(frame, id), 0);
  }
}
