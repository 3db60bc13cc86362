/**
 * The oldest batches of a channel as they were appended, whatever frames they came to stand in.
 *
 *     frames    [a a b][b b b][b c c c] …            c may go on in a frame that was not looked at: it is told of next time
 *     batches   a a │ b b b b b │
 */
import type { RetainedBatch } from "../engine.js";
import { decodeStarts } from "./append-starts.js";
import { BatchCursor } from "./batch-body.js";
import { framesOf, undisturbed } from "./channel-lookup.js";
import type { ReadSource } from "./channel-reader.js";
import type { ChannelState } from "./channel-state.js";
import { bodyOf, lastIdOf, type Frame } from "./frame.js";
import { extentsOfRun } from "./run-extents.js";

/** It looks at no more of the segment once it has found so many. */
const enoughBatches = 256;

/** See `Engine.oldestBatches`. */
export function oldestBatches(channel: ChannelState, source: ReadSource): Promise<readonly RetainedBatch[]> {
  return undisturbed(channel, source, () => findOldest(channel, source));
}

/** Of the first run: an append is never in two segments but when it was copied halfway. */
async function findOldest(channel: ChannelState, source: ReadSource): Promise<readonly RetainedBatch[]> {
  const { beginId } = channel;
  const [first] = channel.runs;
  if (first === undefined) return [];
  const run = { ...first };
  const found = new FoundBatches(beginId);
  const extents = extentsOfRun(await source.index(run), channel.number, run, beginId);
  for (const [at, extent] of extents.entries()) {
    for (const frame of await framesOf(channel, source, run, extent)) if (lastIdOf(frame) >= beginId) found.add(frame);
    if (found.batches.length > enoughBatches && at < extents.length - 1) return found.batches.slice(0, -1);
  }
  return found.batches;
}

interface FoundBatch extends RetainedBatch {
  lastId: bigint;
  bytes: number;
}

/** Takes frames apart into appends, and puts together what is one. */
class FoundBatches {
  readonly batches: FoundBatch[] = [];
  readonly #beginId: bigint;

  constructor(beginId: bigint) {
    this.#beginId = beginId;
  }

  /** What the frame takes besides its messages goes with its last append. */
  add(frame: Frame): void {
    const { baseId, count, timeMs } = frame;
    const cursor = new BatchCursor(bodyOf(frame), baseId, count, timeMs);
    const begins: number[] = [];
    while (cursor.left > 0) {
      begins.push(cursor.offset);
      cursor.skip();
    }
    // What is trimmed of the frame already counts no more.
    const trimmed = this.#beginId > baseId ? Number(this.#beginId - baseId) : 0;
    const beginOf = (message: number): number => begins[Math.max(message, trimmed)] ?? frame.bytes.length;
    const starts = decodeStarts(cursor.rest, count);
    const parts = [...(starts[0] === 0 ? [] : [0]), ...starts, count];
    for (const [at, from] of parts.slice(0, -1).entries()) {
      const to = parts[at + 1] ?? count;
      const bytes = beginOf(to) - beginOf(from);
      const ids = { firstId: baseId + BigInt(from), lastId: baseId + BigInt(to) - 1n };
      this.#add({ ...ids, timeMs, bytes }, from === 0 && starts[0] !== 0);
    }
  }

  #add(part: FoundBatch, isContinued: boolean): void {
    const { firstId, lastId } = part;
    const before = this.batches.at(-1);
    if (lastId < this.#beginId) return;
    if (isContinued && before !== undefined) {
      before.lastId = lastId;
      before.bytes += part.bytes;
    } else {
      this.batches.push(firstId < this.#beginId ? { ...part, firstId: this.#beginId } : part);
    }
  }
}
