/**
 * Packs on their way from the readers to the consumer.
 *
 *     source ─ push ─▶ [ pack · pack · pack ] ─ take ─▶ consumer        full: beyond so many packs or bytes the source pauses
 */
import type { MsgPack } from "../message/index.js";

/** A pack that waits, and what is told when it is handed over. */
export interface QueuedPack {
  readonly pack: MsgPack;
  readonly bytes: number;
  /** Late messages by channel. */
  readonly late: ReadonlyMap<string, number>;
}

/** What a queue holds before its source is to pause. */
export interface QueueBounds {
  readonly bufferPacks: number;
  readonly bufferBytes: number;
}

/** The packs of one reading, from one seek to the next. */
export class PackQueue {
  readonly #bounds: QueueBounds;
  readonly #packs: QueuedPack[] = [];
  #bytes = 0;
  #failure: { readonly reason: unknown } | undefined;
  /** Called when there is something to take, an end too. */
  readonly #onPush: () => void;
  /** Called when it was full and is not any more. */
  #onRoom: () => void = () => undefined;

  constructor(bounds: QueueBounds, onPush: () => void) {
    this.#bounds = bounds;
    this.#onPush = onPush;
  }

  /** Whether the source is to pause. */
  get full(): boolean {
    return this.#packs.length >= this.#bounds.bufferPacks || this.#bytes >= this.#bounds.bufferBytes;
  }

  /** Of the packs that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Calls `f` each time that there is room again. */
  whenRoom(f: () => void): void {
    this.#onRoom = f;
  }

  push(pack: QueuedPack): void {
    this.#packs.push(pack);
    this.#bytes += pack.bytes;
    this.#onPush();
  }

  /** The source can't go on. What waits is taken first. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#onPush();
  }

  /** The next pack; undefined when there is none now. @throws what the source failed with, when all packs were taken */
  take(): QueuedPack | undefined {
    const wasFull = this.full;
    const next = this.#packs.shift();
    if (next === undefined) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      return undefined;
    }
    this.#bytes -= next.bytes;
    if (wasFull && !this.full) this.#onRoom();
    return next;
  }
}
