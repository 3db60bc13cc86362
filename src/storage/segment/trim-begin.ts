/**
 * Where a channel begins once it is trimmed before an id: behind the last message that goes. Ids may have gaps, and whoever stands in one has
 * lost nothing.
 *
 *     ids    1 2 · · · · 7 8
 *                ▲   └────── trimmed before 6: it begins here
 *
 * Mostly the runs know that. Where one with gaps is cut its index does, or a look at the frames of one extent, which must wait for the end of the
 * turn: so the turn ends with that trim, for those behind it to see where the channel begins.
 */
import type { Logger } from "../../base/logger.js";
import { beginBehind } from "../draft-rules.js";
import { framesOf } from "./channel-lookup.js";
import type { ReadSource } from "./channel-reader.js";
import { firstIndex, type ChannelState, type Run } from "./channel-state.js";
import type { ControlRecord } from "./control-record.js";
import { lastIdOf } from "./frame.js";
import type { LogState } from "./log-state.js";
import { extentsOfRun } from "./run-extents.js";

/** The run with gaps in its ids that `id` cuts, so that only a look at it tells the last message below; undefined when there is none. */
export function cutRun(channel: ChannelState, id: bigint): Run | undefined {
  const run = runBefore(channel, id);
  return run === undefined || run.lastId < id || isDense(run) ? undefined : run;
}

/** The last message below `id` of the runs where none is cut as above, be it trimmed; undefined when no run begins there. */
export function lastInRuns(channel: ChannelState, id: bigint): bigint | undefined {
  const run = runBefore(channel, id);
  return run === undefined || run.lastId < id ? run?.lastId : id - 1n;
}

/** Finds out what the draft of a turn could not know. */
export class TrimBegins {
  readonly #state: LogState;
  readonly #source: ReadSource;
  readonly #logger: Logger;

  constructor(state: LogState, source: ReadSource, logger: Logger) {
    this.#state = state;
    this.#source = source;
    this.#logger = logger;
  }

  /** Moves the trims among a group's records back to where their channels begin by them. Whoever has said how much goes has said where, too. */
  async enter(records: ControlRecord[]): Promise<void> {
    const begins = new Map<number, bigint>();
    for (const [at, record] of records.entries()) {
      if (record.type !== "trim") continue;
      const channel = this.#state.channelByNumber(record.channel);
      const run = channel === undefined || record.bytes !== undefined ? undefined : cutRun(channel, record.beginId);
      let { beginId } = record;
      if (channel !== undefined && run !== undefined) {
        const last = await this.#lastInRun(channel, run, beginId);
        beginId = beginBehind(last, begins.get(record.channel) ?? channel.beginId);
        records[at] = { ...record, beginId };
      }
      begins.set(record.channel, beginId);
    }
  }

  /** What can't be read keeps nobody from trimming it away: then it is as if there was a message right before the id. */
  async #lastInRun(channel: ChannelState, run: Run, id: bigint): Promise<bigint | undefined> {
    try {
      return await lastInRun(channel, this.#source, run, id);
    } catch (error) {
      const text = "which message a trim removes last can't be read: the channel begins where it was asked to";
      this.#logger.warn({ err: error, channel: channel.name }, text);
      return id - 1n;
    }
  }
}

async function lastInRun(channel: ChannelState, source: ReadSource, run: Run, id: bigint): Promise<bigint | undefined> {
  const extents = extentsOfRun(await source.index(run), channel.number, run, run.firstId);
  const extent = extents[firstIndex(extents, ({ firstId }) => firstId >= id) - 1];
  // A run that compaction is halfway through begins right behind what it has copied, be that a gap: the last below is that of the copy then.
  if (extent === undefined) return channel.runs[channel.runs.indexOf(run) - 1]?.lastId;
  if (extent.lastId < id) return extent.lastId;
  const frame = (await framesOf(channel, source, run, extent)).findLast(({ baseId }) => baseId < id);
  if (frame === undefined) return undefined;
  const lastId = lastIdOf(frame);
  return lastId < id ? lastId : id - 1n;
}

/** The last run that begins below `id`. */
function runBefore({ runs }: ChannelState, id: bigint): Run | undefined {
  return runs[firstIndex(runs, ({ firstId }) => firstId >= id) - 1];
}

function isDense({ count, firstId, lastId }: Run): boolean {
  return BigInt(count) === lastId - firstId + 1n;
}
