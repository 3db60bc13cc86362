/**
 * The draft of one turn of the log: a group of batches and control records. Only ids given out in vain outlive it when it fails.
 */
import { TidemarkError } from "../../base/errors.js";
import { beginBehind } from "../draft-rules.js";
import type { NewMessage } from "../engine.js";
import type { MetaRecord } from "../meta-map.js";
import { cutBy, lastBelow } from "../stretches.js";
import { type AppendedIds, ceilingStep, type DraftBase, type DraftedIds, halfCeilingStep, TurnDraft } from "../turn-draft.js";
import { packMessage, type PackedMessage } from "./batch-body.js";
import type { ChannelState } from "./channel-state.js";
import { Group, largestAppend } from "./group.js";
import type { LogState } from "./log-state.js";

/** The ids of an append are not all below a synced ceiling: the change must run again in a later turn, once this one is synced. */
export interface CeilingNeed {
  readonly channel: string;
  readonly through: bigint;
}

interface DraftedChannel extends DraftedIds {
  readonly number: number;
  readonly durableCeiling: bigint;
}

/** See `TurnDraft`. */
export class SegmentDraft extends TurnDraft<ChannelState, DraftedChannel> {
  readonly group = new Group();
  readonly #state: LogState;
  #nextChannel: number;
  #spaceTaken = 0;
  #ceilingNeeded: CeilingNeed | undefined;

  constructor({ state, ids, nowMs }: DraftBase<LogState>) {
    super({ state: { meta: state.meta, floor: state.floor, channels: state.byName }, ids, nowMs });
    this.#state = state;
    this.#nextChannel = state.nextChannel;
  }

  /** Rises with every append and every channel made. */
  get spaceTaken(): number {
    return this.#spaceTaken;
  }

  /** Why the change that ran last has to run again later. It drafted nothing. */
  get ceilingNeeded(): CeilingNeed | undefined {
    return this.#ceilingNeeded;
  }

  /** Raises a channel's ceiling so that ids up to `through` fit below it, once it is synced. Nothing if the channel is gone. */
  raiseCeiling(name: string, through: bigint): void {
    const channel = this.own(name);
    if (channel !== undefined && channel.ceiling < through) this.#raise(channel, through);
  }

  /** The group came to nothing: the ids it gave out are not given out again. */
  forgoIds(): void {
    for (const [name, drafted] of this.touched) {
      const channel = this.#state.channel(name);
      if (drafted !== undefined && channel?.number === drafted.number && drafted.lastId > channel.lastId) channel.lastId = drafted.lastId;
    }
  }

  protected override draftOf({ number, name, firstId, beginId, endId, lastId, ceiling, durableCeiling }: ChannelState): DraftedChannel {
    return { number, name, firstId, beginId, endId, lastId, ceiling, durableCeiling };
  }

  protected override made(ids: DraftedIds): DraftedChannel {
    const { name, firstId, lastId, ceiling } = ids;
    const number = this.#nextChannel++;
    this.#spaceTaken++;
    this.group.addRecord({ type: "create", channel: number, name, firstId, ceiling });
    return { ...ids, number, durableCeiling: lastId };
  }

  protected override gone({ number }: DraftedChannel): void {
    this.group.addRecord({ type: "destroy", channel: number, floor: this.floor });
  }

  protected override add(channel: DraftedChannel, messages: readonly NewMessage[], { firstId, lastId }: AppendedIds): void {
    const packed = packAll(channel.name, messages);
    this.#keepBelowCeiling(channel, lastId);
    this.#spaceTaken++;
    this.group.add(channel.number, firstId, packed);
  }

  /** Whoever knows how much goes knows that `id` is behind the last of it. */
  protected override beginOnceTrimmed({ number, beginId }: DraftedChannel, id: bigint, bytes: number | undefined): bigint | undefined {
    if (bytes !== undefined) return id;
    const drafted = this.group.lastBelow(number, id);
    const stored = this.#state.channelByNumber(number);
    if (drafted !== undefined || stored === undefined) return beginBehind(drafted, beginId);
    return cutBy(stored.runs, id) === undefined ? beginBehind(lastBelow(stored.runs, id), beginId) : undefined;
  }

  protected override cut({ number }: DraftedChannel, beginId: bigint, bytes: number | undefined): void {
    this.group.addRecord({ type: "trim", channel: number, beginId, bytes });
  }

  protected override record(record: MetaRecord): void {
    this.group.addRecord(record);
  }

  #keepBelowCeiling(channel: DraftedChannel, lastId: bigint): void {
    if (this.ids === "external") return;
    if (lastId > channel.durableCeiling) {
      this.#ceilingNeeded = { channel: channel.name, through: lastId };
      throw new Error(`ids of channel ${channel.name} are not below a ceiling yet`);
    }
    // Ride along well before it is needed, so that appends need not wait for it.
    if (channel.ceiling - lastId < halfCeilingStep) this.#raise(channel, lastId);
  }

  #raise(channel: DraftedChannel, through: bigint): void {
    channel.ceiling = through + ceilingStep;
    this.group.addRecord({ type: "ceiling", channel: channel.number, ceiling: channel.ceiling });
  }
}

/** @throws `too-large` before anything is drafted: a group that has no place would stop the log. */
function packAll(name: string, messages: readonly NewMessage[]): PackedMessage[] {
  const packed: PackedMessage[] = [];
  let size = 0;
  for (const message of messages) {
    const one = packMessage(message);
    packed.push(one);
    size += one.size;
  }
  if (size <= largestAppend) return packed;
  const text = `channel ${JSON.stringify(name)}: ${size} bytes at once are more than one append may bring (${largestAppend}): split it`;
  throw new TidemarkError("too-large", text, { limit: largestAppend, size });
}
