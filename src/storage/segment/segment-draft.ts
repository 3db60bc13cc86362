/**
 * The draft of one turn: the state of the log with everything that this turn's changes add.
 *
 * It lies over the state and leaves it alone; a turn that fails drops it. Only ids given out in vain are remembered.
 */
import { broken } from "../../base/assert.js";
import { TidemarkError } from "../../base/errors.js";
import { beginBehind, checkAck, checkCopied, checkHeld, checkNotEmpty, checkRising, checkTrim, firstIdFor } from "../draft-rules.js";
import type { CopiedIds, Draft, DraftChannel, MetaEntry, NewMessage } from "../engine.js";
import { MetaDraft } from "../meta-map.js";
import { channelExists, channelNotFound, madeInThisChange } from "../refusals.js";
import { cutBy, lastBelow } from "../stretches.js";
import { packMessage, type PackedMessage } from "./batch-body.js";
import { Group, largestAppend } from "./group.js";
import type { LogState } from "./log-state.js";

/** How far above the last id a ceiling is set: about four milliseconds' worth of ids, so an unclean reopen wastes next to nothing. */
const ceilingStep = 2n ** 20n;
const halfCeilingStep = ceilingStep / 2n;

/** The ids of an append are not all below a synced ceiling: the change must run again in a later turn, once this one is synced. */
export interface CeilingNeed {
  readonly channel: string;
  readonly through: bigint;
}

interface DraftedChannel {
  readonly number: number;
  readonly name: string;
  readonly firstId: bigint;
  beginId: bigint;
  endId: bigint;
  lastId: bigint;
  ceiling: bigint;
  readonly durableCeiling: bigint;
}

/** What a draft is over. */
export interface DraftBase {
  readonly state: LogState;
  readonly ids: "internal" | "external";
  readonly nowMs: number;
}

/** See `Draft`. `beginChange` tells it where one change ends and the next begins. */
export class SegmentDraft implements Draft {
  readonly group = new Group();
  readonly nowMs: number;
  readonly #state: LogState;
  readonly #ids: "internal" | "external";
  readonly #meta: MetaDraft;
  /** Channels that this turn touched, by name; undefined: destroyed. */
  readonly #channels = new Map<string, DraftedChannel | undefined>();
  /** Channels that the running change made. */
  readonly #madeNow = new Set<string>();
  #nextChannel: number;
  #floor: bigint;
  /** What the running change asked for. */
  #ack: "durable" | "written" = "durable";
  /** Whether the running change has drafted something. */
  #drafted = false;
  #spaceTaken = 0;
  #ceilingNeeded: CeilingNeed | undefined;
  #beginUnknown = false;
  #brokenInvariant: Error | undefined;

  constructor(base: DraftBase) {
    this.#state = base.state;
    this.#ids = base.ids;
    this.nowMs = base.nowMs;
    this.#meta = new MetaDraft(base.state.meta);
    this.#nextChannel = base.state.nextChannel;
    this.#floor = base.state.floor;
  }

