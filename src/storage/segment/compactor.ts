/**
 * Gives back the space of segments that are mostly dead: what lives in them is copied forward, then they go as any dead segment does.
 *
 *     segment 3   ░░░░a░░░░░░b░░           a, b: live       less than half: worth it, once it has been left alone for a while
 *                     └──┐   └──┐
 *     segment 9   … c c  a  d   b  d …      in groups of their own, between the others', with their old ids
 *
 * A while: what retention is emptying anyway goes by itself soon, and copying it would be for nothing. Slowly, so that those who produce do not
 * feel it; and what has died is let go of before much more is copied, so that little space is taken. A crash leaves copies that count and
 * originals that do not, or neither: it goes on where it stopped.
 */
import type { Clock } from "../../base/clock.js";
import type { Logger } from "../../base/logger.js";
import { framesOf } from "./channel-lookup.js";
import type { ReadSource } from "./channel-reader.js";
import type { CopyLane } from "./copy-lane.js";
import { lastIdOf, paddedLength } from "./frame.js";
import type { BatchCopy } from "./group.js";
import type { LogState } from "./log-state.js";
import { extentsOfRun } from "./run-extents.js";

/** How long a segment is left alone before it is compacted. */
export const quietMs = 2000;
/** One turn of the log takes about this much, and no more than a sixteenth of a segment. */
const largestStep = 256 * 1024;
/** What was emptied goes when it is so much, or all there is: each time takes a checkpoint. */
const releaseBytes = 64 * 1024 * 1024;
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
  /** Whether so much may be copied, as far as anybody knows: each step is asked for again when it is written. Called at any time. */
  readonly hasRoomFor: (bytes: number) => Promise<boolean>;
  /** A segment was copied, or will not be now: whatever was set aside for it is everybody's again. */
  readonly onCopied: () => void;
  /** Segments are gone. */
  readonly onCompacted: (gone: { readonly segments: number; readonly bytesFreed: number }) => void;
}

/** A sparse segment, and since when it has been as it is. */
interface Sparse {
  readonly liveBytes: number;
  readonly sinceMs: number;
}

/** See above. */
export class Compactor {
  readonly #state: LogState;
  readonly #lane: CopyLane;
  readonly #source: ReadSource;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stepBytes: number;
  readonly #hasRoomFor: CompactorParts["hasRoomFor"];
  readonly #onCopied: CompactorParts["onCopied"];
  readonly #onCompacted: CompactorParts["onCompacted"];
  readonly #sparse = new Map<number, Sparse>();
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

  constructor({ state, lane, source, clock, logger, segmentBytes, hasRoomFor, onCopied, onCompacted }: CompactorParts) {
    this.#state = state;
    this.#lane = lane;
    this.#source = source;
    this.#clock = clock;
    this.#logger = logger;
    this.#stepBytes = Math.min(largestStep, segmentBytes / 16);
    this.#hasRoomFor = hasRoomFor;
    this.#onCopied = onCopied;
    this.#onCompacted = onCompacted;
  }

  /** Something was written: segments may have become sparse, or be no longer. */
  look(): void {
    const { segments } = this.#state;
    if (this.#stopped || (segments.sparse.size === 0 && this.#sparse.size === 0)) return;
    for (const number of this.#sparse.keys()) if (!segments.sparse.has(number)) this.#sparse.delete(number);
    const sinceMs = this.#clock.monotonicMs();
    for (const number of segments.sparse) {
      const liveBytes = segments.liveBytes(number);
      if (this.#sparse.get(number)?.liveBytes !== liveBytes && !this.#damaged.has(number)) this.#sparse.set(number, { liveBytes, sinceMs });
    }
    if (this.#sparse.size > 0) this.#start();
  }

  /** Resolves once it does nothing any more. */
  async close(): Promise<void> {
    this.#stopped = true;
    this.#endWait?.();
    this.#lane.stop();
    await this.#working;
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // One may have come while the last was ending.
      if (this.#sparse.size > 0 && !this.#stopped) this.#start();
    });
  }

  async #work(): Promise<void> {
    while (!this.#stopped && this.#sparse.size > 0) {
      const nowMs = this.#clock.monotonicMs();
      const first = [...this.#sparse].reduce((a, b) => (a[1].sinceMs <= b[1].sinceMs ? a : b));
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
    if (this.#emptied.size === 0 || (await this.#lane.offer([])) !== "stored") return;
    const gone = [...this.#emptied].filter(([number]) => this.#state.segments.get(number) === undefined);
    this.#emptied.clear();
    this.#emptiedBytes = 0;
    if (gone.length === 0) return;
    this.#onCompacted({ segments: gone.length, bytesFreed: gone.reduce((sum, [, bytes]) => sum + bytes, 0) });
  }

  async #compactSafely(number: number): Promise<void> {
    this.#sparse.delete(number);
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
    if (!(await this.#hasRoomForAll(number))) return this.#tryLater(number);
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
  #tryLater(number: number): void {
    const liveBytes = this.#state.segments.liveBytes(number);
    this.#sparse.set(number, { liveBytes, sinceMs: this.#clock.monotonicMs() });
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
