/**
 * A change that waits for its turn, and the promise of what becomes of it.
 *
 *     waiting ──run──▶ returned or threw ──settle──▶ resolved or rejected
 *        ▲                    │
 *        └─────waitAgain──────┘
 *        └──abort──▶ rejected with the signal's reason, never run
 *
 * One is made for each write, so it holds fields and no closures of its own; only a signal costs one.
 */
import { heedAbort, ignoreAbort } from "../base/abort-ears.js";
import { assert } from "../base/assert.js";
import { Deferred } from "../base/deferred.js";
import type { Draft, WriteOptions } from "./engine.js";

const notYet = Symbol("not run yet");

/** One call of `write`. */
export class WaitingChange<T> {
  readonly ack: "durable" | "written";
  readonly #settled = new Deferred<T>();
  /** Undefined once it is abandoned: what it holds must not wait in memory for a turn in which it will not run. */
  #change: ((draft: Draft) => T) | undefined;
  /** Takes the listener off the signal. */
  readonly #letSignalGo: (() => void) | undefined;
  #returned: T | typeof notYet = notYet;
  #threw: unknown = notYet;

  constructor(change: (draft: Draft) => T, options: WriteOptions) {
    this.ack = options.ack ?? "durable";
    this.#change = change;
    if (options.signal !== undefined) this.#letSignalGo = this.#heed(options.signal);
  }

  get promise(): Promise<T> {
    return this.#settled.promise;
  }

  /** Aborted while it waited: it must not be run any more. */
  get abandoned(): boolean {
    return this.#change === undefined;
  }

  /** From here on an abort has no effect. Whether the change threw. What an earlier run came to is forgotten. */
  run(draft: Draft): boolean {
    this.#letSignalGo?.();
    this.waitAgain();
    const change = this.#change;
    assert(change !== undefined, "a change that was abandoned is not run");
    try {
      this.#returned = change(draft);
      return false;
    } catch (error) {
      this.#threw = error;
      return true;
    }
  }

  /** What it drafted came to nothing, and it waits for another turn. */
  waitAgain(): void {
    this.#returned = notYet;
    this.#threw = notYet;
  }

  /** What it drafted is visible: tells the caller what the change returned or threw. */
  settle(): void {
    if (this.#threw !== notYet) this.#settled.reject(this.#threw);
    else if (this.#returned !== notYet) this.#settled.resolve(this.#returned);
  }

  /** It came to nothing: tells the caller what the change itself threw, else `reason`. */
  refuse(reason: unknown): void {
    this.#letSignalGo?.();
    this.#settled.reject(this.#threw === notYet ? reason : this.#threw);
  }

  #heed(signal: AbortSignal): () => void {
    const abandon = (): void => {
      this.#change = undefined;
      this.#settled.reject(signal.reason);
    };
    heedAbort(signal, abandon);
    return () => ignoreAbort(signal, abandon);
  }
}
