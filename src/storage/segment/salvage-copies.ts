/**
 * The batches of a log that were copied forward: their originals are most often gone, and in a log's order they come behind what follows them.
 *
 *     log     a 11 · a 12 · [copy of a 7] · a 13            the new store gets 7 before 11
 */
import type { Vfs } from "../../base/vfs.js";
import { decodeFrame, paddedLength, segmentSeed, type Frame } from "./frame.js";
import type { SourceSegment } from "./salvage-source.js";

interface Copy {
  readonly segment: SourceSegment;
  readonly offset: number;
  readonly length: number;
  readonly baseId: bigint;
}

/** Noted when they come by; read again when it is their turn. */
export class SalvagedCopies {
  readonly #vfs: Vfs;
  readonly #storeId: bigint;
  readonly #copies = new Map<number, Copy[]>();
  /** Channels whose copies are in the order of their ids. */
  readonly #sorted = new Set<number>();

  constructor(vfs: Vfs, storeId: bigint) {
    this.#vfs = vfs;
    this.#storeId = storeId;
  }

  note({ channel, baseId, offset, bytes }: Frame, segment: SourceSegment): void {
    const copies = this.#copies.get(channel) ?? [];
    copies.push({ segment, offset, length: bytes.length, baseId });
    this.#copies.set(channel, copies);
    this.#sorted.delete(channel);
  }

  /** Channels that have some. */
  channels(): number[] {
    return [...this.#copies.keys()];
  }

  /** Takes those of a channel out that begin before `id`, in order. One that can't be read any more is left out. */
  async *before(channel: number, id: bigint | undefined): AsyncGenerator<Frame> {
    const copies = this.#copies.get(channel);
    if (copies === undefined) return;
    if (!this.#sorted.has(channel)) copies.sort((a, b) => (a.baseId < b.baseId ? 1 : a.baseId > b.baseId ? -1 : 0));
    this.#sorted.add(channel);
    for (let next = copies.at(-1); next !== undefined && (id === undefined || next.baseId < id); next = copies.at(-1)) {
      copies.pop();
      const frame = await this.#read(next);
      if (frame !== undefined) yield frame;
    }
  }

  async #read({ segment, offset, length }: Copy): Promise<Frame | undefined> {
    const file = await this.#vfs.open(segment.file, "read");
    try {
      const buffer = Buffer.alloc(paddedLength(length));
      await file.read(buffer, offset);
      return decodeFrame(buffer, 0, offset, segment.number, segmentSeed(this.#storeId, segment.number));
    } finally {
      await file.close();
    }
  }
}
