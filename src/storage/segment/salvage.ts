/**
 * Makes a sound store out of what is left of a damaged one. The damaged one is only read.
 *
 *     find    which files, which ends, which are missing
 *     scan    every segment: records into a state, batches of each channel; between them the holes
 *     copy    every segment again: the batches of what is there in the end, with their ids and times, into a new store; what was copied
 *             forward comes where its ids are
 *
 * Only whole groups count, as ever: a frame of a broken group may have been refused. What the surviving records say was destroyed or trimmed stays so.
 */
import { closeAfter } from "../../base/close-all.js";
import { TidemarkError } from "../../base/errors.js";
import type { Vfs } from "../../base/vfs.js";
import type { ChannelState } from "./channel-state.js";
import { lastIdOf, segmentSeed, type Frame } from "./frame.js";
import { framesAnywhere, type SegmentBytes } from "./group-scan.js";
import { LogState } from "./log-state.js";
import { isBefore, laterOf, type Position } from "./position.js";
import { readFile } from "./read-file.js";
import { SalvagedCopies } from "./salvage-copies.js";
import { HoleLedger, type Hole } from "./salvage-holes.js";
import { piecesOf, type Piece } from "./salvage-scan.js";
import { findSource, type Source, type SourceSegment } from "./salvage-source.js";
import { SalvageTarget } from "./salvage-target.js";
import { SalvagedState, type SalvagedChannel } from "./salvaged-state.js";

/** What was salvaged of a channel. */
export interface SalvagedChannelReport {
  readonly name: string;
  /** False when no surviving record says its name, so that it got one of its number. */
  readonly isNameKnown: boolean;
  readonly beginId: bigint;
  readonly endId: bigint;
  readonly messages: number;
}

/** What was done. */
export interface SalvageReport {
  readonly from: string;
  readonly to: string;
  /** Segment files gone through. */
  readonly segments: number;
  readonly batches: number;
  readonly messages: number;
  readonly channels: readonly SalvagedChannelReport[];
  /** Entries of the metadata that were taken along: groups, cursors and what else is kept there. */
  readonly metadata: number;
  /** In the order of the log; empty when nothing is missing. */
  readonly holes: readonly Hole[];
}

/** What to do with whom. */
export interface SalvageOptions {
  readonly from: string;
  /** Absent or empty. */
  readonly to: string;
  /** Milliseconds since 1970: ids given out later are above it. */
  readonly nowMs: number;
  /** Aborted: it rejects with the reason before the next segment, and leaves a part of the copy behind. */
  readonly signal?: AbortSignal | undefined;
  /** Each segment is read twice. */
  readonly onProgress?: ((done: { readonly reads: number; readonly of: number }) => void) | undefined;
}

/**
 * Salvages the store in `options.from`. Resolves once the new store is durable.
 *
 * @throws `locked` while a process has it open; `invalid-argument` when there is nothing to salvage, or `to` is not empty; `unsupported-format`
 */
export async function salvageSegmentStore(vfs: Vfs, options: SalvageOptions): Promise<SalvageReport> {
  const { from, to } = options;
  const pid = await vfs.lockHolder(from);
  if (pid !== undefined) throw new TidemarkError("locked", `${from} is open in process ${pid}: close it there first`, { pid });
  const source = await findSource(vfs, from);
  return new Salvage(vfs, options, source).run(to);
}

class Salvage {
  readonly #vfs: Vfs;
  readonly #o: SalvageOptions;
  readonly #source: Source;
  readonly #state: SalvagedState;
  readonly #holes: HoleLedger;
  readonly #copies: SalvagedCopies;
  /** The first batch that is left of a channel. */
  readonly #firstIds = new Map<number, bigint>();
  /** Messages copied, by channel. */
  readonly #messages = new Map<number, number>();
  #batches = 0;
  #reads = 0;

  constructor(vfs: Vfs, options: SalvageOptions, source: Source) {
    this.#vfs = vfs;
    this.#o = options;
    this.#source = source;
    this.#state = new SalvagedState(source.checkpoint);
    this.#holes = new HoleLedger(source.checkpoint);
    this.#copies = new SalvagedCopies(vfs, source.storeId);
  }

