/**
 * Writes what was salvaged as a new store that was closed cleanly: segments of batches, one a group, and a checkpoint at their end.
 *
 * Ids, times, channel numbers and bodies stay; places and checksums are new. Nothing is synced before the end: a copy that was cut short is no store.
 */
import { randomBytes } from "node:crypto";
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { encodeCheckpoint } from "./checkpoint.js";
import { replaceCheckpoint } from "./checkpoint-file.js";
import { placeOf, type BatchPlace } from "./batch-place.js";
import { segmentName } from "./file-names.js";
import { paddedLength, sealFrame, segmentSeed, type Frame } from "./frame.js";
import type { LogState } from "./log-state.js";
import { origin, type Position } from "./position.js";
import { encodeSegmentHeader } from "./segment-header.js";

const segmentBytes = 64 * 1024 * 1024;
/** Written at a time. */
const chunkBytes = 1024 * 1024;

/** A store being made in an empty directory, which it has made if need be. */
export class SalvageTarget {
  readonly #vfs: Vfs;
  readonly #dir: string;
  readonly #state: LogState;
  readonly #storeId = randomBytes(8).readBigUInt64LE();
  #file: VfsFile | undefined;
  #end: Position = origin;
  /** Laid out and not yet written. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  private constructor(vfs: Vfs, dir: string, state: LogState) {
    this.#vfs = vfs;
    this.#dir = dir;
    this.#state = state;
  }

  /** @param state has the channels, without messages; it is kept as the log grows */
  static async begin(vfs: Vfs, dir: string, state: LogState): Promise<SalvageTarget> {
    await vfs.makeDirectory(dir);
    return new SalvageTarget(vfs, dir, state);
  }

  /** Adds a batch of a channel that the state has, with ids above all before it there. */
  async add(batch: Frame): Promise<BatchPlace> {
    const bytes = Buffer.alloc(paddedLength(batch.bytes.length));
    if (this.#file === undefined || this.#end.offset + bytes.length > segmentBytes) await this.#roll(batch);
    const { segment, offset } = this.#end;
    const length = batch.bytes.length;
    bytes.set(batch.bytes);
    // In order again: what was a copy is none here.
    const header = { ...batch, rest: undefined, first: true, last: true, previous: 0, segment, durableThrough: origin };
    sealFrame(bytes.subarray(0, length), header, offset, segmentSeed(this.#storeId, segment));
    await this.#lay(bytes);
    const place = placeOf({ ...batch, rest: undefined }, { segment, offset });
    this.#state.append(place);
    return place;
  }

  /** Resolves once the store is durable, as the state is by then. */
  async finish(): Promise<void> {
    await this.#closeSegment();
    await this.#vfs.syncDirectory(this.#dir);
    const head = { storeId: this.#storeId, position: this.#end, nextSegment: this.#end.segment + 1, clean: true };
    await replaceCheckpoint(this.#vfs, this.#dir, encodeCheckpoint(head, this.#state));
  }

  /** Lets go of what is open, after a failure. */
  async abandon(): Promise<void> {
    await this.#file?.close();
  }

  async #roll({ term, timeMs }: Frame): Promise<void> {
    const previous = this.#end;
    await this.#closeSegment();
    if (previous.segment > 0) this.#state.segments.seal(previous.segment, previous.offset);
    const segment = previous.segment + 1;
    this.#file = await this.#vfs.open(`${this.#dir}/${segmentName(segment)}`, "create");
    this.#end = { segment, offset: 0 };
    this.#state.segments.add(segment);
    const header = { storeId: this.#storeId, previous, limit: segmentBytes, unclean: false, keeps: this.#state.keeps };
    await this.#lay(encodeSegmentHeader(segment, header, origin, term, timeMs));
  }

  async #lay(bytes: Buffer): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#end = { segment: this.#end.segment, offset: this.#end.offset + bytes.length };
    if (this.#pendingBytes >= chunkBytes) await this.#write();
  }

  async #write(): Promise<void> {
    await this.#file?.write(this.#pending, this.#end.offset - this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  async #closeSegment(): Promise<void> {
    await this.#write();
    await this.#file?.sync();
    await this.#file?.close();
    this.#file = undefined;
  }
}