  beginChange(ack: "durable" | "written"): void {
    if (this.#madeNow.size > 0) this.#madeNow.clear();
    this.#ack = ack;
    this.#drafted = false;
    this.#meta.nextChange();
  }

  /** Whether the change that ran last drafted something. */
  get drafted(): boolean {
    return this.#drafted;
  }

  /** Rises with every append and every channel made. */
  get spaceTaken(): number {
    return this.#spaceTaken;
  }

  /** Why the change that ran last has to run again later. It drafted nothing. */
  get ceilingNeeded(): CeilingNeed | undefined {
    return this.#ceilingNeeded;
  }

  /** Where a trimmed channel begins is found out at the end of the turn, and no later change may see it before. */
  get beginUnknown(): boolean {
    return this.#beginUnknown;
  }

  /** Nothing of this draft may be stored, and the log must stop. */
  get brokenInvariant(): Error | undefined {
    return this.#brokenInvariant;
  }

  breakInvariant(what: string): void {
    this.#brokenInvariant ??= broken(what);
  }

  get revision(): bigint {
    return this.#meta.revision;
  }

  get(key: string): MetaEntry | undefined {
    return this.#meta.get(key);
  }

  range(prefix: string): MetaEntry[] {
    return this.#meta.range(prefix);
  }

  put(key: string, value: Uint8Array): void {
    this.#record(this.#meta.put(key, new Uint8Array(value)));
  }

  delete(key: string): boolean {
    const record = this.#meta.delete(key);
    if (record === undefined) return false;
    this.#record(record);
    return true;
  }

  channel(name: string): DraftChannel | undefined {
    const drafted = this.#channels.get(name);
    return drafted !== undefined || this.#channels.has(name) ? drafted : this.#state.channel(name);
  }

  channels(): Iterable<DraftChannel> {
    const untouched = [...this.#state.channels()].filter(({ name }) => !this.#channels.has(name));
    return [...untouched, ...this.#channels.values()].filter((channel) => channel !== undefined);
  }

  createChannel(name: string, copied?: CopiedIds): DraftChannel {
    checkAck(this.#ack);
    if (this.channel(name) !== undefined) throw channelExists(name);
    if (copied !== undefined) checkCopied(name, copied, this.#floor);
    const firstId = copied?.firstId ?? (this.#ids === "internal" ? max(BigInt(this.nowMs) << 18n, this.#floor) : this.#floor) + 1n;
    checkHeld(name, copied?.lastId ?? firstId);
    const lastId = firstId - 1n;
    const number = this.#nextChannel++;
    // The ids of a copy lie far apart in time: one ceiling above them all spares it a turn for each.
    const ceiling = this.#ids === "internal" ? (copied?.lastId ?? lastId) + ceilingStep : lastId;
    this.#spaceTaken++;
    this.#record({ type: "create", channel: number, name, firstId, ceiling });
    const ids = { beginId: firstId, endId: firstId, lastId, ceiling, durableCeiling: lastId };
    const drafted: DraftedChannel = { number, name, firstId, ...ids };
    this.#channels.set(name, drafted);
    this.#madeNow.add(name);
    return drafted;
  }

  destroyChannel(name: string): void {
    const channel = this.#toChange(name);
    this.#floor = max(this.#floor, max(channel.lastId, channel.ceiling));
    this.#record({ type: "destroy", channel: channel.number, floor: this.#floor });
    this.#channels.set(name, undefined);
  }

  append(name: string, messages: readonly NewMessage[], firstId?: bigint): { readonly firstId: bigint; readonly lastId: bigint } {
    const channel = this.#toFill(name, messages);
    return this.#add(channel, messages, firstIdFor(this.#ids, channel, firstId));
  }

  copy(name: string, messages: readonly NewMessage[], firstId: bigint): { readonly firstId: bigint; readonly lastId: bigint } {
    const channel = this.#toFill(name, messages);
    checkRising(channel, firstId);
    return this.#add(channel, messages, firstId);
  }

  #add(channel: DraftedChannel, messages: readonly NewMessage[], first: bigint): { readonly firstId: bigint; readonly lastId: bigint } {
    const packed = packAll(channel.name, messages);
    const lastId = first + BigInt(messages.length) - 1n;
    checkHeld(channel.name, lastId);
    this.#keepBelowCeiling(channel, lastId);
    this.#drafted = true;
    this.#spaceTaken++;
    channel.lastId = lastId;
    channel.endId = lastId + 1n;
    this.group.add(channel.number, first, packed);
    return { firstId: first, lastId };
  }

  trim(name: string, beforeId: bigint, bytes?: number): void {
    const channel = this.#toChange(name);
    checkTrim(channel, beforeId);
    const beginId = bytes === undefined ? this.#begin(channel, beforeId) : beforeId;
    if (beginId === channel.beginId) return;
    channel.beginId = beginId;
    this.#record({ type: "trim", channel: channel.number, beginId, bytes });
  }

  /** Where a channel begins once it is trimmed before `id`: at `id` itself until that is known. */
  #begin({ number, beginId }: DraftedChannel, id: bigint): bigint {
    const drafted = this.group.lastBelow(number, id);
    const stored = this.#state.channelByNumber(number);
    if (drafted !== undefined || stored === undefined) return beginBehind(drafted, beginId);
    if (cutBy(stored.runs, id) === undefined) return beginBehind(lastBelow(stored.runs, id), beginId);
    this.#beginUnknown = true;
    return id;
  }

  /** Raises a channel's ceiling so that ids up to `through` fit below it, once it is synced. Nothing if the channel is gone. */
  raiseCeiling(name: string, through: bigint): void {
    const channel = this.#own(name);
    if (channel !== undefined && channel.ceiling < through) this.#raise(channel, through);
  }

  /** The group came to nothing: the ids it gave out are not given out again. */
  forgoIds(): void {
    for (const [name, drafted] of this.#channels) {
      const channel = this.#state.channel(name);
      if (drafted !== undefined && channel?.number === drafted.number && drafted.lastId > channel.lastId) channel.lastId = drafted.lastId;
    }
  }

  #keepBelowCeiling(channel: DraftedChannel, lastId: bigint): void {
    if (this.#ids === "external") return;
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

  #record(record: Group["records"][number]): void {
    this.#drafted = true;
    this.group.addRecord(record);
  }

  #toFill(name: string, messages: readonly NewMessage[]): DraftedChannel {
    const channel = this.#toChange(name);
    if (this.#madeNow.has(name)) throw madeInThisChange(name);
    checkNotEmpty(name, messages);
    return channel;
  }

  #toChange(name: string): DraftedChannel {
    checkAck(this.#ack);
    const channel = this.#own(name);
    if (channel === undefined) throw channelNotFound(name);
    return channel;
  }

  /** The draft's own copy of a channel. */
  #own(name: string): DraftedChannel | undefined {
    const drafted = this.#channels.get(name);
    if (drafted !== undefined || this.#channels.has(name)) return drafted;
    const channel = this.#state.channel(name);
    if (channel === undefined) return undefined;
    const { number, firstId, beginId, endId, lastId, ceiling, durableCeiling } = channel;
    const own: DraftedChannel = { number, name, firstId, beginId, endId, lastId, ceiling, durableCeiling };
    this.#channels.set(name, own);
    return own;
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

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
