import { Deferred } from "../base/deferred.js";
import { orAborted } from "../base/or-aborted.js";

/** Wakes all who wait that something may have changed: they look again. Whoever waits has looked right before, in the same turn. */
export class Bell {
  #next: Deferred<void> | undefined;

  ring(): void {
    const next = this.#next;
    this.#next = undefined;
    next?.resolve();
  }

  /** Resolves at the next ring. @throws `signal.reason` */
  async rung(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#next ??= new Deferred<void>();
    await orAborted(this.#next.promise, signal);
  }
}
