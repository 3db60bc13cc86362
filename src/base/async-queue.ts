/**
 * A bounded queue between a producer that pushes and one consumer that iterates.
 *
 *     push ─▶ [ · · · ] ─▶ for await        at the bound: "refuse" the newest, or "drop-oldest" and say how many
 *
 * It is a class and not an async generator because a generator that waits for its next item can't be closed from outside: its `return()`
 * queues up behind the very `next()` that waits. Here every end takes effect at once:
 *
 *     the consumer breaks, or its body throws      nothing more is taken; `onClose`
 *     the signal aborts, or close() is called      a parked next() is done at once; what waits is dropped; `onClose`
 *     the producer calls end() or fail(error)      what waits is delivered first; then done, or the error once and then done
 */
import { heedAbort, ignoreAbort } from "./abort-ears.js";
import type { Abortable, Closable } from "./closable.js";
import { Deferred } from "./deferred.js";
import { TidemarkError } from "./errors.js";
import type { KeepAlive } from "./keep-alive.js";

/** What happens to a push at the bound. */
export type AtBound<T> =
  /** `push` says false, and the producer waits for `room`. */
  | { readonly whenFull: "refuse" }
  /** The oldest goes; the next one delivered is what `mark` makes of it and of how many are missing before it. */
  | { readonly whenFull: "drop-oldest"; readonly mark: (item: T, missing: number) => T };

/** How a queue is made. */
export type AsyncQueueOptions<T> = AtBound<T> &
  Abortable & {
    /** Items that may wait for the consumer; a positive integer. */
    readonly capacity: number;
    /** Called once when the consumer's side is over, so that the producer can let go of what it holds. Not after `end` or `fail`, and not
     *  when the signal was aborted before the queue was made: then it is not `open` from the start. */
    readonly onClose?: (() => void) | undefined;
    /** Holds the process while a next() is parked. */
    readonly keepAlive?: KeepAlive | undefined;
  };

type State =
  | { readonly at: "open" }
  /** The producer has finished; with a reason, it has failed. */
  | { readonly at: "ended"; readonly failure?: { readonly reason: unknown } | undefined }
  | { readonly at: "closed" };

const done = { done: true, value: undefined } as const;

/** Items on their way from one producer to one consumer. */
export class AsyncQueue<T> implements AsyncIterableIterator<T, void, void>, Closable {
  readonly #options: AsyncQueueOptions<T>;
  /** Never longer than the capacity; empty while a next() waits. */
  readonly #items: T[] = [];
  #state: State = { at: "open" };
  /** Dropped since the last delivery: these stood before the first of `#items`. */
  #missing = 0;
  /** Calls of next() that wait, in order: one, unless somebody calls it again without awaiting. */
  readonly #parked: Deferred<IteratorResult<T, void>>[] = [];
  #room: Deferred<boolean> | undefined;
  #iterated = false;

  constructor(options: AsyncQueueOptions<T>) {
    if (!Number.isSafeInteger(options.capacity) || options.capacity <= 0) {
      throw new TidemarkError("invalid-argument", `capacity must be a positive integer, got ${options.capacity}`, { argument: "capacity" });
    }
    this.#options = options;
    if (options.signal?.aborted === true) this.#state = { at: "closed" };
    else heedAbort(options.signal, this.#onAbort);
  }

  /** Items that wait for the consumer. */
  get size(): number {
    return this.#items.length;
  }

  /** Whether a push would be of use: neither side has ended it. */
  get open(): boolean {
    return this.#state.at === "open";
  }

  /** Whether the item was taken: not at the bound of a queue that refuses, and not after any end. */
  push(item: T): boolean {
    if (this.#state.at !== "open") return false;
    const parked = this.#parked.shift();
    if (parked !== undefined) {
      parked.resolve({ done: false, value: item });
      return true;
    }
    if (this.#items.length === this.#options.capacity) {
      if (this.#options.whenFull === "refuse") return false;
      this.#items.shift();
      this.#missing++;
    }
    this.#items.push(item);
    return true;
  }

  /** Resolves with true once a push would be taken, with false when none ever will be. One producer waits at a time. */
  async room(): Promise<boolean> {
    if (this.#state.at !== "open") return false;
    if (this.#options.whenFull === "drop-oldest" || this.#items.length < this.#options.capacity) return true;
    this.#room ??= new Deferred<boolean>();
    return this.#room.promise;
  }

  /** The producer has no more. What waits is delivered, then the loop ends. */
  end(): void {
    this.#finish({ at: "ended" });
  }

  /** The producer can't go on. What waits is delivered, then the loop throws `reason`. */
  fail(reason: unknown): void {
    this.#finish({ at: "ended", failure: { reason } });
  }

  /** One loop at a time. @throws `conflict` for a second one while it is not over */
  [Symbol.asyncIterator](): this {
    if (this.#iterated && this.#state.at !== "closed")
      throw new TidemarkError("conflict", "this is being iterated already; one loop at a time", {});
    this.#iterated = true;
    return this;
  }

  /** @throws what the producer failed with, once */
  async next(): Promise<IteratorResult<T, void>> {
    if (this.#items.length > 0) return { done: false, value: this.#shift() };
    const state = this.#state;
    if (state.at === "open") return this.#park();
    this.#toClosed();
    if (state.at === "ended" && state.failure !== undefined) throw state.failure.reason;
    return done;
  }

  /** What a loop calls when it is left by break, return or throw. */
  async return(): Promise<IteratorResult<T, void>> {
    this.#shut();
    return done;
  }

  /** Ends the loop without an error, also a parked one; what waits is dropped. Idempotent. */
  async close(): Promise<void> {
    this.#shut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shut();
  }

  readonly #onAbort = (): void => this.#shut();

  async #park(): Promise<IteratorResult<T, void>> {
    const parked = new Deferred<IteratorResult<T, void>>();
    this.#parked.push(parked);
    const letGo = this.#options.keepAlive?.hold();
    try {
      return await parked.promise;
    } finally {
      letGo?.();
    }
  }

  #shift(): T {
    const item = this.#items.shift() as T;
    this.#makeRoom(true);
    const missing = this.#missing;
    this.#missing = 0;
    return missing > 0 && this.#options.whenFull === "drop-oldest" ? this.#options.mark(item, missing) : item;
  }

  #makeRoom(open: boolean): void {
    const room = this.#room;
    this.#room = undefined;
    room?.resolve(open);
  }

  #finish(end: State & { at: "ended" }): void {
    if (this.#state.at !== "open") return;
    this.#state = end;
    this.#makeRoom(false);
    const [first, ...others] = this.#parked.splice(0);
    if (first === undefined) return;
    // No item waits while a next() is parked: it gets the end itself.
    this.#toClosed();
    if (end.failure === undefined) first.resolve(done);
    else first.reject(end.failure.reason);
    for (const parked of others) parked.resolve(done);
  }

  #shut(): void {
    const wasOpen = this.open;
    this.#toClosed();
    this.#items.length = 0;
    for (const parked of this.#parked.splice(0)) parked.resolve(done);
    this.#makeRoom(false);
    if (wasOpen) this.#options.onClose?.();
  }

  #toClosed(): void {
    this.#state = { at: "closed" };
    // A signal may live much longer than the queue, and would keep it.
    ignoreAbort(this.#options.signal, this.#onAbort);
  }
}
