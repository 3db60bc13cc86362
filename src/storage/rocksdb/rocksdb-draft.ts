/**
 * The draft of one turn, and the rows that it comes to.
 *
 * A batch of RocksDB is there whole or not at all, so ids need no turn of their own below a ceiling that was synced before: a group that
 * gives out ids above the synced ceiling raises it, and is itself synced, in whatever mode.
 */
import { TidemarkError } from "../../base/errors.js";
import type { EngineEvent, NewMessage } from "../engine.js";
import type { MetaRecord } from "../meta-map.js";
import { type AppendedIds, ceilingStep, type DraftBase, type DraftedIds, halfCeilingStep, TurnDraft } from "../turn-draft.js";
import type { MessageRange } from "./batch-writer-protocol.js";
import { beginOnceTrimmed, type DraftedChannel, type LastInPage, settleBegin, stateRowsOf } from "./drafted-channel.js";
import type { LaidBatch, Operation } from "./group-layout.js";
import { greatestId, idDigits, leastId } from "./keys.js";
import { addBatch, bytesFrom, isClosed, takeDead } from "./pages.js";
import { RocksDbChannel } from "./rocksdb-channel.js";
import { doomedRow, entryRows, goneRows, noEntryRows, type RocksDbState, stateRow } from "./rocksdb-state.js";
import { batchEnd, encodeProperties } from "./stored-properties.js";

/** What one append may bring: both threads must hold it, and the binding once more. */
const largestAppend = 512 * 1024 * 1024;

/** See `TurnDraft`. */
export class RocksDbDraft extends TurnDraft<RocksDbChannel, DraftedChannel> {
  readonly #state: RocksDbState;
  readonly #records: MetaRecord[] = [];
  readonly #destroyed: DraftedChannel[] = [];
  readonly #doomed = new Map<number, MessageRange>();
  /** The row of a message without properties. */
  readonly #plainRow: string;
  readonly #plainRowBytes: number;
  #nextDoomed: number;
  #isEmpty = true;
  #messageBytes = 0;
  #recordBytes = 0;
  #needsSync = false;

  constructor(base: DraftBase<RocksDbState>) {
    super(base);
    this.#state = base.state;
    this.#plainRow = encodeProperties(base.nowMs, undefined);
    this.#plainRowBytes = Buffer.byteLength(this.#plainRow);
    this.#nextDoomed = base.state.nextDoomed;
  }

  /** Nothing is to be written. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** About what the messages and the metadata drafted take. */
  get aboutBytes(): number {
    return this.#messageBytes + this.#recordBytes;
  }

  /** It gives out ids above a synced ceiling. */
  get needsSync(): boolean {
    return this.#needsSync;
  }

  /** Finds out where trimmed channels begin. */
  async settleBegins(lastInPage: LastInPage): Promise<void> {
    for (const channel of this.touched.values()) if (channel !== undefined) await settleBegin(channel, lastInPage);
  }

