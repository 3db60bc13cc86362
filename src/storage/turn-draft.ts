/**
 * The draft of one turn: the state with everything that this turn's changes add. It lies over the state and leaves it alone; a turn that
 * fails drops it.
 *
 * Here stands what every engine's draft has in common: which channels there are, what is refused, and where ids begin. What is to be stored
 * is the engine's own, and it is told once all checks have passed:
 *
 *     createChannel ▸ made     append, copy ▸ add     trim ▸ beginOnceTrimmed ▸ cut     destroyChannel ▸ gone     put, delete ▸ record
 */
import { broken } from "../base/assert.js";
import { checkAck, checkCopied, checkHeld, checkNotEmpty, checkRising, checkTrim, firstIdFor } from "./draft-rules.js";
import type { CopiedIds, Draft, DraftChannel, MetaEntry, MetaView, NewMessage } from "./engine.js";
import { MetaDraft, type MetaRecord } from "./meta-map.js";
import { channelExists, channelNotFound, madeInThisChange } from "./refusals.js";

/** How far above the last id a ceiling is set: about four milliseconds' worth of ids, so an unclean reopen wastes next to nothing. */
export const ceilingStep = 2n ** 20n;
/** A ceiling that is no further above the last id is raised well before it is needed. */
export const halfCeilingStep = ceilingStep / 2n;

/** What a draft is over. */
export interface DraftBase<State> {
  readonly state: State;
  readonly ids: "internal" | "external";
  readonly nowMs: number;
}

/** What it must find there. */
export interface StoredState<Stored> {
  readonly meta: MetaView;
  /** Channels made from now on begin above it. */
  readonly floor: bigint;
  readonly channels: Pick<ReadonlyMap<string, Stored>, "get" | "values">;
}

/** The draft's own copy of a channel, as far as every engine has it. */
export interface DraftedIds extends DraftChannel {
  beginId: bigint;
  endId: bigint;
  lastId: bigint;
  /** No id above it was given out, or may be before a higher one is logged. */
  ceiling: bigint;
}

/** Where messages come to stand. */
export interface AppendedIds {
  readonly firstId: bigint;
  readonly lastId: bigint;
}

/** See `Draft`. `beginChange` tells it where one change ends and the next begins. */
export abstract class TurnDraft<Stored extends DraftChannel, Drafted extends DraftedIds> implements Draft {
  readonly nowMs: number;
  protected readonly ids: "internal" | "external";
  /** Channels that this turn touched, by name; undefined: destroyed. */
  protected readonly touched = new Map<string, Drafted | undefined>();
  /** Channels made from now on begin above it. */
  protected floor: bigint;
  readonly #stored: StoredState<Stored>["channels"];
  readonly #meta: MetaDraft;
  /** Channels that the running change made. */
  readonly #madeNow = new Set<string>();
  /** What the running change asked for. */
  #ack: "durable" | "written" = "durable";
  #drafted = false;
  #beginUnknown = false;
  #brokenInvariant: Error | undefined;

  constructor({ state, ids, nowMs }: DraftBase<StoredState<Stored>>) {
    this.ids = ids;
    this.nowMs = nowMs;
    this.floor = state.floor;
    this.#stored = state.channels;
    this.#meta = new MetaDraft(state.meta);
  }

  /** The draft's own copy of a channel that is stored. */
  protected abstract draftOf(stored: Stored): Drafted;
  protected abstract made(ids: DraftedIds): Drafted;
  /** None of its ids is above `floor` any more. */
  protected abstract gone(channel: Drafted): void;
  /** What it throws it throws before it has taken anything. */
  protected abstract add(channel: Drafted, messages: readonly NewMessage[], ids: AppendedIds): void;
  /** Where a channel begins once it is trimmed before `id`; undefined where only a look at what is stored tells. */
  protected abstract beginOnceTrimmed(channel: Drafted, id: bigint, bytes: number | undefined): bigint | undefined;
  /** It is about to begin at `beginId`. */
  protected abstract cut(channel: Drafted, beginId: bigint, bytes: number | undefined): void;
  protected abstract record(record: MetaRecord): void;

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

  /** Where a trimmed channel begins is found out at the end of the turn, and no later change may see it before. */
  get beginUnknown(): boolean {
    return this.#beginUnknown;
  }

  /** Nothing of this draft may be stored, and the store must stop. */
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
    this.noteDrafted();
    this.record(this.#meta.put(key, new Uint8Array(value)));
  }

  delete(key: string): boolean {
    const record = this.#meta.delete(key);
    if (record === undefined) return false;
    this.noteDrafted();
    this.record(record);
    return true;
  }

