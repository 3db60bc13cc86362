/**
 * Looks into a store's files without opening the store: what is there, and every place where something is bad. Writes nothing, takes no lock.
 *
 *     the log, followed to its end ▸ each segment's bytes        what is bad is read again before it is called bad
 *
 * So a program may go on writing meanwhile. What is sealed, or stands before the end that was found, does not change any more; but files may go.
 */
import { TidemarkError } from "../../base/errors.js";
import type { Vfs } from "../../base/vfs.js";
import { decodeCheckpoint } from "./checkpoint.js";
import { checkpointName, segmentName, segmentOf } from "./file-names.js";
import { followLog, isSamePlace, type FollowedLog } from "./followed-log.js";
import type { Frame } from "./frame.js";
import { readFile } from "./read-file.js";
import { claimedHeader } from "./segment-header.js";
import { verifySegment, type BadPlace } from "./segment-verify.js";
import type { InspectedBatch, InspectedSegment, StoreReport } from "./store-report.js";
import { isMissing } from "./system-error.js";

/** What to look at. */
export interface InspectOptions {
  /** Read every byte of the log and check it. Otherwise only what an open would read. */
  readonly verify: boolean;
  /** Tells of each batch of this channel, in log order, those that were trimmed too while their segment is there. */
  readonly batchesOf?: { readonly channel: string; readonly tell: (batch: InspectedBatch) => void } | undefined;
  readonly onProgress?: ((done: { readonly segments: number; readonly of: number }) => void) | undefined;
}

/**
 * Inspects the store in `dir`, beside a process that writes or alone.
 *
 * @throws `invalid-argument` when no store is there; `unsupported-format`
 */
export async function inspectSegmentStore(vfs: Vfs, dir: string, options: InspectOptions): Promise<StoreReport> {
  const log = await followLog(vfs, dir);
  if (log.survey === undefined && log.bad.length === 0) {
    throw new TidemarkError("invalid-argument", `there is no store in ${dir}`, { argument: "dir" });
  }
  return new Inspection(vfs, dir, options, log).run();
}

/** What one reading of a segment's bytes gave. */
interface Contents {
  readonly bytes: number;
  batches: number;
  messages: number;
  /** Of the channel asked for. */
  readonly asked: InspectedBatch[];
  bad: readonly BadPlace[];
}

class Inspection {
  readonly #vfs: Vfs;
  readonly #dir: string;
  readonly #options: InspectOptions;
  readonly #log: FollowedLog;
  readonly #problems: BadPlace[];

  constructor(vfs: Vfs, dir: string, options: InspectOptions, log: FollowedLog) {
    this.#vfs = vfs;
    this.#dir = dir;
    this.#options = options;
    this.#log = log;
    this.#problems = [...log.bad];
  }

  async run(): Promise<StoreReport> {
    const { replayed, channels } = this.#log;
    const numbers = await this.#numbers();
    const segments: InspectedSegment[] = [];
    for (const [at, number] of numbers.entries()) {
      const segment = await this.#segment(number);
      if (segment !== undefined) segments.push(segment);
      this.#options.onProgress?.({ segments: at + 1, of: numbers.length });
    }
    return {
      dir: this.#dir,
      term: replayed?.state.term,
      openIn: await this.#vfs.lockHolder(this.#dir),
      closedCleanly: replayed?.clean ?? false,
      unfinishedBytes: replayed?.last?.droppedBytes ?? 0,
      channels,
      segments,
      problems: this.#problems,
    };
  }

  /** Of all files that are there, and of those that should be. One that was made after the log was followed is not part of the picture. */
  async #numbers(): Promise<number[]> {
    const { survey } = this.#log;
    const there = (await this.#vfs.list(this.#dir)).flatMap((name) => segmentOf(name) ?? []);
    const known = survey === undefined ? there : there.filter((number) => number <= survey.highestSegment);
    const listed = survey?.checkpoint.state.segments.sealed().map(({ number }) => number) ?? [];
    const chained = survey?.chain.map(({ header }) => header.segment) ?? [];
    return [...new Set([...known, ...listed, ...chained])].sort((a, b) => a - b);
  }

