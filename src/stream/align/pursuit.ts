/**
 * Far behind, windows are merged: fewer, larger packs, until the stream is near the present again.
 *
 *     (0,5] (5,11] (11,15] (15,20]   one after the other, all long past   ─▶   (0,20]
 *
 * As in Milvus the merged pack waits for the window after it, and comes out when one of the ends is met: a window that is near the present, enough
 * bytes, enough time, or a dropped collection, which nobody should hear of late.
 */
import { type MsgPosition, physicalMs } from "../../message/index.js";
import type { Window } from "./window.js";

/** When to go on merging. */
export interface PursuitOptions {
  /** A tick that is further behind the clock is merged with the next. */
  readonly lagMs: number;
  /** Merged so far, at most, before another window is. */
  readonly bytes: number;
  /** From the first window on. */
  readonly timeMs: number;
}

/** Windows on their way to one pack. */
export class Pursuit {
  readonly #options: PursuitOptions;
  #merged: Window | undefined;
  #sinceMs = 0;

  constructor(options: PursuitOptions) {
    this.#options = options;
  }

  /** When its time is over; undefined while nothing is merged. */
  get dueMs(): number | undefined {
    return this.#merged === undefined ? undefined : this.#sinceMs + this.#options.timeMs + 1;
  }

  /** Adds the window; all that was merged, if it ends here. */
  add(window: Window, nowMs: number): Window | undefined {
    if (this.#merged === undefined) this.#sinceMs = nowMs;
    this.#merged = this.#merged === undefined ? window : merge(this.#merged, window);
    const { lagMs, bytes } = this.#options;
    const isNear = nowMs - physicalMs(window.endTs) <= lagMs;
    const isDrop = window.msgs.some(({ type }) => type === "dropCollection");
    return isNear || isDrop || this.#merged.bytes > bytes ? this.#end() : this.passTime(nowMs);
  }

  /** All that was merged, if its time is over. */
  passTime(nowMs: number): Window | undefined {
    return this.#merged !== undefined && nowMs - this.#sinceMs > this.#options.timeMs ? this.#end() : undefined;
  }

  #end(): Window | undefined {
    const merged = this.#merged;
    this.#merged = undefined;
    return merged;
  }
}

/** Starts where the first began, ends where the last did, channel by channel. */
function merge(earlier: Window, later: Window): Window {
  return {
    beginTs: earlier.beginTs,
    endTs: later.endTs,
    msgs: [...earlier.msgs, ...later.msgs],
    startPositions: [...byChannel([...later.startPositions, ...earlier.startPositions]).values()],
    endPositions: [...byChannel([...earlier.endPositions, ...later.endPositions]).values()],
    bytes: earlier.bytes + later.bytes,
    late: new Map([...earlier.late, ...[...later.late].map(([name, count]) => [name, count + (earlier.late.get(name) ?? 0)] as const)]),
  };
}

/** The last of each channel. */
function byChannel(positions: readonly MsgPosition[]): Map<string, MsgPosition> {
  return new Map(positions.map((position) => [position.channelName, position]));
}
