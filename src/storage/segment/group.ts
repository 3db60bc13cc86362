/**
 * A group: what one turn of the log writes at once, and what counts only whole.
 *
 *     [control: records of all its changes] [batch: channel a] [batch: channel b] [batch: channel a] …
 *       first of group                                                             last of group
 *
 * Appends to one channel share frames, so that many small produces cost one header. A frame closes at `frameBodyBytes`, so that a reader
 * that wants one message need not check a mebibyte.
 */
import { assert } from "../../base/assert.js";
import { copyBytes } from "../../base/copy-bytes.js";
import { cutOff } from "../stretches.js";
import { encodeStarts } from "./append-starts.js";
import { writeMessage, type PackedMessage } from "./batch-body.js";
import { placeOf, type BatchPlace } from "./batch-place.js";
import { encodeControlRecords, type ControlRecord } from "./control-record.js";
import { bodyOf, frameHeaderBytes, paddedLength, sealFrame, type Frame, type FrameHeader } from "./frame.js";
import type { Position } from "./position.js";

const frameBodyBytes = 128 * 1024;
const largestOffset = 2 ** 32 - 1;
/** The most bytes that one append may bring: with all that may stand before it in its segment, its group still has an offset for every frame. */
export const largestAppend = 2 ** 31;

/** Where a group goes, and what its frames say besides their content. */
export interface GroupPlace {
  readonly segment: number;
  readonly offset: number;
  readonly seed: number;
  readonly durableThrough: Position;
  readonly term: bigint;
  readonly timeMs: number;
}

interface OpenBatch {
  readonly channel: number;
  readonly baseId: bigint;
  readonly messages: PackedMessage[];
  /** At which of its messages appends begin. */
  readonly starts: number[];
  bodyBytes: number;
}

/** A batch to be copied forward. */
export interface BatchCopy {
  /** Checked. */
  readonly frame: Frame;
  /** Messages behind it in the run that it is taken from. */
  readonly rest: number;
}

/** Collects what a turn's changes draft, and lays it out once its place is known. */
export class Group {
  readonly records: ControlRecord[] = [];
  readonly #batches: OpenBatch[] = [];
  readonly #copies: BatchCopy[] = [];
  /** The batch of each channel that still takes messages. */
  readonly #open = new Map<number, OpenBatch>();
  /** Of all batch frames so far, the open ones' bodies included, padding not. */
  #batchBytes = 0;
  #recordBytes = 0;

  get isEmpty(): boolean {
    return this.records.length === 0 && this.#batches.length === 0 && this.#copies.length === 0;
  }

  /** About what it takes in all. */
  get aboutBytes(): number {
    return this.#batchBytes + this.#recordBytes;
  }

  /** Adds what is not a message. */
  addRecord(record: ControlRecord): void {
    this.records.push(record);
    this.#recordBytes += aboutBytesOf(record);
  }

  /** Adds messages with consecutive ids from `firstId` on, above all of the channel so far. */
  add(channel: number, firstId: bigint, messages: readonly PackedMessage[]): void {
    let batch = this.#open.get(channel);
    if (batch !== undefined && batch.baseId + BigInt(batch.messages.length) !== firstId) batch = undefined;
    for (let i = 0; i < messages.length; i++) {
      const message = messages[i];
      if (message === undefined) continue;
      if (batch === undefined || (batch.bodyBytes > 0 && batch.bodyBytes + message.size > frameBodyBytes)) {
        batch = this.#openBatch(channel, firstId + BigInt(i));
      }
      if (i === 0) batch.starts.push(batch.messages.length);
      batch.messages.push(message);
      batch.bodyBytes += message.size;
      this.#batchBytes += message.size;
    }
  }

  /** The last id below `id` that it adds to a channel; undefined when there is none. */
  lastBelow(channel: number, id: bigint): bigint | undefined {
    const batch = this.#batches.findLast((one) => one.channel === channel && one.baseId < id);
    if (batch === undefined) return undefined;
    return cutOff(batch.baseId + BigInt(batch.messages.length) - 1n, id);
  }

  /** Adds a batch that stands elsewhere, as it is, with its ids and its time. */
  addCopy(copy: BatchCopy): void {
    this.#copies.push(copy);
    this.#batchBytes += copy.frame.bytes.length;
  }