  async run(to: string): Promise<SalvageReport> {
    await this.#scan();
    const log = this.#newLog();
    const target = await SalvageTarget.begin(this.#vfs, to, log);
    try {
      await this.#copy(target, log);
      this.#settle(log);
      await target.finish();
    } catch (error) {
      return closeAfter(error, () => target.abandon());
    }
    return this.#report(log);
  }

  async #scan(): Promise<void> {
    const { segments, lost } = this.#source;
    let { durable } = this.#source;
    let missing = lost;
    for (const segment of segments) {
      for (const place of missing.filter(({ segment: number }) => number < segment.number)) this.#holes.addFile(place.segment, place);
      missing = missing.filter(({ segment: number }) => number > segment.number);
      durable = await this.#scanSegment(segment, durable);
    }
    for (const place of missing) this.#holes.addFile(place.segment, place);
  }

  /** @param durable how far the log is known to have gone; resolves with what is known of that by then */
  async #scanSegment(segment: SourceSegment, durable: Position): Promise<Position> {
    const { number, file, end } = segment;
    const bytes = await this.#read(segment);
    let known = durable;
    let at = 0;
    for (const piece of piecesOf(file, bytes, end)) {
      if ("gap" in piece) this.#holes.add(number, piece.gap);
      else {
        at = piece.group.end;
        known = piece.group.frames.reduce((latest, frame) => laterOf(latest, frame.durableThrough), known);
        this.#state.take(piece.group, number, (frame, channel) => this.#note(frame, channel, segment));
      }
    }
    this.#progress();
    if (end !== undefined) return known;
    // Behind the last whole group there may be frames that are no longer part of one, and say how far it went.
    for (const frame of framesAnywhere(bytes, at)) known = laterOf(known, frame.durableThrough);
    if (known.segment === number && isBefore({ segment: number, offset: at }, known)) {
      const what = `no whole group stands here, but the log was durable up to offset ${known.offset}`;
      this.#holes.add(number, { file, offset: at, start: at, end: known.offset, what });
    }
    return known;
  }

  #note(frame: Frame, { number }: SalvagedChannel, segment: SourceSegment): void {
    this.#holes.saw(segment.number, frame);
    if (frame.rest === undefined) this.#holes.pass(number, frame.baseId, lastIdOf(frame));
    else this.#copies.note(frame, segment);
    this.#firstIds.set(number, least(this.#firstIds.get(number), frame.baseId) ?? frame.baseId);
  }

  /** The channels that are there in the end, as they are before their first message. */
  #newLog(): LogState {
    const log = new LogState();
    log.keeps = this.#state.keeps;
    const names = new Set([...this.#state.channels.values()].map(({ name }) => name));
    for (const channel of this.#state.channels.values()) {
      const { number } = channel;
      const first = this.#firstIds.get(number);
      const firstId = channel.firstId ?? least(first, channel.beginId) ?? channel.lastId + 1n;
      const beginId = channel.beginId ?? firstId;
      const start = least(first, beginId) ?? beginId;
      log.restoreChannel({
        number,
        name: nameOf(channel, names),
        firstId,
        beginId,
        endId: start,
        lastId: start - 1n,
        ceiling: channel.ceiling,
      });
    }
    return log;
  }

  async #copy(target: SalvageTarget, log: LogState): Promise<void> {
    for (const segment of this.#source.segments) {
      for (const frame of batchesOf(piecesOf(segment.file, await this.#read(segment), segment.end))) {
        if (frame.rest !== undefined) continue;
        for await (const copy of this.#copies.before(frame.channel, frame.baseId)) await this.#add(copy, target, log);
        await this.#add(frame, target, log);
      }
      this.#progress();
    }
    for (const channel of this.#copies.channels()) {
      for await (const copy of this.#copies.before(channel, undefined)) await this.#add(copy, target, log);
    }
  }

  async #add(frame: Frame, target: SalvageTarget, log: LogState): Promise<void> {
    const channel = log.channelByNumber(frame.channel);
    if (channel === undefined || !isWanted(frame, channel)) return;
    await target.add(frame);
    this.#batches += 1;
    const hidden = frame.baseId < channel.beginId ? Number(channel.beginId - frame.baseId) : 0;
    this.#messages.set(channel.number, (this.#messages.get(channel.number) ?? 0) + frame.count - hidden);
  }

  /** Takes over what batches don't say. */
  #settle(log: LogState): void {
    const { meta, floor, nextChannel, term, lastTimeMs, channels } = this.#state;
    for (const entry of meta.all()) log.meta.restore(entry);
    log.meta.advance(meta.revision);
    log.floor = this.#aboveAllLost(floor);
    log.nextChannel = nextChannel;
    log.term = term;
    log.lastTimeMs = lastTimeMs;
    for (const { number, lastId, ceiling, endId } of channels.values()) {
      const channel = log.channelByNumber(number);
      if (channel === undefined) continue;
      // An empty channel ends where it begins.
      if (channel.runs.length === 0) channel.endId = channel.beginId = greatest(channel.beginId, endId ?? channel.endId);
      channel.lastId = this.#aboveAllLost(greatest(lastId, channel.lastId, channel.endId - 1n));
      channel.ceiling = greatest(ceiling, channel.lastId);
    }
  }

  /** Ids that were given out in a hole must not be given out again: where ids begin with a time, later ones begin with a later time. */
  #aboveAllLost(lastId: bigint): bigint {
    const isTimed = lastId >> 18n > 1_000_000_000_000n;
    return isTimed && !this.#holes.isEmpty ? greatest(lastId, BigInt(this.#o.nowMs) << 18n) : lastId;
  }

  #report(log: LogState): SalvageReport {
    const { from, to } = this.#o;
    const channels = [...log.channels()].map(({ number, name, beginId, endId }) => {
      const isNameKnown = this.#state.channels.get(number)?.name !== undefined;
      return { name, isNameKnown, beginId, endId, messages: this.#messages.get(number) ?? 0 };
    });
    return {
      from,
      to,
      segments: this.#source.segments.length,
      batches: this.#batches,
      messages: channels.reduce((sum, { messages }) => sum + messages, 0),
      channels,
      metadata: log.meta.all().length,
      holes: this.#holes.finish((number) => log.channelByNumber(number)?.name, { someAreGone: this.#someAreGone() }),
    };
  }

  /** Without the checkpoint nobody knows of a file that is missing whether it was removed: then its copies are all that there was. */
  #someAreGone(): boolean {
    const { segments, lost, checkpoint } = this.#source;
    const numbers = new Set(segments.map(({ number }) => number));
    if (checkpoint !== undefined) for (const { segment } of lost) numbers.add(segment);
    return numbers.size < Math.max(0, ...numbers);
  }

  async #read({ number: segment, file }: SourceSegment): Promise<SegmentBytes> {
    this.#o.signal?.throwIfAborted();
    const buffer = (await readFile(this.#vfs, file)) ?? Buffer.alloc(0);
    return { buffer, base: 0, segment, seed: segmentSeed(this.#source.storeId, segment) };
  }

  #progress(): void {
    this.#reads += 1;
    this.#o.onProgress?.({ reads: this.#reads, of: 2 * this.#source.segments.length });
  }
}

/** Channels by the same name in one store would hide each other. */
function nameOf({ name, number }: SalvagedChannel, taken: Set<string | undefined>): string {
  if (name !== undefined) return name;
  let made = `channel-${number}`;
  while (taken.has(made)) made = `${made}-salvaged`;
  taken.add(made);
  return made;
}

function* batchesOf(pieces: Iterable<Piece>): Generator<Frame> {
  for (const piece of pieces) {
    if ("group" in piece) yield* piece.group.frames.filter(({ kind }) => kind === "batch");
  }
}

/** Trimmed is trimmed; and a second copy of what is there already is of no use. */
function isWanted({ baseId, count }: Frame, { beginId, endId }: ChannelState): boolean {
  return baseId + BigInt(count) > beginId && baseId >= endId;
}

function least(...ids: readonly (bigint | undefined)[]): bigint | undefined {
  return ids.reduce((low, id) => (low === undefined || (id !== undefined && id < low) ? id : low), undefined);
}

function greatest(...ids: readonly [bigint, ...bigint[]]): bigint {
  return ids.reduce((high, id) => (id > high ? id : high));
}
