/**
 * Looks into a store's files without opening the store: what is there, and every place where something is bad. Writes nothing.
 */
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import type { Vfs } from "../../base/vfs.js";
import { countFrom } from "./channel-lookup.js";
import { whatIsWrong } from "./corrupt.js";
import { ExtentReader } from "./extent-reader.js";
import { segmentName, segmentOf } from "./file-names.js";
import type { Frame } from "./frame.js";
import { IndexStore } from "./index-store.js";
import { readFile } from "./read-file.js";
import { ReadBudget } from "./read-budget.js";
import { replayLog, type Replayed } from "./replay.js";
import { claimedHeader } from "./segment-header.js";
import { SegmentFiles } from "./segment-files.js";
import { verifySegment, type BadPlace } from "./segment-verify.js";
import { surveyStore, type Survey } from "./survey.js";

/** A channel as its log has it. */
export interface InspectedChannel {
  readonly name: string;
  readonly beginId: bigint;
  readonly endId: bigint;
  readonly messages: number;
  readonly bytes: number;
}

/** A segment file. What it holds is counted only when its bytes were read. */
export interface InspectedSegment {
  readonly number: number;
  readonly file: string;
  /** "sealed": live, ends where its successor says. "last": the log's end is in it. "dead" and "void" files hold nothing of the log. */
  readonly role: "sealed" | "last" | "dead" | "void" | "unknown";
  readonly bytes: number;
  /** Where it ends; what lies behind is no part of the log. */
  readonly end: number | undefined;
  readonly batches: number | undefined;
  readonly messages: number | undefined;
}

/** A batch of messages of the channel asked for. */
export interface InspectedBatch {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly timeMs: number;
}

/** What was found. */
export interface StoreReport {
  readonly dir: string;
  /** The highest term in the log; undefined when the log can't be followed. */
  readonly term: bigint | undefined;
  /** Whether the last user of the directory closed it. */
  readonly closedCleanly: boolean;
  /** Of a write that was never finished, and never acked: the next open drops them. */
  readonly unfinishedBytes: number;
  readonly channels: readonly InspectedChannel[];
  readonly segments: readonly InspectedSegment[];
  /** Empty when all that was read is sound. */
  readonly problems: readonly BadPlace[];
}

/** What to look at. */
export interface InspectOptions {
  /** Read every byte of the log and check it. Otherwise only what an open would read. */
  readonly verify: boolean;
  /** Tells of each batch of this channel, in log order, those that were trimmed too while their segment is there. */
  readonly batchesOf?: { readonly channel: string; readonly tell: (batch: InspectedBatch) => void } | undefined;
  readonly onProgress?: ((done: { readonly segments: number; readonly of: number }) => void) | undefined;
}

/**
 * Inspects the store in `dir`.
 *
 * @throws `locked` while a process has it open; `invalid-argument` when no store is there; `unsupported-format`; `io-failed`
 */
export async function inspectSegmentStore(vfs: Vfs, dir: string, options: InspectOptions): Promise<StoreReport> {
  const pid = await vfs.lockHolder(dir);
  if (pid !== undefined) throw new TidemarkError("locked", `${dir} is open in process ${pid}: inspect it when it is closed`, { pid });
  return new Inspection(vfs, dir, options).run();
}

class Inspection {
  readonly #vfs: Vfs;
  readonly #dir: string;
  readonly #options: InspectOptions;
  readonly #problems: BadPlace[] = [];
  #survey: Survey | undefined;
  #replayed: Replayed | undefined;

  constructor(vfs: Vfs, dir: string, options: InspectOptions) {
    this.#vfs = vfs;
    this.#dir = dir;
    this.#options = options;
  }