  /** Its bytes at `place`, and where its batches are in them. */
  encode(place: GroupPlace, staging: (size: number) => Buffer): { readonly bytes: Buffer; readonly batches: BatchPlace[] } {
    const control = this.records.length === 0 ? undefined : encodeControlRecords(this.records);
    const bodies = this.#batches.map((batch) => ({ ...batch, starts: encodeStarts(batch.starts, batch.messages.length) }));
    const size =
      (control === undefined ? 0 : paddedLength(frameHeaderBytes + control.length)) +
      bodies.reduce((sum, { bodyBytes, starts }) => sum + paddedLength(frameHeaderBytes + bodyBytes + starts.length), 0) +
      this.#copies.reduce((sum, { frame }) => sum + paddedLength(frame.bytes.length), 0);
    assert(place.offset + size <= largestOffset, `a group of ${size} bytes does not fit behind ${place.segment}:${place.offset}`);
    const layout = new Layout(staging(size), place, this.#batches.length + this.#copies.length + (control === undefined ? 0 : 1));
    if (control !== undefined) {
      layout.frame({ kind: "control", channel: 0, baseId: 0n, count: this.records.length }, control.length, (body) =>
        copyBytes(body, 0, control),
      );
    }
    const batches = bodies.map(({ channel, baseId, messages, bodyBytes, starts }) => {
      const length = bodyBytes + starts.length;
      const at = layout.frame({ kind: "batch", channel, baseId, count: messages.length }, length, (body) => {
        writeMessages(body, messages);
        copyBytes(body, bodyBytes, starts);
      });
      const { segment, timeMs } = place;
      const frameBytes = frameHeaderBytes + length;
      const from = (id: bigint): number => frameBytes - sizeOf(messages.slice(0, Number(id - baseId)));
      return { channel, baseId, count: messages.length, timeMs, segment, offset: at, length: frameBytes, bytesFrom: from };
    });
    const copies = this.#copies.map(({ frame, rest }) => {
      const { channel, baseId, count, timeMs } = frame;
      const body = bodyOf(frame);
      const what = { kind: "batch", channel, baseId, count, timeMs, rest } as const;
      const at = layout.frame(what, body.length, (into) => copyBytes(into, 0, body));
      return { ...placeOf(frame, { segment: place.segment, offset: at }), rest };
    });
    return { bytes: layout.bytes, batches: [...batches, ...copies] };
  }

  #openBatch(channel: number, baseId: bigint): OpenBatch {
    const batch: OpenBatch = { channel, baseId, messages: [], starts: [], bodyBytes: 0 };
    this.#batches.push(batch);
    this.#open.set(channel, batch);
    this.#batchBytes += frameHeaderBytes;
    return batch;
  }
}

type LaidFrame = Pick<FrameHeader, "kind" | "channel" | "baseId" | "count" | "rest"> & Partial<Pick<FrameHeader, "timeMs">>;

/** Lays frames one behind the other and chains their checksums. */
class Layout {
  readonly bytes: Buffer;
  readonly #place: GroupPlace;
  readonly #frames: number;
  #laid = 0;
  #at = 0;
  #previous = 0;

  constructor(bytes: Buffer, place: GroupPlace, frames: number) {
    this.bytes = bytes;
    this.#place = place;
    this.#frames = frames;
  }

  /** Adds a frame and returns its offset in the segment. */
  frame(what: LaidFrame, bodyLength: number, fill: (body: Buffer) => void): number {
    const { segment, offset, seed, durableThrough, term, timeMs } = this.#place;
    const start = this.#at;
    const end = start + frameHeaderBytes + bodyLength;
    this.#at = start + paddedLength(frameHeaderBytes + bodyLength);
    fill(this.bytes.subarray(start + frameHeaderBytes, end));
    // The staging buffer is used again and again: old bytes must not get to the disk.
    this.bytes.fill(0, end, this.#at);
    this.#laid++;
    const marks = { first: this.#laid === 1, last: this.#laid === this.#frames, previous: this.#previous };
    const header = { timeMs, ...what, ...marks, segment, durableThrough, term };
    this.#previous = sealFrame(this.bytes.subarray(start, end), header, offset + start, seed);
    return offset + start;
  }
}

function aboutBytesOf(record: ControlRecord): number {
  return 64 + ("key" in record ? record.key.length : 0) + ("value" in record ? record.value.length : 0);
}

function sizeOf(messages: readonly PackedMessage[]): number {
  return messages.reduce((sum, { size }) => sum + size, 0);
}

function writeMessages(body: Buffer, messages: readonly PackedMessage[]): void {
  let at = 0;
  for (const message of messages) at = writeMessage(body, at, message);
}
