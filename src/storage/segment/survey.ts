/**
 * What files a store's directory has, and how they hang together. Reads only; `recovery.ts` and `inspect.ts` go on from here.
 *
 *     checkpoint ──▶ head segment ◀─previous─ segment ◀─previous─ last segment        (void files: above it, holding nothing)
 *          └──────▶ sealed segments that are live
 */
import type { Vfs } from "../../base/vfs.js";
import { decodeCheckpoint, type Checkpoint } from "./checkpoint.js";
import { corrupt } from "./corrupt.js";
import { checkpointName, indexOf, segmentName, segmentOf } from "./file-names.js";
import { segmentSeed } from "./frame.js";
import { framesAnywhere } from "./group-scan.js";
import { readFile, readStart } from "./read-file.js";
import { decodeSegmentHeader, claimedHeader, segmentHeaderBytes, type FoundHeader } from "./segment-header.js";

/** A segment to be gone through at open. */
export interface ChainedSegment {
  readonly header: FoundHeader;
  /** Where its successor says it ends; undefined for the last one. */
  readonly end: number | undefined;
}

/** A store's files, put in order. */
export interface Survey {
  readonly checkpoint: Checkpoint;
  /** From the checkpoint's segment to the last, ascending; none in a store that was never written to. */
  readonly chain: readonly ChainedSegment[];
  /** Segment files that a crash left before they held anything. */
  readonly voids: readonly number[];
  /** Segment files that are no longer, or were never, part of the log. */
  readonly dead: readonly number[];
  /** Index files whose segment is not part of the log. */
  readonly deadIndexes: readonly number[];
  /** No file had a higher number. */
  readonly highestSegment: number;
}

/**
 * Surveys a directory. Undefined when there is no store in it.
 *
 * @throws `corrupt`, `unsupported-format`
 */
export async function surveyStore(vfs: Vfs, dir: string): Promise<Survey | undefined> {
  const names = await vfs.list(dir);
  const numbers = names.flatMap((name) => segmentOf(name) ?? []).sort((a, b) => a - b);
  const path = `${dir}/${checkpointName}`;
  const bytes = await readFile(vfs, path);
  if (bytes === undefined) {
    if (numbers[0] === undefined) return undefined;
    throw corrupt(path, 0, `there is no checkpoint, but there is ${segmentName(numbers[0])}`);
  }
  const checkpoint = decodeCheckpoint(path, bytes);
  const surveyor = new Surveyor(vfs, dir, checkpoint, numbers);
  const { chain, voids } = await surveyor.chain();
  const live = new Set([...surveyor.listed(), ...chain.map(({ header }) => header.segment)]);
  const dead = numbers.filter((number) => !live.has(number) && !voids.includes(number));
  const deadIndexes = names.flatMap((name) => indexOf(name) ?? []).filter((number) => !live.has(number));
  return { checkpoint, chain, voids, dead, deadIndexes, highestSegment: numbers.at(-1) ?? 0 };
}

class Surveyor {
  readonly #vfs: Vfs;
  readonly #dir: string;
  readonly #checkpoint: Checkpoint;
  readonly #numbers: readonly number[];

  constructor(vfs: Vfs, dir: string, checkpoint: Checkpoint, numbers: readonly number[]) {
    this.#vfs = vfs;
    this.#dir = dir;
    this.#checkpoint = checkpoint;
    this.#numbers = numbers;
  }

  /** The sealed segments that the checkpoint lists; all must be there. */
  listed(): number[] {
    const sealed = this.#checkpoint.state.segments.sealed();
    for (const { number } of sealed) {
      if (!this.#numbers.includes(number)) throw this.#corrupt(number, 0, "the file is missing, and the checkpoint lists it as live");
    }
    return sealed.map(({ number }) => number);
  }

  async chain(): Promise<{ chain: ChainedSegment[]; voids: number[] }> {
    const head = this.#checkpoint.position.segment;
    const last = await this.#lastHeader(head);
    if (last === undefined && head > 0) {
      throw this.#corrupt(
        head,
        0,
        this.#numbers.includes(head) ? "its header is bad" : "the file is missing, and the checkpoint was made in it",
      );
    }
    const chain = last === undefined ? [] : await this.#back(last);
    const voids = this.#numbers.filter((number) => number > head && !chain.some(({ header }) => header.segment === number));
    for (const number of voids) await this.#mustBeVoid(number);
    return { chain, voids };
  }

  /** Of the highest file from the checkpoint's segment on that has a valid one. */
  async #lastHeader(head: number): Promise<FoundHeader | undefined> {
    for (const number of this.#numbers.toReversed()) {
      if (number < head) return undefined;
      const header = await this.#headerOf(number);
      if (header !== undefined) return header;
    }
    return undefined;
  }

  /** From the last segment back to the checkpoint's. */
  async #back(last: FoundHeader): Promise<ChainedSegment[]> {
    const head = this.#checkpoint.position.segment;
    const chain: ChainedSegment[] = [{ header: last, end: undefined }];
    for (let header = last; header.segment !== head && !(head === 0 && header.previous.segment === 0);) {
      const { segment: number, offset: end } = header.previous;
      if (number < head) throw this.#corrupt(header.segment, 0, `it follows segment ${number}, not the checkpoint's segment ${head}`);
      const before = await this.#headerOf(number);
      if (before === undefined) {
        throw this.#corrupt(
          number,
          0,
          this.#numbers.includes(number) ? "its header is bad" : `the file is missing, and ${header.segment} follows it`,
        );
      }
      chain.unshift({ header: before, end });
      header = before;
    }
    return chain;
  }

  async #headerOf(number: number): Promise<FoundHeader | undefined> {
    const start = await readStart(this.#vfs, this.#path(number), segmentHeaderBytes);
    if (start === undefined && this.#numbers.includes(number)) throw this.#gone(number);
    return start === undefined ? undefined : decodeSegmentHeader(start, number, this.#checkpoint.storeId);
  }

  /** A file above the checkpoint's segment that is not on the chain: no legal crash leaves one that holds anything. */
  async #mustBeVoid(number: number): Promise<void> {
    const { storeId } = this.#checkpoint;
    const buffer = await readFile(this.#vfs, this.#path(number));
    if (buffer === undefined) throw this.#gone(number);
    const foreign = claimedHeader(buffer);
    // Valid for another place: of another store, or of another segment of this one.
    if (foreign?.storeId === storeId && foreign.segment === number) throw this.#corrupt(number, 0, "no later segment goes back to it");
    if (foreign !== undefined) {
      const whose = foreign.storeId === storeId ? `segment ${foreign.segment} of this store` : "another store";
      throw this.#corrupt(number, 0, `the file belongs to ${whose}`);
    }
    for (const frame of framesAnywhere({ buffer, base: 0, segment: number, seed: segmentSeed(storeId, number) }, 0)) {
      throw this.#corrupt(number, 0, `its header is bad, but there is data behind it, at ${frame.offset}`);
    }
  }

  #path(number: number): string {
    return `${this.#dir}/${segmentName(number)}`;
  }

  /** Only a writer that somebody reads beside takes one away; it was part of the log then, and the log has gone on elsewhere. */
  #gone(number: number): Error {
    return this.#corrupt(number, 0, "the file has gone since it was listed");
  }

  #corrupt(number: number, offset: number, what: string): Error {
    return corrupt(this.#path(number), offset, what);
  }
}
