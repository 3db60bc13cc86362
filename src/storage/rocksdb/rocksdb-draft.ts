/**
 * The draft of one turn: the state with everything that this turn's changes add. A turn that fails drops it.
 *
 * A batch of RocksDB is there whole or not at all, so ids need no turn of their own below a ceiling that was synced before: a group that
 * gives out ids above the synced ceiling raises it, and is itself synced, in whatever mode.
 */
import { broken } from "../../base/assert.js";
import { TidemarkError } from "../../base/errors.js";
import { checkAck, checkCopied, checkNotEmpty, checkRising, checkTrim, firstIdFor } from "../draft-rules.js";
import type { CopiedIds, Draft, DraftChannel, EngineEvent, MetaEntry, NewMessage } from "../engine.js";
import { MetaDraft, type MetaRecord } from "../meta-map.js";
import { channelExists, channelNotFound, madeInThisChange } from "../refusals.js";
import type { MessageRange } from "./batch-writer-protocol.js";
import { beginOnceTrimmed, type DraftedChannel, type LastInPage, settleBegin, stateRowsOf } from "./drafted-channel.js";
import type { LaidBatch, Operation } from "./group-layout.js";
import { greatestId, idDigits, leastId } from "./keys.js";
import { addBatch, bytesFrom, isClosed, takeDead } from "./pages.js";
import { RocksDbChannel } from "./rocksdb-channel.js";
import { doomedRow, entryRows, goneRows, noEntryRows, type RocksDbState, stateRow } from "./rocksdb-state.js";
import { batchEnd, encodeProperties } from "./stored-properties.js";

/** How far above the last id a ceiling is set. */
const ceilingStep = 2n ** 20n;
const halfCeilingStep = ceilingStep / 2n;
/** What one append may bring: both threads must hold it, and the binding once more. */
const largestAppend = 512 * 1024 * 1024;

/** What a draft is over. */
export interface DraftBase {
  readonly state: RocksDbState;
  readonly ids: "internal" | "external";
  readonly nowMs: number;
}

/** See `Draft`. `beginChange` tells it where one change ends and the next begins. */
export class RocksDbDraft implements Draft {
  readonly nowMs: number;
  readonly #state: RocksDbState;
  readonly #ids: "internal" | "external";
  readonly #meta: MetaDraft;
  readonly #records: MetaRecord[] = [];
  /** Channels that this turn touched, by name; undefined: destroyed. */
  readonly #channels = new Map<string, DraftedChannel | undefined>();
  readonly #destroyed: DraftedChannel[] = [];
  readonly #doomed = new Map<number, MessageRange>();
  /** Channels that the running change made. */
  readonly #madeNow = new Set<string>();
  /** The row of a message without properties. */
  readonly #plainRow: string;
  readonly #plainRowBytes: number;
  #nextDoomed: number;
  #floor: bigint;
  #ack: "durable" | "written" = "durable";
  #drafted = false;
  #anyDrafted = false;
  #messageBytes = 0;
  #recordBytes = 0;
  #needsSync = false;
  #beginUnknown = false;
  #brokenInvariant: Error | undefined;

