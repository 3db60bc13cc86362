/**
 * Where compaction and the log's loop meet: one step of copies at a time waits for its turn.
 *
 *     compactor ── offer(copies) ──▶ lane ── next() ──▶ the loop writes them as a group of their own
 *               ── leave(segment) ─▶                    it begins another segment, if that one is still the last
 *               ── letGo() ────────▶                    it lets go of what died
 *               ◀── stored, refused ── ◀──── settle ───
 *
 * While others wait, every other turn is theirs.
 */
import { lastIdOf } from "./frame.js";
import type { BatchCopy } from "./group.js";
import type { LogState } from "./log-state.js";

/** What became of a step. "refused": there is no room for it now. "stopped": there never will be, the log is closing or has failed. */
export type CopyOutcome = "stored" | "refused" | "stopped";

/** What compaction wants done. */
export type CopyWork =
  | { readonly type: "copy"; readonly copies: readonly BatchCopy[] }
  | { readonly type: "leave"; readonly segment: number }
  | { readonly type: "let-go" };

/** Work that waits, and who waits for it. */
export interface CopyStep {
  readonly work: CopyWork;
  readonly settle: (outcome: CopyOutcome) => void;
}

/** See above. */
export class CopyLane {
  /** What lives in the smallest segment that found no room to be copied, and waits for some; undefined when none does. The compactor says it. */
  lackingRoom: () => number | undefined = () => undefined;
  #waiting: CopyStep | undefined;
  #wake: () => void = () => undefined;
  #wasLast = false;
  #stopped = false;

  /** @param wake called when a step has come to wait */
  attach(wake: () => void): void {
    this.#wake = wake;
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Resolves once the copies are in the log and the state has moved; or with why they are not. One step at a time, of all three. */
  offer(copies: readonly BatchCopy[]): Promise<CopyOutcome> {
    return this.#wait({ type: "copy", copies });
  }

  /** Resolves once the segment is not the last one any more; or with why it is. */
  leave(segment: number): Promise<CopyOutcome> {
    return this.#wait({ type: "leave", segment });
  }

  /** Resolves once the segments that died are gone; or with why they are not. */
  letGo(): Promise<CopyOutcome> {
    return this.#wait({ type: "let-go" });
  }

  /** The step whose turn it is. @param isIdle nobody else waits for this turn */
  next(isIdle: boolean): CopyStep | undefined {
    const step = this.#wasLast && !isIdle ? undefined : this.#waiting;
    this.#wasLast = step !== undefined;
    if (step !== undefined) this.#waiting = undefined;
    return step;
  }

  /** Nothing is copied any more. */
  stop(): void {
    this.#stopped = true;
    this.#waiting?.settle("stopped");
    this.#waiting = undefined;
  }

  #wait(work: CopyWork): Promise<CopyOutcome> {
    if (this.#stopped) return Promise.resolve("stopped");
    return new Promise((resolve) => {
      this.#waiting = { work, settle: resolve };
      this.#wake();
    });
  }
}

/** Those whose originals are still worth it: what was trimmed or destroyed since they were read is not. */
export function liveCopies(copies: readonly BatchCopy[], state: LogState): BatchCopy[] {
  return copies.filter(({ frame }) => lastIdOf(frame) >= (state.channelByNumber(frame.channel)?.beginId ?? lastIdOf(frame) + 1n));
}
