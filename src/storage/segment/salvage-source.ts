/**
 * What is left of a damaged store: which files belong to it, where each ends, and what is missing as a whole. Reads only.
 *
 *     checkpoint, or checkpoint.tmp, or none ─┐
 *     headers: "store 7f…, follows 3 at 880" ─┼─▶ store id · segments with their ends · holes as large as a file
 *     mark ───────────────────────────────────┘
 *
 * The more of these witnesses are left, the more can be told: without a checkpoint nobody knows which missing segments still held something.
 */
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import type { Vfs } from "../../base/vfs.js";
import { decodeCheckpoint, type Checkpoint } from "./checkpoint.js";
import { checkpointName, checkpointTempName, segmentName, segmentOf } from "./file-names.js";
import { segmentSeed } from "./frame.js";
import { framesAnywhere } from "./group-scan.js";
import { readMark } from "./mark.js";
import { origin, type Position } from "./position.js";
import { readFile, readStart } from "./read-file.js";
import { claimedHeader, segmentHeaderBytes, unprovenStoreId, type FoundHeader } from "./segment-header.js";
import type { BadPlace } from "./segment-verify.js";

/** A segment file to be gone through. */
export interface SourceSegment {
  readonly number: number;
  readonly file: string;
  /** Where its successor's header or the checkpoint says that it ends; undefined when neither does. */
  readonly end: number | undefined;
}

/** A store as its files let it be known. */
export interface Source {
  readonly storeId: bigint;
  /** Undefined when it is bad or gone. */
  readonly checkpoint: Checkpoint | undefined;
  /** Ascending. */
  readonly segments: readonly SourceSegment[];
  /** The last place that is known to have been durable, as far as it is told beside the log. */
  readonly durable: Position;
  /** Files that are bad or gone as a whole, ascending; a checkpoint first. */
  readonly lost: readonly (BadPlace & { readonly segment: number })[];
}

/** @throws `invalid-argument` when there is nothing of a store; `unsupported-format` */
export async function findSource(vfs: Vfs, dir: string): Promise<Source> {
  const numbers = (await vfs.list(dir)).flatMap((name) => segmentOf(name) ?? []).sort((a, b) => a - b);
  const found = await findCheckpoint(vfs, dir);
  if (found === undefined && numbers.length === 0) {
    const isThere = (await readFile(vfs, `${dir}/${checkpointName}`)) !== undefined;
    const what = isThere ? "a checkpoint that is damaged, and no segment: nothing is left to salvage" : "no store";
    throw new TidemarkError("invalid-argument", `there is ${what} in ${dir}`, { argument: "dir" });
  }
  const headers = await headersIn(vfs, dir, numbers);
  const storeId = await storeIdOf(vfs, dir, { checkpoint: found, headers, numbers });
  const checkpoint = found?.storeId === storeId ? found : undefined;
  const mark = (await readMark(vfs, dir, storeId)) ?? origin;
  return new SourceFinder({
    dir,
    numbers,
    storeId,
    checkpoint,
    mark,
    headers: headers.filter((header) => header.storeId === storeId),
  }).source();
}

/** The one being written is as good, if it is whole: all before its position was durable when it was begun. */
async function findCheckpoint(vfs: Vfs, dir: string): Promise<Checkpoint | undefined> {
  for (const name of [checkpointName, checkpointTempName]) {
    const path = `${dir}/${name}`;
    const bytes = await readFile(vfs, path);
    try {
      if (bytes !== undefined) return decodeCheckpoint(path, bytes);
    } catch (error) {
      if (!isTidemarkError(error, "corrupt")) throw error;
    }
  }
  return undefined;
}

async function headersIn(vfs: Vfs, dir: string, numbers: readonly number[]): Promise<FoundHeader[]> {
  const headers: FoundHeader[] = [];
  for (const number of numbers) {
    const header = claimedHeader((await readStart(vfs, `${dir}/${segmentName(number)}`, segmentHeaderBytes)) ?? Buffer.alloc(0));
    if (header?.segment === number) headers.push(header);
  }
  return headers;
}

interface Witnesses {
  readonly checkpoint: Checkpoint | undefined;
  readonly headers: readonly FoundHeader[];
  readonly numbers: readonly number[];
}

