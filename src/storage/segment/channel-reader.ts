/**
 * Reads one channel in id order. It takes about a mebibyte at a time, checks it, and hands out messages as views into it.
 *
 *     run ▸ extents from the id on ▸ one read ▸ frames of the channel ▸ messages
 *
 * Whoever reads on and on gets the next mebibyte read ahead, while it does something with what it has: moves its cursor, say.
 */
import type { ChannelReader, StoredMessage } from "../engine.js";
import { channelNotFound, positionTrimmed } from "../refusals.js";
import { BatchCursor } from "./batch-body.js";
import type { ChannelState, Run } from "./channel-state.js";
import { corrupt } from "./corrupt.js";
import type { ExtentReader, Span } from "./extent-reader.js";
import { bodyOf, type Frame } from "./frame.js";
import type { ReadBudget } from "./read-budget.js";
import { PropertiesReader } from "./properties-reader.js";
import { extentsOfRun } from "./run-extents.js";
import type { Extent } from "./channel-extents.js";
import type { ExtentIndex } from "./segment-index.js";

const spanBytes = 1024 * 1024;
/** Rather two reads than one with a hole of this size. */
const holeBytes = 64 * 1024;

/** What a reader reads from. */
export interface ReadSource {
  readonly extents: ExtentReader;
  readonly budget: ReadBudget;
  /** The index of the segment that a run is in. */
  index(run: Pick<Run, "segment">): Promise<ExtentIndex> | ExtentIndex;
  /** The path of a segment, for errors. */
  path(segment: number): string;
  /** What `look` gives. Beside another process that writes, what it finds missing or bad is looked at again. */
  surely<T>(look: () => Promise<T>): Promise<T>;
  /** Throws when the store is closed. */
  check(): void;
}

/** Checked frames that were read and not yet handed out, from `nextId` on. */
interface Chunk {
  readonly frames: readonly Frame[];
  /** Of the whole span: its frames are views into that, and keep what stands between them too. */
  readonly bytes: number;
  /** Of the frame that `cursor` goes through. */
  at: number;
  cursor: BatchCursor;
  nextId: bigint;
}

/** What is read ahead of need; undefined when that failed, and whoever needs it finds out why. */
interface Ahead {
  readonly id: bigint;
  readonly chunk: Promise<Chunk | undefined>;
}

/** A span to which the next extent may be added. */
interface OpenSpan extends Span {
  end: number;
  count: number;
  lastId: bigint;
}

/** Where the last span ended, so that an extent that grew is read on from there. */
interface Place {
  readonly segment: number;
  readonly extentOffset: number;
  readonly countBefore: number;
  readonly offset: number;
  readonly nextId: bigint;
}

/** See `ChannelReader`. */
export class SegmentChannelReader implements ChannelReader {
  readonly #channel: ChannelState;
  readonly #source: ReadSource;
  readonly #texts = new PropertiesReader();
  #chunk: Chunk | undefined;
  #ahead: Ahead | undefined;
  /** What comes behind the last read, for one that reads on. */
  #readTo: bigint | undefined;
  #place: Place | undefined;

  constructor(channel: ChannelState, source: ReadSource) {
    this.#channel = channel;
    this.#source = source;
  }

