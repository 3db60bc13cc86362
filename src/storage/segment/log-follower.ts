/**
 * Follows a log that another process may be writing. Takes no lock, writes nothing.
 *
 *     load:      checkpoint ▸ chain ▸ replay to the end
 *     refresh:   read on where it stopped ▸ a segment whose header names this one as the one before? go on there ▸ …
 *
 * What it reads is never one moment's picture, so that something bad proves nothing by itself: a frame half written, a file unlinked since the
 * directory was listed. Then it loads again, and it is `corrupt` only when two loads running have found the same place bad: the second one began
 * after the first had read whatever proves that it should not be.
 */
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import { systemCode } from "../../base/system-error.js";
import type { Vfs } from "../../base/vfs.js";
import { holdsRocksDbQueue, segmentName, segmentOf } from "./file-names.js";
import { isCutOff, segmentSeed } from "./frame.js";
import { framesAnywhere, GroupScan, type SegmentBytes } from "./group-scan.js";
import { IndexStore } from "./index-store.js";
import { LogApplier } from "./log-applier.js";
import type { LogState } from "./log-state.js";
import { isBefore, origin, type Position } from "./position.js";
import { readStart } from "./read-file.js";
import { replayLog } from "./replay.js";
import { untilItHolds } from "./second-look.js";
import { decodeSegmentHeader, segmentHeaderBytes, type FoundHeader } from "./segment-header.js";
import { SegmentFiles } from "./segment-files.js";
import { surveyStore } from "./survey.js";
import { isMissing } from "./system-error.js";

const chunkBytes = 256 * 1024;

/** A log as far as it was read. */
interface Loaded {
  readonly storeId: bigint;
  readonly state: LogState;
  readonly applier: LogApplier;
  readonly indexes: IndexStore;
  readonly files: SegmentFiles;
  at: Position;
}

/** One caller at a time. */
export class LogFollower {
  readonly #vfs: Vfs;
  readonly #dir: string;
  #loaded: Loaded;

  private constructor(vfs: Vfs, dir: string, loaded: Loaded) {
    this.#vfs = vfs;
    this.#dir = dir;
    this.#loaded = loaded;
  }

  /** @throws `corrupt`, `unsupported-format`; `invalid-argument` when there is no store */
  static async open(vfs: Vfs, dir: string): Promise<LogFollower> {
    const loaded = await load(vfs, dir);
    if (loaded !== undefined) return new LogFollower(vfs, dir, loaded);
    throw new TidemarkError("invalid-argument", whyNothing(dir, await namesIn(vfs, dir)), { argument: "dir" });
  }

  get storeId(): bigint {
    return this.#loaded.storeId;
  }

  get state(): LogState {
    return this.#loaded.state;
  }

  get indexes(): IndexStore {
    return this.#loaded.indexes;
  }

  get files(): SegmentFiles {
    return this.#loaded.files;
  }