  channel(name: string): DraftChannel | undefined {
    const drafted = this.touched.get(name);
    if (drafted !== undefined || this.touched.has(name)) return drafted;
    const stored = this.#stored.get(name);
    return stored === undefined ? undefined : asDrafted(stored);
  }

  channels(): Iterable<DraftChannel> {
    const untouched = [...this.#stored.values()].filter(({ name }) => !this.touched.has(name)).map(asDrafted);
    return [...untouched, ...this.touched.values()].filter((channel) => channel !== undefined);
  }

  createChannel(name: string, copied?: CopiedIds): DraftChannel {
    checkAck(this.#ack);
    this.checkName(name);
    if (this.channel(name) !== undefined) throw channelExists(name);
    if (copied !== undefined) checkCopied(name, copied, this.floor);
    const above = max(this.floor, this.leastId - 1n);
    const firstId = copied?.firstId ?? (this.ids === "internal" ? max(BigInt(this.nowMs) << 18n, above) : above) + 1n;
    this.checkIds(name, { firstId, lastId: copied?.lastId ?? firstId });
    const lastId = firstId - 1n;
    // The ids of a copy lie far apart in time: one ceiling above them all spares it a turn for each.
    const ceiling = this.ids === "internal" ? (copied?.lastId ?? lastId) + ceilingStep : lastId;
    this.noteDrafted();
    const drafted = this.made({ name, firstId, beginId: firstId, endId: firstId, lastId, ceiling });
    this.touched.set(name, drafted);
    this.#madeNow.add(name);
    return drafted;
  }

  destroyChannel(name: string): void {
    const channel = this.#toChange(name);
    this.noteDrafted();
    this.floor = max(this.floor, max(channel.lastId, channel.ceiling));
    this.touched.set(name, undefined);
    this.gone(channel);
  }

  append(name: string, messages: readonly NewMessage[], firstId?: bigint): AppendedIds {
    const channel = this.#toFill(name, messages);
    return this.#fill(channel, messages, firstIdFor(this.ids, channel, firstId));
  }

  copy(name: string, messages: readonly NewMessage[], firstId: bigint): AppendedIds {
    const channel = this.#toFill(name, messages);
    checkRising(channel, firstId);
    return this.#fill(channel, messages, firstId);
  }

  trim(name: string, beforeId: bigint, bytes?: number): void {
    const channel = this.#toChange(name);
    checkTrim(channel, beforeId);
    const known = this.beginOnceTrimmed(channel, beforeId, bytes);
    if (known === undefined) this.#beginUnknown = true;
    const beginId = known ?? beforeId;
    if (beginId === channel.beginId) return;
    this.noteDrafted();
    this.cut(channel, beginId, bytes);
    channel.beginId = beginId;
  }

  /** No id is below it. */
  protected get leastId(): bigint {
    return 1n;
  }

  /** @throws `invalid-argument` for the name of a channel that could not be stored */
  protected checkName(_name: string): void {}

  /** @throws `invalid-argument` for ids that could not be stored */
  protected checkIds(name: string, { lastId }: AppendedIds): void {
    checkHeld(name, lastId);
  }

  protected noteDrafted(): void {
    this.#drafted = true;
  }

  /** The draft's own copy of a channel. */
  protected own(name: string): Drafted | undefined {
    const drafted = this.touched.get(name);
    if (drafted !== undefined || this.touched.has(name)) return drafted;
    const stored = this.#stored.get(name);
    if (stored === undefined) return undefined;
    const own = this.draftOf(stored);
    this.touched.set(name, own);
    return own;
  }

  #fill(channel: Drafted, messages: readonly NewMessage[], firstId: bigint): AppendedIds {
    const ids = { firstId, lastId: firstId + BigInt(messages.length - 1) };
    this.checkIds(channel.name, ids);
    this.add(channel, messages, ids);
    this.noteDrafted();
    channel.lastId = ids.lastId;
    channel.endId = ids.lastId + 1n;
    return ids;
  }

  #toFill(name: string, messages: readonly NewMessage[]): Drafted {
    const channel = this.#toChange(name);
    if (this.#madeNow.has(name)) throw madeInThisChange(name);
    checkNotEmpty(name, messages);
    return channel;
  }

  #toChange(name: string): Drafted {
    checkAck(this.#ack);
    const channel = this.own(name);
    if (channel === undefined) throw channelNotFound(name);
    return channel;
  }
}

/** What a change may see of a channel that no change has touched. */
function asDrafted({ name, firstId, beginId, endId, lastId }: DraftChannel): DraftChannel {
  return { name, firstId, beginId, endId, lastId };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
