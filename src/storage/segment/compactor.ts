/**
 * Gives back the space of segments that are mostly dead: what lives in them is copied forward, then they go as any dead segment does. The last one, too,
 * once nothing is written any more: it is left for another one first, and there is nothing to copy where all of it is dead.
 *
 *     segment 3   ░░░░a░░░░░░b░░           a, b: live       less than half: worth it, once it has been left alone for a while
 *                     └──┐   └──┐
 *     segment 9   … c c  a  d   b  d …      in groups of their own, between the others', with their old ids
 *
 * A while: what retention is emptying anyway goes by itself soon, and copying it would be for nothing. Slowly, so that those who produce do not
 * feel it; and what has died is let go of before much more is copied, so that little space is taken. A crash leaves copies that count and
 * originals that do not, or neither: it goes on where it stopped, and begins by itself when the store is opened.
 */
import type { Clock } from "../../base/clock.js";
import type { Logger } from "../../base/logger.js";
import { framesOf } from "./channel-lookup.js";
import type { ReadSource } from "./channel-reader.js";
import type { CopyLane } from "./copy-lane.js";
import { lastIdOf, paddedLength } from "./frame.js";
import type { BatchCopy } from "./group.js";
import type { LogState } from "./log-state.js";
import type { Position } from "./position.js";
import { extentsOfRun } from "./run-extents.js";

/** How long a segment is left alone before it is compacted. */
export const quietMs = 2000;
/** One turn of the log takes about this much, and no more than a sixteenth of a segment. */
const largestStep = 256 * 1024;
/** What was emptied goes when it is so much, or all there is: each time takes a checkpoint. */
const releaseBytes = 64 * 1024 * 1024;
/** The last segment is left for so much that is dead in it; where segments are smaller, for half of one. */
const worthLeavingBytes = 512 * 1024;
/** After so much it pauses. */
const burstBytes = 1024 * 1024;
const bytesPerMs = 32 * 1024;

/** What the compactor works with. */
export interface CompactorParts {
  readonly state: LogState;
  readonly lane: CopyLane;
  readonly source: ReadSource;
  readonly clock: Clock;
  readonly logger: Logger;
  /** As the store was opened with. */
  readonly segmentBytes: number;
  readonly logEnd: () => Position;
  /** Whether so much may be copied, as far as anybody knows: each step is asked for again when it is written. Called at any time. */
  readonly hasRoomFor: (bytes: number) => Promise<boolean>;
  /** A segment was copied, or will not be now: whatever was set aside for it is everybody's again. */
  readonly onCopied: () => void;
  /** Segments are gone. */
  readonly onCompacted: (gone: { readonly segments: number; readonly bytesFreed: number }) => void;
}

/** A segment that is worth it, and since when it has been as it is. */
interface Candidate {
  readonly liveBytes: number;
  /** Of the last segment; 0 of others. */
  readonly end: number;
  readonly sinceMs: number;
  /** There was no room for what lives in it. */
  readonly lacksRoom: boolean;
}

/** See above. */
export class Compactor {
  readonly #state: LogState;
  readonly #lane: CopyLane;
  readonly #source: ReadSource;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stepBytes: number;
  readonly #worthLeaving: number;
  readonly #logEnd: CompactorParts["logEnd"];
  readonly #hasRoomFor: CompactorParts["hasRoomFor"];
  readonly #onCopied: CompactorParts["onCopied"];
  readonly #onCompacted: CompactorParts["onCompacted"];
  readonly #candidates = new Map<number, Candidate>();
  /** Segments with a bad place: they stay as they are. */
  readonly #damaged = new Set<number>();
  #working: Promise<void> | undefined;
  #endWait: (() => void) | undefined;
  #stopped = false;
  /** Segments that hold nothing any more and have yet to go, and what that frees. */
  readonly #emptied = new Map<number, number>();
  #emptiedBytes = 0;
  /** Copied since the last pause. */
  #burst = 0;