/** What most headers say; of no use is a checkpoint that no segment belongs to. Without both, an id in a damaged header that makes frames valid. */
async function storeIdOf(vfs: Vfs, dir: string, { checkpoint, headers, numbers }: Witnesses): Promise<bigint> {
  const votes = new Map<bigint, number>();
  for (const { storeId } of headers) votes.set(storeId, (votes.get(storeId) ?? 0) + 1);
  if (checkpoint !== undefined && (votes.size === 0 || votes.has(checkpoint.storeId))) return checkpoint.storeId;
  const [most] = [...votes].sort(([, a], [, b]) => b - a);
  if (most !== undefined) return most[0];
  for (const number of numbers) {
    const buffer = (await readFile(vfs, `${dir}/${segmentName(number)}`)) ?? Buffer.alloc(0);
    const storeId = unprovenStoreId(buffer);
    if (storeId === undefined) continue;
    const frames = framesAnywhere({ buffer, base: 0, segment: number, seed: segmentSeed(storeId, number) }, 0);
    if (frames.next().done !== true) return storeId;
  }
  const text = `the checkpoint and the header of every segment in ${dir} are damaged: without the store's id in one of them no byte can be told from noise`;
  throw new TidemarkError("invalid-argument", text, { argument: "dir" });
}

interface Finding {
  readonly dir: string;
  readonly numbers: readonly number[];
  readonly storeId: bigint;
  readonly checkpoint: Checkpoint | undefined;
  readonly mark: Position;
  readonly headers: readonly FoundHeader[];
}

class SourceFinder {
  readonly #f: Finding;
  readonly #listed: ReadonlyMap<number, number>;
  /** The checkpoint's segment; 0 without one. */
  readonly #head: number;

  constructor(finding: Finding) {
    this.#f = finding;
    const { checkpoint } = finding;
    this.#listed = new Map(checkpoint?.state.segments.sealed().map(({ number, end }) => [number, end]));
    this.#head = checkpoint?.position.segment ?? 0;
  }

  source(): Source {
    const { storeId, checkpoint, mark, numbers } = this.#f;
    // Below the checkpoint's segment, what it does not list is dead.
    const live = numbers.filter((number) => number >= this.#head || this.#listed.has(number));
    const segments = live.map((number) => ({ number, file: this.#path(number), end: this.#endOf(number) }));
    const position = checkpoint?.position ?? origin;
    const durable =
      position.segment > mark.segment || (position.segment === mark.segment && position.offset > mark.offset) ? position : mark;
    return { storeId, checkpoint, segments, durable, lost: [...this.#lostCheckpoint(), ...this.#lostSegments()] };
  }

  #endOf(number: number): number | undefined {
    return this.#f.headers.find(({ previous }) => previous.segment === number)?.previous.offset ?? this.#listed.get(number);
  }

  #lostCheckpoint(): (BadPlace & { segment: number })[] {
    if (this.#f.checkpoint !== undefined) return [];
    const what =
      "the checkpoint is damaged, missing, or another store's: names and metadata come from the log alone, as far as it goes back";
    return [{ file: `${this.#f.dir}/${checkpointName}`, offset: 0, what, segment: 0 }];
  }

  /** Segments that something refers to, and that are not there. */
  #lostSegments(): (BadPlace & { segment: number })[] {
    const { checkpoint, numbers, headers, mark } = this.#f;
    const certain = [...this.#listed.keys(), this.#head, ...(mark.segment > this.#head ? [mark.segment] : [])];
    const followed = headers.map(({ previous }) => previous.segment).filter((number) => number >= this.#head);
    const isMissing = (number: number): boolean => number > 0 && !numbers.includes(number);
    const missing = [...new Set([...certain, ...followed])].filter(isMissing).sort((a, b) => a - b);
    return missing.map((segment) => {
      const isCertain = checkpoint !== undefined || segment === mark.segment;
      const doubt = isCertain ? "" : "; whether it still held anything can't be told without the checkpoint";
      return { file: this.#path(segment), offset: 0, what: `the file is missing${doubt}`, segment };
    });
  }

  #path(number: number): string {
    return `${this.#f.dir}/${segmentName(number)}`;
  }
}