  /** Undefined when it is gone, and rightly. */
  async #segment(number: number): Promise<InspectedSegment | undefined> {
    const file = `${this.#dir}/${segmentName(number)}`;
    const { role, end } = this.#place(number);
    const isRead = (this.#options.verify || this.#options.batchesOf !== undefined) && role !== "dead" && role !== "void";
    const contents = isRead ? await this.#contents(number, end) : undefined;
    const bytes = contents?.bytes ?? (await this.#size(file));
    if (bytes === undefined && !(await this.#isListed(number))) return undefined;
    for (const batch of contents?.asked ?? []) this.#options.batchesOf?.tell(batch);
    for (const place of contents?.bad ?? []) this.#note(place);
    if (isRead && bytes === undefined)
      this.#note({ file, offset: 0, what: `the file is missing${end === undefined ? "" : `, the segment ends at ${end}`}` });
    return { number, file, role, bytes: bytes ?? 0, end, batches: contents?.batches, messages: contents?.messages };
  }

  /** An open and the verification may find the same place. */
  #note(place: BadPlace): void {
    if (!this.#problems.some(({ file, offset }) => file === place.file && offset === place.offset)) this.#problems.push(place);
  }

  #place(number: number): Pick<InspectedSegment, "role" | "end"> {
    const { survey, replayed } = this.#log;
    if (survey === undefined) return { role: "unknown", end: undefined };
    if (survey.dead.includes(number)) return { role: "dead", end: undefined };
    if (survey.voids.includes(number)) return { role: "void", end: undefined };
    const chained = survey.chain.find(({ header }) => header.segment === number);
    const end = chained?.end ?? survey.checkpoint.state.segments.get(number)?.end;
    if (chained !== undefined && chained.end === undefined) return { role: "last", end: replayed?.last?.end };
    return { role: "sealed", end };
  }

  /** Undefined when there is no file. What is bad in it was so twice. */
  async #contents(number: number, end: number | undefined): Promise<Contents | undefined> {
    const first = await this.#readContents(number, end);
    if (first === undefined || first.bad.length === 0) return first;
    const second = await this.#readContents(number, end);
    if (second !== undefined) second.bad = second.bad.filter((place) => first.bad.some((one) => isSamePlace(one, place)));
    return second;
  }

  async #readContents(segment: number, end: number | undefined): Promise<Contents | undefined> {
    const file = `${this.#dir}/${segmentName(segment)}`;
    const buffer = await readFile(this.#vfs, file);
    if (buffer === undefined) return undefined;
    const storeId = this.#log.survey?.checkpoint.storeId ?? claimedHeader(buffer)?.storeId ?? 0n;
    const contents: Contents = { bytes: buffer.length, batches: 0, messages: 0, asked: [], bad: [] };
    const onFrame = (frame: Frame): void => this.#count(frame, contents);
    contents.bad = verifySegment({ file, buffer, segment, storeId }, { end, onFrame });
    return contents;
  }

  #count(frame: Frame, contents: Contents): void {
    if (frame.kind !== "batch") return;
    contents.batches++;
    contents.messages += frame.count;
    const { batchesOf } = this.#options;
    if (batchesOf === undefined || this.#log.replayed?.state.channel(batchesOf.channel)?.number !== frame.channel) return;
    const { segment, offset, baseId: firstId, timeMs } = frame;
    contents.asked.push({ segment, offset, bytes: frame.bytes.length, firstId, lastId: firstId + BigInt(frame.count) - 1n, timeMs });
  }

  /** Whether the checkpoint that is there now needs the segment: what a later one does not list may go. */
  async #isListed(number: number): Promise<boolean> {
    const { survey } = this.#log;
    const path = `${this.#dir}/${checkpointName}`;
    const bytes = await readFile(this.#vfs, path);
    // One that is bad or gone now was good when the log was followed, or has been told of.
    if (survey === undefined || bytes === undefined) return true;
    const { position, state } = decodeCheckpoint(path, bytes);
    return number >= position.segment || state.segments.get(number) !== undefined;
  }

  /** Undefined when there is no file. */
  async #size(path: string): Promise<number | undefined> {
    try {
      const file = await this.#vfs.open(path, "read");
      try {
        return await file.size();
      } finally {
        await file.close();
      }
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}