  async read(fromId: bigint, max: number, maxBytes: number): Promise<StoredMessage[]> {
    this.#check(fromId);
    const messages: StoredMessage[] = [];
    const room = { messages: max, bytes: maxBytes };
    let id = fromId;
    for (let full = false; !full && id < this.#channel.endId;) {
      if (this.#chunk?.nextId !== id) this.#chunk = await this.#next(id, fromId);
      if (this.#chunk === undefined) break;
      full = this.#take(this.#chunk, messages, room);
      id = this.#chunk.nextId;
      if (isUsedUp(this.#chunk)) this.#chunk = undefined;
    }
    this.#source.budget.keep(this, this.#chunk?.bytes ?? 0);
    if (this.#readTo === fromId) this.#readAhead(id, messages.length);
    this.#readTo = id;
    return messages;
  }

  /** Moves messages out of the chunk. Whether the caller has all that it has room for. */
  #take(chunk: Chunk, into: StoredMessage[], room: { messages: number; bytes: number }): boolean {
    for (; !isUsedUp(chunk); toNextFrame(chunk)) {
      const { cursor } = chunk;
      while (cursor.left > 0) {
        const bytes = cursor.nextBytes;
        if (room.messages === 0 || (into.length > 0 && bytes > room.bytes)) return true;
        const message = cursor.next(this.#texts);
        room.messages--;
        room.bytes -= bytes;
        into.push(message);
        chunk.nextId = message.id + 1n;
      }
    }
    return room.messages === 0;
  }

  /** Forgets what it keeps for the next call. */
  letGo(): void {
    this.#chunk = undefined;
    this.#ahead = undefined;
  }

  /** Begins to read what the next call will need, if that is as large as the last and there is as much. */
  #readAhead(id: bigint, count: number): void {
    const endOfChunk = this.#chunk === undefined ? id : endOf(this.#chunk);
    const [wanted, there] = [id + BigInt(count), this.#channel.endId];
    if (count === 0 || wanted <= endOfChunk || wanted > there || this.#ahead?.id === endOfChunk) return;
    const ahead: Ahead = { id: endOfChunk, chunk: this.#load(endOfChunk, endOfChunk).catch(() => undefined) };
    this.#ahead = ahead;
    void ahead.chunk.then((chunk) => {
      if (this.#ahead === ahead) this.#source.budget.keep(this, (this.#chunk?.bytes ?? 0) + (chunk?.bytes ?? 0));
    });
  }

  /** Frames from the first id >= `id` on, read ahead or now; undefined when there is none. */
  async #next(id: bigint, fromId: bigint): Promise<Chunk | undefined> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const chunk = ahead?.id === id ? await ahead.chunk : undefined;
    if (chunk === undefined) return this.#load(id, fromId);
    this.#check(fromId);
    return chunk;
  }

  #check(fromId: bigint): void {
    this.#source.check();
    const { name, destroyed, beginId } = this.#channel;
    if (destroyed) throw channelNotFound(name);
    if (fromId < beginId) throw positionTrimmed(name, fromId, beginId);
  }

  /** Frames from the first id >= `id` on; undefined when there is none. */
  async #load(id: bigint, fromId: bigint): Promise<Chunk | undefined> {
    return this.#source.surely(async () => {
      try {
        return await this.#loadOnce(id);
      } finally {
        // A trim or destroy in the meantime may have taken the file away, or what was read of it.
        this.#check(fromId);
      }
    });
  }

  /** What was copied elsewhere meanwhile may be gone from where it was looked for. */
  async #loadOnce(id: bigint): Promise<Chunk | undefined> {
    for (;;) {
      const { moves } = this.#channel;
      try {
        const run = this.#channel.runAt(id);
        // As it is now: the run itself may lose batches while it is looked up.
        return run === undefined ? undefined : await this.#loadFrom({ ...run }, id);
      } catch (error) {
        this.#source.check();
        if (this.#channel.destroyed || this.#channel.moves === moves) throw error;
      }
    }
  }

  async #loadFrom(run: Run, id: bigint): Promise<Chunk> {
    const span = await this.#span(run, id);
    const frames = await this.#source.extents.frames(this.#channel.number, span);
    return chunkOf(frames, span, id) ?? this.#misled(span, id);
  }

  /** Never a gap in silence: the index, whose checksum is right, has sent us to frames that end before `id`. */
  #misled({ segment, offset }: Span, id: bigint): never {
    throw corrupt(this.#source.path(segment), offset, `id ${id} should stand from here on, as its index has it`);
  }

  async #span(run: Run, id: bigint): Promise<Span> {
    const index = await this.#source.index(run);
    const extents = extentsOfRun(index, this.#channel.number, run, id);
    const first = extents[0];
    if (first === undefined) throw corrupt(this.#source.path(run.segment), 0, `its index has no place for id ${id}`);
    const span = this.#begin(run.segment, first, id);
    let last = first;
    for (const next of extents.slice(1)) {
      if (next.end - span.offset > spanBytes || next.offset - last.end > holeBytes || next.offset < last.end) break;
      span.count += next.count;
      span.lastId = next.lastId;
      last = next;
    }
    span.end = last.end;
    this.#place = { segment: run.segment, extentOffset: last.offset, countBefore: last.count, offset: last.end, nextId: last.lastId + 1n };
    return span;
  }

  /** The part of an extent to read: what it grew by, if all before was read. */
  #begin(segment: number, extent: Extent, id: bigint): OpenSpan {
    const { offset, end, count, firstId, lastId } = extent;
    const place = this.#place;
    if (place?.segment === segment && place.extentOffset === offset && id >= place.nextId) {
      return { segment, offset: place.offset, end, count: count - place.countBefore, firstId, lastId };
    }
    return { segment, offset, end, count, firstId, lastId };
  }
}

function chunkOf(frames: readonly Frame[], span: Span, id: bigint): Chunk | undefined {
  const at = frames.findIndex((frame) => frame.baseId + BigInt(frame.count) > id);
  const frame = frames[at];
  if (frame === undefined) return undefined;
  const cursor = cursorOf(frame);
  cursor.skipTo(id);
  return { frames, bytes: span.end - span.offset, at, cursor, nextId: id };
}

/** The first id behind the chunk. */
function endOf({ frames, nextId }: Chunk): bigint {
  const last = frames.at(-1);
  return last === undefined ? nextId : last.baseId + BigInt(last.count);
}

function cursorOf(frame: Frame): BatchCursor {
  return new BatchCursor(bodyOf(frame), frame.baseId, frame.count, frame.timeMs);
}

function isUsedUp(chunk: Chunk): boolean {
  return chunk.cursor.left === 0 && chunk.at === chunk.frames.length - 1;
}

function toNextFrame(chunk: Chunk): void {
  const frame = chunk.frames[chunk.at + 1];
  if (chunk.cursor.left > 0 || frame === undefined) return;
  chunk.at++;
  chunk.cursor = cursorOf(frame);
}
