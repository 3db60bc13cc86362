/**
 * A change that waits for its turn, and the promise of what becomes of it.
 *
 *     waiting ──run──▶ returned or threw ──settle──▶ resolved or rejected
 *        ▲                    │
 *        └─────waitAgain──────┘
 *        └──abort──▶ rejected with the signal's reason, never run
 */
import { assert } from "../base/assert.js";
import type { Draft, WriteOptions } from "./engine.js";

type Outcome<T> = { readonly returned: T } | { readonly threw: unknown };

/** One call of `write`. */
export class WaitingChange<T> {
  readonly ack: "durable" | "written";
  readonly promise: Promise<T>;
  /** Undefined once it is abandoned: what it holds must not wait in memory for a turn in which it will not run. */
  #change: ((draft: Draft) => T) | undefined;
  readonly #signal: AbortSignal | undefined;
  #resolve: (value: T) => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;
  #outcome: Outcome<T> | undefined;
  readonly #abandon = (): void => {
    this.#change = undefined;
    this.#reject(this.#signal?.reason);
  };

  constructor(change: (draft: Draft) => T, options: WriteOptions) {
    this.ack = options.ack ?? "durable";
    this.#change = change;
    this.#signal = options.signal;
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (this.#signal?.aborted === true) this.#abandon();
    else this.#signal?.addEventListener("abort", this.#abandon, { once: true });
  }

  /** Aborted while it waited: it must not be run any more. */
  get abandoned(): boolean {
    return this.#change === undefined;
  }

  /** From here on an abort has no effect. Whether the change threw. */
  run(draft: Draft): boolean {
    this.#signal?.removeEventListener("abort", this.#abandon);
    const change = this.#change;
    assert(change !== undefined, "a change that was abandoned is not run");
    try {
      this.#outcome = { returned: change(draft) };
      return false;
    } catch (error) {
      this.#outcome = { threw: error };
      return true;
    }
  }

  /** What it drafted came to nothing, and it waits for another turn. */
  waitAgain(): void {
    this.#outcome = undefined;
  }

  /** What it drafted is visible: tells the caller what the change returned or threw. */
  settle(): void {
    if (this.#outcome === undefined) return;
    if ("threw" in this.#outcome) this.#reject(this.#outcome.threw);
    else this.#resolve(this.#outcome.returned);
  }

  /** It came to nothing: tells the caller what the change itself threw, else `reason`. */
  refuse(reason: unknown): void {
    this.#signal?.removeEventListener("abort", this.#abandon);
    this.#reject(this.#outcome !== undefined && "threw" in this.#outcome ? this.#outcome.threw : reason);
  }
}