  /** Resolves once all that was acked before the call is in the state. @throws `corrupt` */
  async refresh(): Promise<void> {
    if (!(await this.#follow())) await this.reload();
    const { state, files } = this.#loaded;
    // The writer unlinks them, and an open file keeps its space.
    for (const dead of state.segments.dead) await files.drop(dead);
  }

  /** Starts again from the checkpoint; the channels' views move along. @throws `corrupt`; `io-failed` when that store is no longer there */
  async reload(): Promise<void> {
    const before = this.#loaded;
    const loaded = await load(this.#vfs, this.#dir);
    if (loaded?.storeId !== before.storeId) {
      const text = `the store that was open in ${this.#dir} is ${loaded === undefined ? "gone" : "another one now"}: open it again`;
      throw new TidemarkError("io-failed", text, {}, { effect: "none" });
    }
    this.#loaded = loaded;
    loaded.state.takeOverViews(before.state);
    await before.files.close();
  }

  close(): Promise<void> {
    return this.#loaded.files.close();
  }

  /** Goes on to the end. False when it has lost the log: something is missing or bad, which a load will make sure of. */
  async #follow(): Promise<boolean> {
    try {
      for (;;) {
        if (!(await this.#readOn())) return false;
        const next = await this.#successor();
        if (next === undefined) return true;
        if (next === "elsewhere") return false;
        // The header is the witness: what stands before the end that it names is read again after it.
        const { offset: end } = next.previous;
        if (end > this.#loaded.at.offset) await this.#readOn();
        if (end !== this.#loaded.at.offset) return false;
        await this.#moveTo(next);
      }
    } catch (error) {
      if (isMissing(error) || isTidemarkError(error, "corrupt") || systemCode(error) === "EIO") return false;
      throw error;
    }
  }

  /** Takes over the whole groups from where it stopped on. False when behind the last one stands a proof that the log went on. */
  async #readOn(): Promise<boolean> {
    const { at, files, storeId, applier } = this.#loaded;
    const { segment } = at;
    if (segment === 0) return true;
    for (let length = chunkBytes; ;) {
      const base = this.#loaded.at.offset;
      const buffer = await files.read(segment, base, length);
      const bytes = { buffer, base, segment, seed: segmentSeed(storeId, segment) };
      const scan = new GroupScan(bytes, base);
      for (let group = scan.next(); group !== undefined; group = scan.next()) applier.take(group, segment, this.#path(segment));
      this.#loaded.at = { segment, offset: scan.at };
      const isAll = buffer.length < length || !isCutOff(buffer, scan.badAt - base, segment);
      if (isAll) return !isWitnessed(bytes, scan);
      length = scan.at > base ? chunkBytes : length * 4;
    }
  }

  /** The header of the segment that goes on where this one ends; "elsewhere" when the log goes on, but not from here. */
  async #successor(): Promise<FoundHeader | "elsewhere" | undefined> {
    const { at, storeId } = this.#loaded;
    const names = await this.#vfs.list(this.#dir);
    const higher = names.flatMap((name) => segmentOf(name) ?? []).filter((number) => number > at.segment);
    let isElsewhere = false;
    for (const number of higher.sort((a, b) => a - b)) {
      const start = await readStart(this.#vfs, this.#path(number), segmentHeaderBytes);
      const header = start === undefined ? undefined : decodeSegmentHeader(start, number, storeId);
      if (header?.previous.segment === at.segment) return header;
      // One that has gone since it was listed was part of the log, and may have been the next.
      isElsewhere ||= start === undefined || header !== undefined;
    }
    return isElsewhere ? "elsewhere" : undefined;
  }

  async #moveTo(header: FoundHeader): Promise<void> {
    const { at, state, applier, indexes, files } = this.#loaded;
    if (at.segment > 0) {
      state.segments.seal(at.segment, at.offset);
      indexes.unpin(at.segment);
      applier.indexes.delete(at.segment);
    }
    for (const dead of state.segments.dead) {
      state.segments.remove(dead);
      indexes.forget(dead);
      await files.drop(dead);
    }
    applier.beginSegment(header.segment);
    const index = applier.indexes.get(header.segment);
    if (index !== undefined) indexes.pin(header.segment, index);
    this.#loaded.at = { segment: header.segment, offset: 0 };
  }

  #path(segment: number): string {
    return `${this.#dir}/${segmentName(segment)}`;
  }
}

function isWitnessed(bytes: SegmentBytes, scan: GroupScan): boolean {
  const at = { segment: bytes.segment, offset: scan.at };
  for (const frame of framesAnywhere(bytes, scan.badAt)) if (isBefore(at, frame.durableThrough)) return true;
  return false;
}

/** Loads the log; what a writer changed meanwhile is read again. Undefined when there is none. */
async function load(vfs: Vfs, dir: string): Promise<Loaded | undefined> {
  try {
    return await untilItHolds(() => loadOnce(vfs, dir));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** @param names undefined: there is no such directory */
function whyNothing(dir: string, names: readonly string[] | undefined): string {
  if (names !== undefined && holdsRocksDbQueue(names)) {
    return `${dir} holds a queue of the RocksDB engine, which can't be opened with readOnly: open it with engine "rocksdb" in one process at a time`;
  }
  const where = names === undefined ? `${dir}, a directory that does not exist` : dir;
  return `there is no store in ${where}: check the path, or open it once without readOnly: that makes one`;
}

async function namesIn(vfs: Vfs, dir: string): Promise<readonly string[] | undefined> {
  try {
    return await vfs.list(dir);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function loadOnce(vfs: Vfs, dir: string): Promise<Loaded | undefined> {
  const survey = await surveyStore(vfs, dir);
  if (survey === undefined) return undefined;
  const { state, indexes, last } = await replayLog(vfs, dir, survey);
  const { storeId } = survey.checkpoint;
  const at = last === undefined ? origin : { segment: last.number, offset: last.end };
  const applier = new LogApplier(state, at);
  const index = last === undefined ? undefined : indexes.get(last.number);
  if (last !== undefined && index !== undefined) applier.indexes.set(last.number, index);
  return { storeId, state, applier, indexes: new IndexStore(vfs, dir, storeId, indexes), files: new SegmentFiles(vfs, dir), at };
}