  constructor({ state, lane, source, clock, logger, segmentBytes, logEnd, hasRoomFor, onCopied, onCompacted }: CompactorParts) {
    this.#state = state;
    this.#lane = lane;
    this.#source = source;
    this.#clock = clock;
    this.#logger = logger;
    this.#stepBytes = Math.min(largestStep, segmentBytes / 16);
    this.#worthLeaving = Math.min(worthLeavingBytes, segmentBytes / 2);
    this.#logEnd = logEnd;
    this.#hasRoomFor = hasRoomFor;
    this.#onCopied = onCopied;
    this.#onCompacted = onCompacted;
    lane.lackingRoom = () => this.#leastLackingRoom();
  }

  /** Something was written, or the store was opened: segments may be worth it, or be no longer. */
  look(): void {
    if (this.#stopped) return;
    for (const number of this.#candidates.keys()) if (!this.#isWorthIt(number)) this.#candidates.delete(number);
    const { sparse, dead } = this.#state.segments;
    for (const number of sparse) this.#note(number);
    // They go without it, unless the disk is full.
    for (const number of dead) this.#note(number);
    const { segment } = this.#logEnd();
    if (this.#isWorthLeaving(segment)) this.#note(segment);
    if (this.#candidates.size > 0) this.#start();
  }

  /** Resolves once it does nothing any more. */
  async close(): Promise<void> {
    this.#stopped = true;
    this.#endWait?.();
    this.#lane.stop();
    await this.#working;
  }

  #isWorthIt(number: number): boolean {
    const { sparse, dead } = this.#state.segments;
    return sparse.has(number) || dead.has(number) || this.#isWorthLeaving(number);
  }

  /** Whether it is the last one, and mostly dead. */
  #isWorthLeaving(number: number): boolean {
    const { segment, offset } = this.#logEnd();
    if (number !== segment) return false;
    const liveBytes = this.#state.segments.liveBytes(number);
    return 2 * liveBytes < offset && offset - liveBytes >= this.#worthLeaving;
  }

  #leastLackingRoom(): number | undefined {
    let least: number | undefined;
    for (const { liveBytes, lacksRoom } of this.#candidates.values()) {
      if (lacksRoom && (least === undefined || liveBytes < least)) least = liveBytes;
    }
    return least;
  }

  #note(number: number, lacksRoom = false): void {
    if (this.#damaged.has(number)) return;
    const { segment, offset } = this.#logEnd();
    const [liveBytes, end] = [this.#state.segments.liveBytes(number), number === segment ? offset : 0];
    const known = this.#candidates.get(number);
    if (known?.liveBytes === liveBytes && known.end === end) return;
    this.#candidates.set(number, { liveBytes, end, sinceMs: this.#clock.monotonicMs(), lacksRoom });
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // One may have come while the last was ending.
      if (this.#candidates.size > 0 && !this.#stopped) this.#start();
    });
  }

  async #work(): Promise<void> {
    while (!this.#stopped && this.#candidates.size > 0) {
      const nowMs = this.#clock.monotonicMs();
      const first = [...this.#candidates].reduce((a, b) => (a[1].sinceMs <= b[1].sinceMs ? a : b));
      const [number, { sinceMs }] = first;
      const isDue = sinceMs + quietMs <= nowMs;
      if (isDue) await this.#compactSafely(number);
      if (!isDue || this.#emptiedBytes >= releaseBytes) await this.#release();
      if (!isDue) await this.#wait(sinceMs + quietMs - nowMs);
    }
    await this.#release();
  }

  /** Lets go of what was emptied. */
  async #release(): Promise<void> {
    if (this.#emptied.size > 0) await this.#letGo();
  }

  async #letGo(): Promise<void> {
    await this.#lane.letGo();
    // What had no room to go is dead, and tried again as such.
    this.#emptiedBytes = 0;
    const gone = [...this.#emptied].filter(([number]) => this.#state.segments.get(number) === undefined);
    for (const [number] of gone) this.#emptied.delete(number);
    if (gone.length === 0) return;
    this.#onCompacted({ segments: gone.length, bytesFreed: gone.reduce((sum, [, bytes]) => sum + bytes, 0) });
  }

  async #compactSafely(number: number): Promise<void> {
    this.#candidates.delete(number);
    try {
      await this.#compact(number);
    } catch (error) {
      // One whose last message was trimmed meanwhile has gone by itself, and there was nothing left to read.
      if (this.#stopped || this.#state.segments.get(number) === undefined) return;
      this.#damaged.add(number);
      this.#logger.error({ err: error, segment: number }, "a segment can't be compacted: it keeps its space");
    } finally {
      this.#onCopied();
    }
  }

  /** All of it, since the space comes back when the last of it is copied, and not before. */
  async #hasRoomForAll(number: number): Promise<boolean> {
    const bytes = this.#state.segments.liveBytes(number);
    if (await this.#hasRoomFor(bytes)) return true;
    await this.#release();
    return this.#hasRoomFor(bytes);
  }

  async #compact(number: number): Promise<void> {
    if (!this.#isWorthIt(number)) return;
    if (!(await this.#hasRoomForAll(number))) return this.#tryLater(number, true);
    if (!(await this.#isLeft(number))) return this.#tryLater(number);
    const { segments } = this.#state;
    if (segments.sparse.has(number)) return this.#copyAll(number);
    if (segments.dead.has(number)) await this.#letGo();
    this.#tryLater(number);
  }

  /** Whether it is not the last one, or not any more. */
  async #isLeft(number: number): Promise<boolean> {
    return this.#logEnd().segment !== number || (await this.#lane.leave(number)) === "stored";
  }

  async #copyAll(number: number): Promise<void> {
    const end = this.#state.segments.get(number)?.end ?? 0;
    let copied = 0;
    for await (const copies of this.#steps(number)) {
      const outcome = await this.#lane.offer(copies);
      if (outcome === "refused") this.#tryLater(number);
      if (outcome !== "stored") return;
      const bytes = copies.reduce((sum, { frame }) => sum + paddedLength(frame.bytes.length), 0);
      copied += bytes;
      await this.#slowDown(bytes);
      if (this.#stopped) return;
    }
    this.#emptied.set(number, Math.max(0, end - copied));
    this.#emptiedBytes += end;
  }

  /** The disk is full. It may have room later, and nobody may write then: those who were refused wait for it. */
  #tryLater(number: number, lacksRoom = false): void {
    if (this.#isWorthIt(number)) this.#note(number, lacksRoom);
  }

  /** What lives in a segment, run by run in the order of ids. */
  async *#steps(segment: number): AsyncGenerator<BatchCopy[]> {
    let step: BatchCopy[] = [];
    let bytes = 0;
    for await (const copy of this.#copies(segment)) {
      step.push(copy);
      bytes += copy.frame.bytes.length;
      if (bytes < this.#stepBytes) continue;
      yield step;
      [step, bytes] = [[], 0];
    }
    if (step.length > 0) yield step;
  }

  async *#copies(segment: number): AsyncGenerator<BatchCopy> {
    const index = await this.#source.index({ segment });
    for (const number of index.channels()) {
      const channel = this.#state.channelByNumber(number);
      for (const run of channel?.runs.filter((one) => one.segment === segment).map((one) => ({ ...one })) ?? []) {
        if (channel === undefined) continue;
        const extents = extentsOfRun(index, number, run, channel.beginId);
        let rest = extents.reduce((sum, { count }) => sum + count, 0);
        for (const extent of extents) {
          for (const frame of await framesOf(channel, this.#source, run, extent)) {
            rest -= frame.count;
            // Of a run that was copied halfway before a crash, the first part stands elsewhere already.
            if (lastIdOf(frame) >= run.firstId && lastIdOf(frame) >= channel.beginId) yield { frame, rest };
          }
        }
      }
    }
  }

  async #slowDown(bytes: number): Promise<void> {
    this.#burst += bytes;
    if (this.#burst < burstBytes) return;
    const ms = this.#burst / bytesPerMs;
    this.#burst = 0;
    await this.#wait(ms);
  }

  /** Ends early when it is closed. */
  async #wait(ms: number): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.setTimer(ms, resolve);
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
    this.#endWait = undefined;
  }
}