  constructor(base: DraftBase) {
    this.#state = base.state;
    this.#ids = base.ids;
    this.nowMs = base.nowMs;
    this.#plainRow = encodeProperties(base.nowMs, undefined);
    this.#plainRowBytes = Buffer.byteLength(this.#plainRow);
    this.#meta = new MetaDraft(base.state.meta);
    this.#floor = base.state.floor;
    this.#nextDoomed = base.state.nextDoomed;
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

  /** Nothing is to be written. */
  get isEmpty(): boolean {
    return !this.#anyDrafted;
  }

  /** About what the messages and the metadata drafted take. */
  get aboutBytes(): number {
    return this.#messageBytes + this.#recordBytes;
  }

  /** It gives out ids above a synced ceiling. */
  get needsSync(): boolean {
    return this.#needsSync;
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
    if (drafted !== undefined || this.#channels.has(name)) return drafted;
    const stored = this.#state.channels.get(name);
    return stored === undefined ? undefined : asDrafted(stored);
  }

  channels(): Iterable<DraftChannel> {
    const untouched = [...this.#state.channels.values()].filter(({ name }) => !this.#channels.has(name)).map(asDrafted);
    return [...untouched, ...this.#channels.values()].filter((channel) => channel !== undefined);
  }

  createChannel(name: string, copied?: CopiedIds): DraftChannel {
    checkAck(this.#ack);
    if (name.includes("/")) throw invalid("name", `channel ${JSON.stringify(name)}: there can be no "/" in the name of a channel`);
    if (this.channel(name) !== undefined) throw channelExists(name);
    if (copied !== undefined) checkCopied(name, copied, this.#floor);
    const least = max(this.#floor, leastId - 1n);
    const firstId = copied?.firstId ?? (this.#ids === "internal" ? max(BigInt(this.nowMs) << 18n, least) : least) + 1n;
    checkIds(name, firstId, copied?.lastId ?? firstId);
    const lastId = firstId - 1n;
    const ceiling = this.#ids === "internal" ? (copied?.lastId ?? lastId) + ceilingStep : lastId;
    const ids = { firstId, beginId: firstId, endId: firstId, lastId, ceiling };
    const drafted: DraftedChannel = { name, ...ids, pages: [], stored: undefined, closed: [], gone: [], trimmedBytes: 0, runs: [] };
    this.#noteDrafted();
    this.#channels.set(name, drafted);
    this.#madeNow.add(name);
    return drafted;
  }

  destroyChannel(name: string): void {
    const channel = this.#toChange(name);
    this.#noteDrafted();
    this.#floor = max(this.#floor, max(channel.lastId, channel.ceiling));
    this.#channels.set(name, undefined);
    this.#destroyed.push(channel);
    const fromId = channel.stored?.sweptId ?? channel.firstId;
    if (channel.endId > fromId) this.#doomed.set(this.#nextDoomed++, { channel: name, fromId, toId: channel.endId });
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
    const { name } = channel;
    const count = messages.length;
    const lastId = first + BigInt(count - 1);
    checkIds(name, first, lastId);
    const batch = { messages, rows: rowsOf(messages, this.nowMs) };
    const bytes = this.#bytesOf(name, batch);
    if (bytes > largestAppend) throw tooLarge(name, bytes);
    this.#noteDrafted();
    this.#messageBytes += bytes;
    if (channel.runs.length > 0 && first === channel.endId) channel.runs.at(-1)?.batches.push(batch);
    else channel.runs.push({ do: "messages", channel: name, firstId: first, batches: [batch] });
    channel.lastId = lastId;
    channel.endId = lastId + 1n;
    this.#keepBelowCeiling(channel);
    const page = addBatch(channel.pages, { firstId: first, lastId, count, bytes, firstTimeMs: this.nowMs, lastTimeMs: this.nowMs });
    if (isClosed(page)) channel.closed.push(page);
    return { firstId: first, lastId };
  }

  trim(name: string, beforeId: bigint): void {
    const channel = this.#toChange(name);
    checkTrim(channel, beforeId);
    const known = beginOnceTrimmed(channel, beforeId);
    if (known === undefined) this.#beginUnknown = true;
    const beginId = known ?? beforeId;
    if (beginId === channel.beginId) return;
    this.#noteDrafted();
    const before = bytesFrom(channel.pages, channel.beginId);
    channel.beginId = beginId;
    channel.gone.push(...takeDead(channel.pages, beginId).filter(isClosed));
    channel.trimmedBytes += before - bytesFrom(channel.pages, beginId);
  }

  /** Where a trimmed channel begins is found out before anything is written, and no later change may see it before. */
  get beginUnknown(): boolean {
    return this.#beginUnknown;
  }

  /** Finds it out. */
  async settleBegins(lastInPage: LastInPage): Promise<void> {
    for (const channel of this.#channels.values()) if (channel !== undefined) await settleBegin(channel, lastInPage);
  }

  /** How long each payload is now; another answer after a wait: the memory of one was transferred or resized meanwhile. */
  payloadBytes(): readonly number[] {
    const runs = [...this.#channels.values(), ...this.#destroyed].flatMap((drafted) => drafted?.runs ?? []);
    return runs.flatMap(({ batches }) => batches.flatMap(({ messages }) => messages.map(({ payload }) => payload.byteLength)));
  }

  /** The rows that make it so. */
  operations(): Operation[] {
    const live = [...this.#channels.values()].filter((channel) => channel !== undefined);
    const { term } = this.#state;
    const runs = live.flatMap((channel) => channel.runs);
    return [
      ...(runs.length === 0 ? [] : [{ do: "plain", row: this.#plainRow } as const]),
      ...runs,
      ...this.#records.flatMap(({ key }) => this.#entryRows(key)),
      ...this.#destroyed.flatMap(({ name, stored }) => goneRows(name, stored?.facts.pages.filter(isClosed) ?? [])),
      ...[...this.#doomed].map(([number, range]) => doomedRow(number, range)),
      ...live.flatMap((channel) => stateRowsOf(channel)),
      stateRow({ term, revision: this.revision, floor: this.#floor, timeMs: this.nowMs }, false),
    ];
  }

  /** Moves the state; returns what that means for readers. */
  publish(): EngineEvent[] {
    const events: EngineEvent[] = [];
    for (const record of this.#records) this.#state.meta.apply(record);
    this.#state.floor = this.#floor;
    this.#state.nextDoomed = this.#nextDoomed;
    for (const [number, range] of this.#doomed) this.#state.doomed.set(number, range);
    for (const { name, stored } of this.#destroyed) {
      if (stored === undefined) continue;
      stored.destroyed = true;
      this.#state.raised.delete(stored);
      this.#state.trimmed.delete(stored);
      this.#state.channels.delete(name);
      events.push({ type: "destroyed", channel: stored });
    }
    for (const drafted of this.#channels.values()) if (drafted !== undefined) events.push(...this.#publishChannel(drafted));
    return events;
  }

  #publishChannel(drafted: DraftedChannel): EngineEvent[] {
    const { name, firstId, beginId, endId, lastId, ceiling, pages, stored, trimmedBytes, runs } = drafted;
    const facts = { beginId, endId, lastId, ceiling, pages };
    const channel = stored ?? new RocksDbChannel(name, firstId, { ...facts, ceiling: firstId - 1n });
    const trimmed = beginId > channel.beginId || (stored === undefined && trimmedBytes > 0);
    channel.follow(facts);
    this.#state.channels.set(name, channel);
    if (trimmed) this.#state.trimmed.add(channel);
    if (ceiling > channel.durableCeiling) this.#state.raised.add(channel);
    return [
      ...(runs.length > 0 ? [{ type: "appended", channel } as const] : []),
      ...(trimmed ? [{ type: "trimmed", channel, beginId, bytes: trimmedBytes } as const] : []),
    ];
  }

  #record(record: MetaRecord): void {
    this.#noteDrafted();
    this.#records.push(record);
    this.#recordBytes += 64 + record.key.length + (record.type === "put" ? record.value.length : 0);
  }

  #noteDrafted(): void {
    this.#drafted = true;
    this.#anyDrafted = true;
  }

  #entryRows(key: string): Operation[] {
    const entry = this.#meta.get(key);
    return entry === undefined ? noEntryRows(key) : entryRows(entry);
  }

  /** What a batch takes in both families, keys and all. */
  #bytesOf(name: string, { messages, rows }: LaidBatch): number {
    let bytes = messages.length * 2 * (Buffer.byteLength(name) + 1 + idDigits) + batchEnd.length;
    // By `byteLength`: Node 20 and 22 may give transferred memory its old `length`.
    for (const { payload } of messages) bytes += payload.byteLength + this.#plainRowBytes;
    for (const row of rows ?? []) if (row !== undefined) bytes += Buffer.byteLength(row) - this.#plainRowBytes;
    return bytes;
  }

  #keepBelowCeiling(channel: DraftedChannel): void {
    const { lastId, stored } = channel;
    if (this.#ids === "external") {
      channel.ceiling = max(channel.ceiling, lastId);
      return;
    }
    if (channel.ceiling - lastId < halfCeilingStep) channel.ceiling = lastId + ceilingStep;
    if (lastId > (stored?.durableCeiling ?? channel.firstId - 1n)) this.#needsSync = true;
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
    const stored = this.#state.channels.get(name);
    if (stored === undefined) return undefined;
    const { firstId, facts } = stored;
    const own: DraftedChannel = {
      name,
      firstId,
      ...facts,
      pages: [...facts.pages],
      stored,
      closed: [],
      gone: [],
      trimmedBytes: 0,
      runs: [],
    };
    this.#channels.set(name, own);
    return own;
  }
}

function asDrafted({ name, firstId, facts }: RocksDbChannel): DraftChannel {
  const { beginId, endId, lastId } = facts;
  return { name, firstId, beginId, endId, lastId };
}

/** The rows of messages with properties; undefined when there are none: all rows are the plain one then. */
function rowsOf(messages: readonly NewMessage[], nowMs: number): readonly (string | undefined)[] | undefined {
  if (!messages.some(hasProperties)) return undefined;
  return messages.map((message, at) => {
    if (!hasProperties(message)) return undefined;
    const row = encodeProperties(nowMs, message.properties);
    return at === messages.length - 1 ? row + batchEnd : row;
  });
}

function hasProperties({ properties }: NewMessage): boolean {
  return properties !== undefined && Object.keys(properties).length > 0;
}

function checkIds(name: string, firstId: bigint, lastId: bigint): void {
  if (firstId >= leastId && lastId <= greatestId) return;
  const text = `channel ${JSON.stringify(name)}: with RocksDB ids go from ${leastId} to ${greatestId}, since decimal keys of other lengths`;
  throw invalid("firstId", `${text} don't sort as numbers; got ${firstId} to ${lastId}`);
}

function tooLarge(name: string, size: number): TidemarkError<"too-large"> {
  const text = `channel ${JSON.stringify(name)}: ${size} bytes at once are more than one append may bring (${largestAppend}): split it`;
  return new TidemarkError("too-large", text, { limit: largestAppend, size });
}

function invalid(argument: string, text: string): TidemarkError<"invalid-argument"> {
  return new TidemarkError("invalid-argument", text, { argument });
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
