/**
 * Where compaction and the log's loop meet: one step of copies at a time waits for its turn.
 *
 *     compactor ── offer(copies) ──▶ lane ── next() ──▶ the loop writes them as a group of their own; of none, it lets go of what died
 *               ◀── stored, refused ── ◀──── settle ───
 *
 * While others wait, every other turn is theirs.
 */
import { lastIdOf } from "./frame.js";
import type { BatchCopy } from "./group.js";
import type { LogState } from "./log-state.js";

/** What became of a step. "refused": there is no room for it now. "stopped": there never will be, the log is closing or has failed. */
export type CopyOutcome = "stored" | "refused" | "stopped";

/** Copies that wait, and who waits for them. */
export interface CopyStep {
  readonly copies: readonly BatchCopy[];
  readonly settle: (outcome: CopyOutcome) => void;
}

/** See above. */
export class CopyLane {
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

  /**
   * Resolves once the copies are in the log and the state has moved; or with why they are not. With no copies: once the segments that died are gone,
   * if there was room for the checkpoint. One step at a time.
   */
  offer(copies: readonly BatchCopy[]): Promise<CopyOutcome> {
    if (this.#stopped) return Promise.resolve("stopped");
    return new Promise((resolve) => {
      this.#waiting = { copies, settle: resolve };
      this.#wake();
    });
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
}

/** Those whose originals are still worth it: what was trimmed or destroyed since they were read is not. */
export function liveCopies(copies: readonly BatchCopy[], state: LogState): BatchCopy[] {
  return copies.filter(({ frame }) => lastIdOf(frame) >= (state.channelByNumber(frame.channel)?.beginId ?? lastIdOf(frame) + 1n));
}
