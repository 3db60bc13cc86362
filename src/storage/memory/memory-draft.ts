/**
 * The state as it will be once everything drafted is visible, and the steps that make it so.
 *
 * Every method checks first and drafts then, so a change that fails in one of them has drafted nothing by it.
 */
import { beginBehind, checkAck, checkCopied, checkHeld, checkNotEmpty, checkRising, checkTrim, firstIdFor } from "../draft-rules.js";
import type { CopiedIds, Draft, DraftChannel, EngineEvent, MetaEntry, NewMessage } from "../engine.js";
import { MetaMap, type MetaRecord } from "../meta-map.js";
import { channelExists, channelNotFound, madeInThisChange } from "../refusals.js";
import { indexFrom, lastBelow } from "../stretches.js";
import { MemoryChannel } from "./memory-channel.js";
import { type MemoryBatch, storedBatch } from "./stored-batch.js";

/** What readers may see. */
export interface VisibleState {
  readonly channels: Map<string, MemoryChannel>;
  readonly meta: MetaMap;
}

/** Moves the visible state by one thing drafted. */
type Step = (state: VisibleState) => EngineEvent | undefined;

interface Drafted {
  readonly name: string;
  readonly firstId: bigint;
  beginId: bigint;
  endId: bigint;
  lastId: bigint;
  /** Its batches that are not trimmed. */
  readonly batches: Pick<MemoryBatch, "firstId" | "lastId">[];
  /** What readers see of it, once it is visible. */
  readonly visible: MemoryChannel;
}

/** One for the life of an engine; `beginChange` and `takeSteps` tell it where changes and groups end. */
export class MemoryDraft implements Draft {
  readonly #ids: "internal" | "external";
  readonly #channels = new Map<string, Drafted>();
  readonly #meta = new MetaMap();
  /** Channels that the running change made. */
  readonly #madeNow = new Set<string>();
  #steps: Step[] = [];
  #nowMs = 0;
  /** No id up to it is given out again: the greatest of any channel destroyed. */
  #floor = 0n;
  /** The revision that the running change gives to what it touches. */
  #changeRevision = 0n;
  /** What the running change asked for. */
  #ack: "durable" | "written" = "durable";

  constructor(ids: "internal" | "external") {
    this.#ids = ids;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get revision(): bigint {
    return this.#meta.revision;
  }

  /** Time moves with the groups, and never back. */
  beginGroup(nowMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, Math.floor(nowMs));
  }

  beginChange(ack: "durable" | "written"): void {
    this.#madeNow.clear();
    this.#ack = ack;
    this.#changeRevision = this.#meta.revision + 1n;
  }

  /** How much is drafted and not yet taken. */
  get stepCount(): number {
    return this.#steps.length;
  }

  takeSteps(): Step[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  get(key: string): MetaEntry | undefined {
    return this.#meta.get(key);
  }

  range(prefix: string): MetaEntry[] {
    return this.#meta.range(prefix);
  }

  put(key: string, value: Uint8Array): void {
    this.#touch({ type: "put", revision: this.#changeRevision, key, value: new Uint8Array(value) });
  }

  delete(key: string): boolean {
    if (this.#meta.get(key) === undefined) return false;
    this.#touch({ type: "delete", revision: this.#changeRevision, key });
    return true;
  }

  channel(name: string): DraftChannel | undefined {
    return this.#channels.get(name);
  }

  channels(): Iterable<DraftChannel> {
    return [...this.#channels.values()];
  }

  createChannel(name: string, copied?: CopiedIds): DraftChannel {
    checkAck(this.#ack);
    if (this.#channels.has(name)) throw channelExists(name);
    if (copied !== undefined) checkCopied(name, copied, this.#floor);
    const firstId = copied?.firstId ?? (this.#ids === "internal" ? max(BigInt(this.#nowMs) << 18n, this.#floor) : this.#floor) + 1n;
    checkHeld(name, copied?.lastId ?? firstId);
    const lastId = firstId - 1n;
    const visible = new MemoryChannel(name, firstId);
    const drafted: Drafted = { name, firstId, beginId: firstId, endId: firstId, lastId, batches: [], visible };
    this.#channels.set(name, drafted);
    this.#madeNow.add(name);
    this.#steps.push(({ channels }) => {
      channels.set(name, visible);
      return undefined;
    });
    return drafted;
  }

  destroyChannel(name: string): void {
    const { firstId, lastId, visible } = this.#toChange(name);
    this.#channels.delete(name);
    // Another one of that name is told from this by where it begins, also if this had no message.
    this.#floor = max(this.#floor, this.#ids === "internal" ? max(lastId, firstId) : lastId);
    this.#steps.push(({ channels }) => {
      channels.delete(name);
      visible.destroy();
      return { type: "destroyed", channel: visible };
    });
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

  #add(channel: Drafted, messages: readonly NewMessage[], firstId: bigint): { readonly firstId: bigint; readonly lastId: bigint } {
    checkHeld(channel.name, firstId + BigInt(messages.length) - 1n);
    const batch = storedBatch(messages, firstId, this.#nowMs);
    channel.lastId = batch.lastId;
    channel.endId = batch.lastId + 1n;
    channel.batches.push({ firstId: batch.firstId, lastId: batch.lastId });
    this.#steps.push(() => {
      channel.visible.append(batch);
      return { type: "appended", channel: channel.visible };
    });
    return { firstId: batch.firstId, lastId: batch.lastId };
  }

  trim(name: string, beforeId: bigint): void {
    const channel = this.#toChange(name);
    checkTrim(channel, beforeId);
    const beginId = beginBehind(lastBelow(channel.batches, beforeId), channel.beginId);
    if (beginId === channel.beginId) return;
    channel.beginId = beginId;
    channel.batches.splice(0, indexFrom(channel.batches, beginId));
    this.#steps.push(() => {
      const bytes = channel.visible.trim(beginId);
      return { type: "trimmed", channel: channel.visible, beginId, bytes };
    });
  }

  #touch(record: MetaRecord): void {
    this.#meta.apply(record);
    this.#steps.push(({ meta }) => {
      meta.apply(record);
      return undefined;
    });
  }

  #toFill(name: string, messages: readonly NewMessage[]): Drafted {
    const channel = this.#toChange(name);
    if (this.#madeNow.has(name)) throw madeInThisChange(name);
    checkNotEmpty(name, messages);
    return channel;
  }

  #toChange(name: string): Drafted {
    checkAck(this.#ack);
    const channel = this.#channels.get(name);
    if (channel === undefined) throw channelNotFound(name);
    return channel;
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
