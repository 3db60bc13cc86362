/**
 * Follows a log that another process may be writing. Takes no lock, writes nothing.
 *
 *     load:      checkpoint ▸ chain ▸ replay to the end
 *     refresh:   read on where it stopped ▸ a segment whose header names this one as the one before? go on there ▸ …
 *
 * What it reads is never one moment's picture, so that something bad proves nothing by itself: a frame half written, a file unlinked since the
 * directory was listed. It is `corrupt` only when it is still bad read again, after whatever proves that it should not be.
 */
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import type { Vfs } from "../../base/vfs.js";
import { corrupt } from "./corrupt.js";
import { segmentName, segmentOf } from "./file-names.js";
import { isCutOff, segmentSeed } from "./frame.js";
import { framesAnywhere, GroupScan, type SegmentBytes } from "./group-scan.js";
import { IndexStore } from "./index-store.js";
import { LogApplier } from "./log-applier.js";
import type { LogState } from "./log-state.js";
import { isBefore, origin, type Position } from "./position.js";
import { readStart } from "./read-file.js";
import { replayLog } from "./replay.js";
import { decodeSegmentHeader, segmentHeaderBytes, type FoundHeader } from "./segment-header.js";
import { SegmentFiles } from "./segment-files.js";
import { surveyStore } from "./survey.js";
import { isMissing } from "./system-error.js";

const chunkBytes = 256 * 1024;
/** A writer makes something new of the directory at most a few times while it is read. */
const mostAttempts = 50;

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
    return new LogFollower(vfs, dir, await load(vfs, dir));
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
    for (;;) {
      if (!(await this.#readOn())) return this.reload();
      const next = await this.#successor();
      if (next === undefined) return;
      if (next === "elsewhere" || next.previous.offset < this.#loaded.at.offset) return this.reload();
      // The header is the witness: what stands before the end that it names is read again after it.
      if (next.previous.offset > this.#loaded.at.offset) await this.#readThrough(next.previous.offset);
      this.#moveTo(next);
    }
  }

  /** Starts again from the checkpoint; the channels' views move along. @throws `corrupt` */
  async reload(): Promise<void> {
    const before = this.#loaded;
    this.#loaded = await load(this.#vfs, this.#dir);
    this.#loaded.state.takeOverViews(before.state);
    await before.files.close();
  }

  close(): Promise<void> {
    return this.#loaded.files.close();
  }

  /** Takes over the whole groups from where it stopped on. False when the file is gone. */
  async #readOn(): Promise<boolean> {
    if (this.#loaded.at.segment === 0) return true;
    try {
      if ((await this.#readGroups()) === "witnessed" && (await this.#readGroups()) === "witnessed") {
        const { segment, offset } = this.#loaded.at;
        throw corrupt(this.#path(segment), offset, "no whole group stands here, but a later one proves that the log was durable beyond it");
      }
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** "witnessed": it stopped at something bad, and behind that stands a proof that the log went on. */
  async #readGroups(): Promise<"end" | "witnessed"> {
    const { at, files, storeId, applier } = this.#loaded;
    const { segment } = at;
    for (let length = chunkBytes; ;) {
      const base = this.#loaded.at.offset;
      const buffer = await files.read(segment, base, length);
      const bytes = { buffer, base, segment, seed: segmentSeed(storeId, segment) };
      const scan = new GroupScan(bytes, base);
      for (let group = scan.next(); group !== undefined; group = scan.next()) applier.take(group, segment, this.#path(segment));
      this.#loaded.at = { segment, offset: scan.at };
      const isAll = buffer.length < length || !isCutOff(buffer, scan.badAt - base, segment);
      if (isAll) return isWitnessed(bytes, scan) ? "witnessed" : "end";
      length = scan.at > base ? chunkBytes : length * 4;
    }
  }

  async #readThrough(end: number): Promise<void> {
    const isThere = await this.#readOn();
    const { segment, offset } = this.#loaded.at;
    if (offset === end) return;
    throw corrupt(
      this.#path(segment),
      offset,
      isThere ? `no whole group stands here, and the segment goes on to ${end}` : "the file is missing",
    );
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
      isElsewhere ||= header !== undefined;
    }
    return isElsewhere ? "elsewhere" : undefined;
  }

  #moveTo(header: FoundHeader): void {
    const { at, state, applier, indexes } = this.#loaded;
    if (at.segment > 0) {
      state.segments.seal(at.segment, at.offset);
      indexes.unpin(at.segment);
      applier.indexes.delete(at.segment);
    }
    for (const dead of state.segments.dead) {
      state.segments.remove(dead);
      indexes.forget(dead);
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

/** Loads the log; what a writer changed meanwhile is read again. */
async function load(vfs: Vfs, dir: string): Promise<Loaded> {
  let bad: TidemarkError | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return await loadOnce(vfs, dir);
    } catch (error) {
      if (!isMissing(error) && !isTidemarkError(error, "corrupt")) throw error;
      // Read again, after the first attempt has seen what proves it bad: the same place, and it is.
      if (isTidemarkError(error, "corrupt") && isSamePlace(error, bad)) throw error;
      if (attempt === mostAttempts) throw error;
      bad = isTidemarkError(error, "corrupt") ? error : undefined;
    }
  }
}

function isSamePlace(error: TidemarkError<"corrupt">, before: TidemarkError | undefined): boolean {
  if (!isTidemarkError(before, "corrupt")) return false;
  return before.details.file === error.details.file && before.details.offset === error.details.offset && before.message === error.message;
}

async function loadOnce(vfs: Vfs, dir: string): Promise<Loaded> {
  const survey = await surveyStore(vfs, dir);
  if (survey === undefined) throw new TidemarkError("invalid-argument", `there is no store in ${dir}`, { argument: "dir" });
  const { state, indexes, last } = await replayLog(vfs, dir, survey);
  const { storeId } = survey.checkpoint;
  const at = last === undefined ? origin : { segment: last.number, offset: last.end };
  const applier = new LogApplier(state, at);
  const index = last === undefined ? undefined : indexes.get(last.number);
  if (last !== undefined && index !== undefined) applier.indexes.set(last.number, index);
  return { storeId, state, applier, indexes: new IndexStore(vfs, dir, storeId, indexes), files: new SegmentFiles(vfs, dir), at };
}
