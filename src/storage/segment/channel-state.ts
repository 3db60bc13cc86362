/**
 * A channel as the log has it, and the runs of it in the segments.
 *
 *     segment 3        segment 4        segment 5 (open)
 *     ░░░[run]░░       [run]░[…]░       ░░[run …            a run: neighbours in the channel that stand in one segment
 *
 * Nothing here grows with the number of messages: a channel has one run a segment, and one more for what was copied there.
 */
import { TidemarkError } from "../../base/errors.js";
import type { ChannelView } from "../engine.js";
import { indexFrom } from "../stretches.js";

/** A stretch of a channel that stands in one segment. Ids rise from run to run; segments may not, since old batches are copied forward. */
export interface Run {
  readonly segment: number;
  /** No id of it is below. */
  firstId: bigint;
  lastId: bigint;
  /** Messages, those trimmed out of the middle included. */
  count: number;
  /** Of its frames without the messages that are trimmed. At least 1. */
  bytes: number;
  /** No batch of it is older. */
  firstTimeMs: number;
  lastTimeMs: number;
}

/** What makes a channel, from its create record or from a checkpoint. */
export interface ChannelSeed {
  readonly number: number;
  readonly name: string;
  readonly firstId: bigint;
  readonly beginId: bigint;
  readonly endId: bigint;
  readonly lastId: bigint;
  readonly ceiling: bigint;
}

/** The one mutable record of a channel; readers see it as a `ChannelView`. */
export class ChannelState implements ChannelView {
  readonly number: number;
  readonly name: string;
  readonly firstId: bigint;
  beginId: bigint;
  endId: bigint;
  /** Last id given out, in vain too. Never above `ceiling` but with outside ids. */
  lastId: bigint;
  ceiling: bigint;
  /** The ceiling that is known synced: no id above it is written. */
  durableCeiling: bigint;
  destroyed = false;
  /** How often batches of it have come to stand elsewhere. */
  moves = 0;
  /** Of all runs. */
  bytes = 0;
  /** Live runs, ascending; each holds at least one message that is not trimmed. */
  readonly runs: Run[] = [];

  constructor(seed: ChannelSeed) {
    this.number = seed.number;
    this.name = seed.name;
    this.firstId = seed.firstId;
    this.beginId = seed.beginId;
    this.endId = seed.endId;
    this.lastId = seed.lastId;
    this.ceiling = seed.ceiling;
    this.durableCeiling = seed.ceiling;
  }

  /** Moves to where another record of the same channel stands. */
  follow(other: ChannelState): void {
    this.beginId = other.beginId;
    this.endId = other.endId;
    this.lastId = other.lastId;
    this.ceiling = other.ceiling;
    this.durableCeiling = other.durableCeiling;
    this.bytes = other.bytes;
    this.moves++;
    this.runs.splice(0, this.runs.length, ...other.runs);
  }

  get sinceMs(): number | undefined {
    return this.runs[0]?.firstTimeMs;
  }

  /** The first run with an id >= `id`; undefined behind the last. */
  runAt(id: bigint): Run | undefined {
    return this.runs[indexFrom(this.runs, id)];
  }
}

/** The record behind a view. @throws `invalid-argument` when it is another store's */
export function ownChannel(channel: ChannelView): ChannelState {
  if (channel instanceof ChannelState) return channel;
  throw new TidemarkError("invalid-argument", `channel ${channel.name} is of another store`, { argument: "channel" });
}
