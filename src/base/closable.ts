/**
 * What holds a resource. `close()` is idempotent, and disposing is closing.
 */
export interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}

/**
 * What waits. An aborted call rejects with `signal.reason`. Calls in flight, waits and a parked `next()` keep the process alive;
 * an idle open store does not.
 */
export interface Abortable {
  signal?: AbortSignal | undefined;
}
