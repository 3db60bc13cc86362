/**
 * The indexes of all segments: that of the open one grows in memory, those of sealed ones are in files beside them, and a bounded number of
 * them in memory. An index file is a help, never the truth: where it is missing or bad, the segment is gone through again.
 */
import { systemCode } from "../../base/system-error.js";
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { placeOf } from "./batch-place.js";
import { removeIfThere } from "./optional-file.js";
import { corrupt, unreadable } from "./corrupt.js";
import { indexName, segmentName } from "./file-names.js";
import { paddedLength, segmentSeed } from "./frame.js";
import { GroupScan } from "./group-scan.js";
import { readFile } from "./read-file.js";
import { type ExtentIndex, SegmentIndex } from "./segment-index.js";
import { decodeIndex, encodeIndex } from "./stored-index.js";
import { isDiskFull } from "./system-error.js";

/** Of sealed segments' indexes. */
const mostMemoryBytes = 16 * 1024 * 1024;

/** Loads, keeps and writes indexes. */
export class IndexStore {
  readonly #vfs: Vfs;
  readonly #dir: string;
  readonly #storeId: bigint;
  /** Of sealed segments, in the order of their last use. */
  readonly #sealed = new Map<number, ExtentIndex>();
  /** In `#sealed`. */
  #keptBytes = 0;
  readonly #loading = new Map<number, Promise<ExtentIndex>>();
  /** Segments that have no end yet, or whose index no file has. */
  readonly #pinned = new Map<number, SegmentIndex>();

  constructor(vfs: Vfs, dir: string, storeId: bigint, pinned: ReadonlyMap<number, SegmentIndex>) {
    this.#vfs = vfs;
    this.#dir = dir;
    this.#storeId = storeId;
    for (const [segment, index] of pinned) this.#pinned.set(segment, index);
  }

  /** The index that the segment being written adds to. */
  open(segment: number): SegmentIndex {
    const index = new SegmentIndex();
    this.#pinned.set(segment, index);
    return index;
  }

  /** Keeps the index of a segment that is still gone through. */
  pin(segment: number, index: SegmentIndex): void {
    this.#pinned.set(segment, index);
  }

  /** The segment has got an end: from now on its index may be dropped, and read again. */
  unpin(segment: number): void {
    const index = this.#pinned.get(segment);
    if (!this.#pinned.delete(segment) || index === undefined) return;
    this.#keep(segment, index);
  }

  /** The index of a segment that has no end yet. */
  growing(segment: number): SegmentIndex | undefined {
    return this.#pinned.get(segment);
  }

  /** The index of a segment, if it is in memory: always for the one being written. */
  inMemory(segment: number): ExtentIndex | undefined {
    return this.#pinned.get(segment) ?? this.#sealed.get(segment);
  }

  /** The index of a sealed segment that ends at `end`. */
  async load(segment: number, end: number): Promise<ExtentIndex> {
    const known = this.inMemory(segment);
    if (known !== undefined) return this.#keep(segment, known);
    let loading = this.#loading.get(segment);
    if (loading === undefined) {
      loading = this.#read(segment, end).finally(() => this.#loading.delete(segment));
      this.#loading.set(segment, loading);
    }
    return this.#keep(segment, await loading);
  }

  /** Writes the file of every pinned index whose segment has got an end. That end must be durable. */
  async seal(endOf: (segment: number) => number | undefined): Promise<void> {
    for (const [segment, index] of this.#pinned) {
      const end = endOf(segment);
      if (end === undefined) continue;
      await this.#write(segment, encodeIndex(index, { end, seed: this.#seed(segment) }));
      this.#pinned.delete(segment);
      this.#keep(segment, index);
    }
  }

  forget(segment: number): void {
    this.#pinned.delete(segment);
    this.#dropSealed(segment);
  }

  #keep(segment: number, index: ExtentIndex): ExtentIndex {
    if (this.#pinned.has(segment)) return index;
    this.#dropSealed(segment);
    this.#sealed.set(segment, index);
    this.#keptBytes += index.memoryBytes;
    for (const oldest of this.#sealed.keys()) {
      if (this.#keptBytes <= mostMemoryBytes || oldest === segment) break;
      this.#dropSealed(oldest);
    }
    return index;
  }

  #dropSealed(segment: number): void {
    this.#keptBytes -= this.#sealed.get(segment)?.memoryBytes ?? 0;
    this.#sealed.delete(segment);
  }

  async #read(segment: number, end: number): Promise<ExtentIndex> {
    const bytes = await this.#indexFile(segment);
    const index = bytes === undefined ? undefined : decodeIndex(bytes, { end, seed: this.#seed(segment) });
    return index ?? this.#rebuild(segment, end);
  }

  /** Undefined too where the system can't give it: the segment says the same. */
  async #indexFile(segment: number): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#vfs, `${this.#dir}/${indexName(segment)}`);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  async #segmentFile(file: string): Promise<Buffer> {
    try {
      const bytes = await readFile(this.#vfs, file);
      if (bytes !== undefined) return bytes;
    } catch (error) {
      throw unreadable(file, 0, error);
    }
    throw corrupt(file, 0, "the file is missing");
  }

  async #rebuild(segment: number, end: number): Promise<SegmentIndex> {
    const file = `${this.#dir}/${segmentName(segment)}`;
    const buffer = await this.#segmentFile(file);
    const scan = new GroupScan({ buffer: buffer.subarray(0, end), base: 0, segment, seed: this.#seed(segment) });
    const index = new SegmentIndex();
    for (let group = scan.next(); group !== undefined; group = scan.next()) {
      for (const frame of group.frames) {
        const { kind, offset, bytes } = frame;
        if (kind === "batch") index.add(placeOf(frame, { segment, offset }), offset + paddedLength(bytes.length));
      }
    }
    if (scan.at !== end) throw corrupt(file, scan.badAt, `no whole group stands here, and the segment goes on to ${end}`);
    return index;
  }

  #seed(segment: number): number {
    return segmentSeed(this.#storeId, segment);
  }

  /** A full disk keeps the index from its file, no more. */
  async #write(segment: number, bytes: Uint8Array): Promise<void> {
    const path = `${this.#dir}/${indexName(segment)}`;
    await removeIfThere(this.#vfs, path);
    let file: VfsFile | undefined;
    try {
      file = await this.#vfs.open(path, "create");
      await file.write([bytes], 0);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await removeIfThere(this.#vfs, path);
    } finally {
      await file?.close();
    }
  }
}