  /** How long each payload is now; another answer after a wait: the memory of one was transferred or resized meanwhile. */
  payloadBytes(): readonly number[] {
    const runs = [...this.touched.values(), ...this.#destroyed].flatMap((drafted) => drafted?.runs ?? []);
    return runs.flatMap(({ batches }) => batches.flatMap(({ messages }) => messages.map(({ payload }) => payload.byteLength)));
  }

  /** The rows that make it so. */
  operations(): Operation[] {
    const live = [...this.touched.values()].filter((channel) => channel !== undefined);
    const { term } = this.#state;
    const runs = live.flatMap((channel) => channel.runs);
    return [
      ...(runs.length === 0 ? [] : [{ do: "plain", row: this.#plainRow } as const]),
      ...runs,
      ...this.#records.flatMap(({ key }) => this.#entryRows(key)),
      ...this.#destroyed.flatMap(({ name, stored }) => goneRows(name, stored?.facts.pages.filter(isClosed) ?? [])),
      ...[...this.#doomed].map(([number, range]) => doomedRow(number, range)),
      ...live.flatMap((channel) => stateRowsOf(channel)),
      stateRow({ term, revision: this.revision, floor: this.floor, timeMs: this.nowMs }, false),
    ];
  }

  /** Moves the state; returns what that means for readers. */
  publish(): EngineEvent[] {
    const events: EngineEvent[] = [];
    for (const record of this.#records) this.#state.meta.apply(record);
    this.#state.floor = this.floor;
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
    for (const drafted of this.touched.values()) if (drafted !== undefined) events.push(...this.#publishChannel(drafted));
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

  protected override get leastId(): bigint {
    return leastId;
  }

  protected override checkName(name: string): void {
    if (name.includes("/")) throw invalid("name", `channel ${JSON.stringify(name)}: there can be no "/" in the name of a channel`);
  }

  protected override checkIds(name: string, { firstId, lastId }: AppendedIds): void {
    if (firstId >= leastId && lastId <= greatestId) return;
    const text = `channel ${JSON.stringify(name)}: with RocksDB ids go from ${leastId} to ${greatestId}, since decimal keys of other lengths`;
    throw invalid("firstId", `${text} don't sort as numbers; got ${firstId} to ${lastId}`);
  }

  protected override noteDrafted(): void {
    super.noteDrafted();
    this.#isEmpty = false;
  }

  protected override draftOf(stored: RocksDbChannel): DraftedChannel {
    const { name, firstId, facts } = stored;
    return { name, firstId, ...facts, pages: [...facts.pages], stored, closed: [], gone: [], trimmedBytes: 0, runs: [] };
  }

  protected override made(ids: DraftedIds): DraftedChannel {
    return { ...ids, pages: [], stored: undefined, closed: [], gone: [], trimmedBytes: 0, runs: [] };
  }

  protected override gone(channel: DraftedChannel): void {
    const { name, stored, firstId, endId } = channel;
    this.#destroyed.push(channel);
    const fromId = stored?.sweptId ?? firstId;
    if (endId > fromId) this.#doomed.set(this.#nextDoomed++, { channel: name, fromId, toId: endId });
  }

  protected override add(channel: DraftedChannel, messages: readonly NewMessage[], { firstId, lastId }: AppendedIds): void {
    const { name } = channel;
    const batch = { messages, rows: rowsOf(messages, this.nowMs) };
    const bytes = this.#bytesOf(name, batch);
    if (bytes > largestAppend) throw tooLarge(name, bytes);
    this.#messageBytes += bytes;
    if (channel.runs.length > 0 && firstId === channel.endId) channel.runs.at(-1)?.batches.push(batch);
    else channel.runs.push({ do: "messages", channel: name, firstId, batches: [batch] });
    this.#keepBelowCeiling(channel, lastId);
    const { nowMs } = this;
    const page = addBatch(channel.pages, { firstId, lastId, count: messages.length, bytes, firstTimeMs: nowMs, lastTimeMs: nowMs });
    if (isClosed(page)) channel.closed.push(page);
  }

  protected override beginOnceTrimmed(channel: DraftedChannel, id: bigint): bigint | undefined {
    return beginOnceTrimmed(channel, id);
  }

  protected override cut(channel: DraftedChannel, beginId: bigint): void {
    const before = bytesFrom(channel.pages, channel.beginId);
    channel.gone.push(...takeDead(channel.pages, beginId).filter(isClosed));
    channel.trimmedBytes += before - bytesFrom(channel.pages, beginId);
  }

  protected override record(record: MetaRecord): void {
    this.#records.push(record);
    this.#recordBytes += 64 + record.key.length + (record.type === "put" ? record.value.length : 0);
  }

  #entryRows(key: string): Operation[] {
    const entry = this.get(key);
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

  #keepBelowCeiling(channel: DraftedChannel, lastId: bigint): void {
    if (this.ids === "external") {
      if (lastId > channel.ceiling) channel.ceiling = lastId;
      return;
    }
    if (channel.ceiling - lastId < halfCeilingStep) channel.ceiling = lastId + ceilingStep;
    if (lastId > (channel.stored?.durableCeiling ?? channel.firstId - 1n)) this.#needsSync = true;
  }
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

function tooLarge(name: string, size: number): TidemarkError<"too-large"> {
  const text = `channel ${JSON.stringify(name)}: ${size} bytes at once are more than one append may bring (${largestAppend}): split it`;
  return new TidemarkError("too-large", text, { limit: largestAppend, size });
}

function invalid(argument: string, text: string): TidemarkError<"invalid-argument"> {
  return new TidemarkError("invalid-argument", text, { argument });
}
