/**
 * From a survey to the state at the end of the log. Reads only.
 *
 * Segments are gone through from the checkpoint's on: what stands before its position P only goes into the index and the accounts, the
 * rest moves the state. Where something is bad, this is where "torn" is told from "corrupt":
 *
 *     … whole groups … │ X: first bad place or broken group
 *                      ├── before W, the greatest position that something still proves durable: corrupt, refuse
 *                      └── at or behind W: a write that was never finished; the log ends at E, before it
 */
import type { Vfs } from "../../base/vfs.js";
import { corrupt } from "./corrupt.js";
import { markName, segmentName } from "./file-names.js";
import { segmentSeed } from "./frame.js";
import { framesAnywhere, GroupScan, usedBytes, type SegmentBytes } from "./group-scan.js";
import { LogApplier } from "./log-applier.js";
import type { LogState } from "./log-state.js";
import { readMark } from "./mark.js";
import { isBefore, laterOf, origin, type Position } from "./position.js";
import { readFile } from "./read-file.js";
import type { SegmentIndex } from "./segment-index.js";
import type { ChainedSegment, Survey } from "./survey.js";

/** The last segment, as its bytes were parsed. */
export interface LastSegment {
  readonly number: number;
  readonly limit: number;
  readonly buffer: Buffer;
  readonly end: number;
  /** W: everything before it is known durable. */
  readonly durable: Position;
  /** Bytes of writes that were never finished. */
  readonly droppedBytes: number;
}

/** The log as it is found. */
export interface Replayed {
  readonly state: LogState;
  /** Of every segment gone through. */
  readonly indexes: ReadonlyMap<number, SegmentIndex>;
  readonly last: LastSegment | undefined;
  /** Closed cleanly, and nothing since. */
  readonly clean: boolean;
}

/**
 * Goes through the log.
 *
 * @throws `corrupt` with the file and the offset
 */
export async function replayLog(vfs: Vfs, dir: string, survey: Survey): Promise<Replayed> {
  const replay = new Replay(vfs, dir, survey);
  return replay.run();
}

class Replay {
  readonly #vfs: Vfs;
  readonly #dir: string;
  readonly #survey: Survey;
  readonly #state: LogState;
  readonly #from: Position;
  readonly #applier: LogApplier;

  constructor(vfs: Vfs, dir: string, survey: Survey) {
    this.#vfs = vfs;
    this.#dir = dir;
    this.#survey = survey;
    this.#state = survey.checkpoint.state;
    this.#from = survey.checkpoint.position;
    this.#applier = new LogApplier(this.#state, this.#from);
  }

  async run(): Promise<Replayed> {
    const mark = await readMark(this.#vfs, this.#dir, this.#survey.checkpoint.storeId);
    const lastNumber = this.#survey.chain.at(-1)?.header.segment ?? 0;
    if (mark !== undefined && mark.segment > lastNumber) {
      throw corrupt(`${this.#dir}/${markName}`, 4, `segment ${mark.segment} was durable, but the last one there is ${lastNumber}`);
    }
    let last: LastSegment | undefined;
    for (const segment of this.#survey.chain) last = await this.#segment(segment, mark ?? origin);
    this.#state.synced();
    const { position, clean } = this.#survey.checkpoint;
    const closed = clean && (last === undefined || (last.number === position.segment && last.end === position.offset));
    return { state: this.#state, indexes: this.#applier.indexes, last, clean: closed };
  }

  async #segment(segment: ChainedSegment, mark: Position): Promise<LastSegment | undefined> {
    const { header, end } = segment;
    const number = header.segment;
    const file = `${this.#dir}/${segmentName(number)}`;
    const read = await readFile(this.#vfs, file);
    // The survey has seen it; only a writer that somebody reads beside can have taken it away since.
    if (read === undefined) throw corrupt(file, 0, "the file has gone since it was listed");
    const buffer = withHeader(read, header.frame.bytes);
    const bytes = { buffer, base: 0, segment: number, seed: segmentSeed(this.#survey.checkpoint.storeId, number) };
    if (end === undefined) return this.#lastSegment(bytes, file, header.limit, mark);
    this.#applier.beginSegment(number);
    const scan = new GroupScan({ ...bytes, buffer: buffer.subarray(0, end) });
    for (let group = scan.next(); group !== undefined; group = scan.next()) this.#applier.take(group, number, file);
    if (scan.at !== end) throw corrupt(file, scan.badAt, `no whole group stands here, and the segment goes on to ${end}`);
    this.#mustReachCheckpoint(number, scan, file);
    this.#state.segments.seal(number, end);
    return undefined;
  }

  #lastSegment(bytes: SegmentBytes, file: string, limit: number, mark: Position): LastSegment {
    const { buffer, segment: number } = bytes;
    this.#applier.beginSegment(number);
    const scan = new GroupScan(bytes);
    let durable = laterOf(this.#from, mark);
    for (let group = scan.next(); group !== undefined; group = scan.next()) {
      this.#applier.take(group, number, file);
      durable = group.frames.reduce((latest, frame) => laterOf(latest, frame.durableThrough), durable);
    }
    this.#mustReachCheckpoint(number, scan, file);
    for (const frame of framesAnywhere(bytes, scan.at)) durable = laterOf(durable, frame.durableThrough);
    const end = scan.at;
    if (isBefore({ segment: number, offset: end }, durable)) {
      throw corrupt(file, scan.badAt, `no whole group stands here, but the log was durable up to ${durable.segment}:${durable.offset}`);
    }
    return { number, limit, buffer, end, durable, droppedBytes: usedBytes(buffer) - Math.min(end, usedBytes(buffer)) };
  }

  #mustReachCheckpoint(number: number, scan: GroupScan, file: string): void {
    if (number === this.#from.segment && scan.at < this.#from.offset) {
      throw corrupt(file, scan.badAt, `no whole group stands here, but the checkpoint was made at ${this.#from.offset}`);
    }
  }
}

/**
 * The bytes with the header that the survey has read: that it was there is why this segment is gone through. After a sync of it that failed
 * this second read may no longer show it; the rewrite of the tail then puts it on the disk.
 */
function withHeader(read: Buffer, header: Uint8Array): Buffer {
  if (read.subarray(0, header.length).equals(header)) return read;
  const bytes = Buffer.alloc(Math.max(read.length, header.length));
  read.copy(bytes);
  bytes.set(header);
  return bytes;
}
