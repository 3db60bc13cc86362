/**
 * What drives the writing of a store: step after step while there is something to do, and the sync of what was written without one.
 *
 * While a step is under way what the next one takes gathers, so that the more callers there are, the more of them share a sync. There is no
 * timer at low load: a change that comes alone is written at once.
 */
import type { EngineOptions } from "./engine-options.js";

/** A cursor's move is synced after this long at the latest. */
const lazySyncMs = 1000;

/** What it drives. */
export interface TurnLoopParts {
  readonly options: Pick<EngineOptions, "clock" | "durability">;
  /** Whether anything waits, a sync aside. */
  readonly hasWork: () => boolean;
  /** Does some of it, and syncs if that is due. Never rejects. */
  readonly step: () => Promise<void>;
}

/** See above. */
export class TurnLoop {
  readonly #parts: TurnLoopParts;
  /** Set while it runs; never rejects. */
  #running: Promise<void> | undefined;
  #stopped = false;
  #syncDue = false;
  #cancelSyncTimer: (() => void) | undefined;

  constructor(parts: TurnLoopParts) {
    this.#parts = parts;
  }

  /** There is something to do. */
  start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // Something may have come in while the loop was ending.
      if (this.#hasWork) this.start();
    });
  }

  /** No step is begun any more. */
  stop(): void {
    this.#stopped = true;
    this.#cancelSyncTimer?.();
  }

  /** Resolves once there is nothing to do. Never rejects. */
  async finish(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    this.#cancelSyncTimer?.();
  }

  /** The step under way, or else the next one, must sync. */
  get syncDue(): boolean {
    return this.#syncDue;
  }

  syncNow(): void {
    this.#syncDue = true;
    this.start();
  }

  /** What was written is synced with the next group that asks for it, or when the timer fires. With "os", when the store has to. */
  syncLater(): void {
    const { clock, durability } = this.#parts.options;
    if (durability === "os" || this.#cancelSyncTimer !== undefined) return;
    this.#cancelSyncTimer = clock.setTimer(durability === "sync" ? lazySyncMs : durability.everyMs, () => {
      this.#cancelSyncTimer = undefined;
      this.syncNow();
    });
  }

  /** All that was written is synced. */
  synced(): void {
    this.#syncDue = false;
    this.#cancelSyncTimer?.();
    this.#cancelSyncTimer = undefined;
  }

  get #hasWork(): boolean {
    return !this.#stopped && (this.#syncDue || this.#parts.hasWork());
  }

  async #run(): Promise<void> {
    await nextTurn();
    while (this.#hasWork) {
      await this.#parts.step();
      // Let those whose promises were settled hand in what they do next, so that it shares the next group.
      await nextTurn();
    }
  }
}

/** After the callbacks of this turn of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