  async run(): Promise<StoreReport> {
    const numbers = (await this.#vfs.list(this.#dir)).flatMap((name) => segmentOf(name) ?? []).sort((a, b) => a - b);
    this.#survey = await this.#noting(surveyStore(this.#vfs, this.#dir));
    if (this.#survey === undefined && this.#problems.length === 0) {
      throw new TidemarkError("invalid-argument", `there is no store in ${this.#dir}`, { argument: "dir" });
    }
    if (this.#survey !== undefined) this.#replayed = await this.#noting(replayLog(this.#vfs, this.#dir, this.#survey));
    const segments: InspectedSegment[] = [];
    for (const number of this.#withMissing(numbers)) {
      segments.push(await this.#segment(number));
      this.#options.onProgress?.({ segments: segments.length, of: numbers.length });
    }
    return {
      dir: this.#dir,
      term: this.#replayed?.state.term,
      closedCleanly: this.#replayed?.clean ?? false,
      unfinishedBytes: this.#replayed?.last?.droppedBytes ?? 0,
      channels: await this.#channels(),
      segments,
      problems: this.#problems,
    };
  }

  async #noting<T>(step: Promise<T>): Promise<T | undefined> {
    try {
      return await step;
    } catch (error) {
      if (!isTidemarkError(error, "corrupt")) throw error;
      this.#note({ file: error.details.file, offset: error.details.offset, what: whatIsWrong(error) });
      return undefined;
    }
  }

  /** An open and the verification may find the same place. */
  #note(place: BadPlace): void {
    if (!this.#problems.some(({ file, offset }) => file === place.file && offset === place.offset)) this.#problems.push(place);
  }

  /** A listed segment whose file is gone is shown, too. */
  #withMissing(numbers: readonly number[]): number[] {
    const listed = this.#survey?.checkpoint.state.segments.sealed().map(({ number }) => number) ?? [];
    return [...new Set([...numbers, ...listed])].sort((a, b) => a - b);
  }

  async #segment(number: number): Promise<InspectedSegment> {
    const file = `${this.#dir}/${segmentName(number)}`;
    const { role, end } = this.#place(number);
    const isRead = (this.#options.verify || this.#options.batchesOf !== undefined) && role !== "dead" && role !== "void";
    if (!isRead) return { number, file, role, bytes: await this.#size(file), end, batches: undefined, messages: undefined };
    const buffer = await readFile(this.#vfs, file);
    const storeId = this.#survey?.checkpoint.storeId ?? claimedHeader(buffer ?? Buffer.alloc(0))?.storeId;
    let batches = 0;
    let messages = 0;
    const onFrame = (frame: Frame): void => {
      if (frame.kind !== "batch") return;
      batches++;
      messages += frame.count;
      this.#tellBatch(frame);
    };
    const bytes = { buffer: buffer ?? Buffer.alloc(0), file, segment: number, storeId: storeId ?? 0n };
    for (const place of verifySegment(bytes, { end, onFrame })) this.#note(place);
    return { number, file, role, bytes: bytes.buffer.length, end, batches, messages };
  }

  #place(number: number): Pick<InspectedSegment, "role" | "end"> {
    const survey = this.#survey;
    if (survey === undefined) return { role: "unknown", end: undefined };
    if (survey.dead.includes(number)) return { role: "dead", end: undefined };
    if (survey.voids.includes(number)) return { role: "void", end: undefined };
    const chained = survey.chain.find(({ header }) => header.segment === number);
    const end = chained?.end ?? survey.checkpoint.state.segments.get(number)?.end;
    if (chained !== undefined && chained.end === undefined) return { role: "last", end: this.#replayed?.last?.end };
    return { role: "sealed", end };
  }

  #tellBatch(frame: Frame): void {
    const { batchesOf } = this.#options;
    if (batchesOf === undefined || this.#replayed?.state.channel(batchesOf.channel)?.number !== frame.channel) return;
    const { segment, offset, baseId: firstId, timeMs } = frame;
    const lastId = firstId + BigInt(frame.count) - 1n;
    batchesOf.tell({ segment, offset, bytes: frame.bytes.length, firstId, lastId, timeMs });
  }

  async #channels(): Promise<InspectedChannel[]> {
    const { state, indexes } = this.#replayed ?? {};
    if (state === undefined || indexes === undefined || this.#survey === undefined) return [];
    const files = new SegmentFiles(this.#vfs, this.#dir);
    const store = new IndexStore(this.#vfs, this.#dir, this.#survey.checkpoint.storeId, indexes);
    const source = {
      extents: new ExtentReader(files, this.#survey.checkpoint.storeId),
      budget: new ReadBudget(0),
      index: (run: { segment: number }) => store.load(run.segment, state.segments.get(run.segment)?.end ?? 0),
      path: (segment: number) => files.path(segment),
      check: () => undefined,
    };
    try {
      const channels: InspectedChannel[] = [];
      for (const channel of state.channels()) {
        const { name, beginId, endId, bytes } = channel;
        const messages = (await this.#noting(countFrom(channel, source, beginId))) ?? 0;
        channels.push({ name, beginId, endId, messages, bytes });
      }
      return channels;
    } finally {
      await files.close();
    }
  }

  async #size(path: string): Promise<number> {
    const file = await this.#vfs.open(path, "read");
    try {
      return await file.size();
    } finally {
      await file.close();
    }
  }
}
