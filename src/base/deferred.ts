/**
 * A promise that is settled from outside. Whoever makes one sees to it that `promise` is awaited: a rejection that nobody awaits ends the process.
 */
export class Deferred<T> {
  readonly promise: Promise<T>;
  #settled = false;
  #resolve: (value: T) => void = unset;
  #reject: (reason: unknown) => void = unset;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether `resolve` or `reject` was called; only the first call counts. */
  get settled(): boolean {
    return this.#settled;
  }

  resolve(value: T): void {
    this.#settled = true;
    this.#resolve(value);
  }

  reject(reason: unknown): void {
    this.#settled = true;
    this.#reject(reason);
  }
}

/** Never called: a promise calls its executor before its constructor returns. */
function unset(): void {
  throw new Error("the promise has not called its executor");
}
