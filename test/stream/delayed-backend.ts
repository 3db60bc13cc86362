/**
 * A back-end whose answers come when chance will have it: each call, and each batch of a reader, takes some turns more than it would.
 *
 * So what streams do at the same time meets in all kinds of orders, and one seed gives one of them again.
 */
import type { Abortable } from "../../src/base/closable.js";
import {
  type LogBackend,
  logBackend,
  type LogReader,
  type LogReaderOptions,
  type LogRecord,
  type LogWriter,
  type ReadStart,
  type ResumePoint,
} from "../../src/backend/index.js";
import type { MessageId } from "../../src/message/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";

/** Lets so many other turns of the microtask queue go first. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

/** Everything but the time that it takes is the other one's. */
export class DelayedBackend implements LogBackend {
  readonly [logBackend] = true;
  readonly #backend: LogBackend;
  readonly #random: SeededRandom;
  /** Readers that are open now. */
  readonly readers = new Set<LogReader>();

  constructor(backend: LogBackend, seed: number) {
    this.#backend = backend;
    this.#random = new SeededRandom(seed);
  }

  get name(): LogBackend["name"] {
    return this.#backend.name;
  }

  get manifest(): LogBackend["manifest"] {
    return this.#backend.manifest;
  }

  get readOnly(): boolean {
    return this.#backend.readOnly;
  }

  get ended(): AbortSignal {
    return this.#backend.ended;
  }

  createChannel(name: string, options?: { readonly ifNotExists?: boolean | undefined }): Promise<void> {
    return this.#delayed(() => this.#backend.createChannel(name, options));
  }

  destroyChannel(name: string): Promise<void> {
    return this.#delayed(() => this.#backend.destroyChannel(name));
  }

  /** Appends as it is: the order of calls is the order in the log. */
  openWriter(channel: string): Promise<LogWriter> {
    return this.#delayed(() => this.#backend.openWriter(channel));
  }

  async openReader(channel: string, start: ReadStart, options?: LogReaderOptions): Promise<LogReader> {
    const reader = await this.#delayed(() => this.#backend.openReader(channel, start, options));
    const delayed = new DelayedReader(
      reader,
      () => this.#random.below(12),
      () => this.readers.delete(delayed),
    );
    this.readers.add(delayed);
    return delayed;
  }

  earliestId(channel: string): Promise<MessageId | undefined> {
    return this.#delayed(() => this.#backend.earliestId(channel));
  }

  latestId(channel: string): Promise<MessageId | undefined> {
    return this.#delayed(() => this.#backend.latestId(channel));
  }

  firstIdAt(channel: string, timeMs: number): Promise<MessageId | undefined> {
    return this.#delayed(() => this.#backend.firstIdAt(channel, timeMs));
  }

  trim(channel: string, before: MessageId): Promise<void> {
    return this.#delayed(() => this.#backend.trim(channel, before));
  }

  saveResumePoints(name: string, points: readonly ResumePoint[]): Promise<void> {
    return this.#delayed(() => this.#backend.saveResumePoints(name, points));
  }

  loadResumePoints(name: string, channels: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return this.#delayed(() => this.#backend.loadResumePoints(name, channels));
  }

  dropResumePoints(name: string): Promise<void> {
    return this.#delayed(() => this.#backend.dropResumePoints(name));
  }

  close(): Promise<void> {
    return this.#delayed(() => this.#backend.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Before it is done, and before the answer is there. */
  async #delayed<T>(call: () => Promise<T>): Promise<T> {
    await turns(this.#random.below(12));
    try {
      return await call();
    } finally {
      await turns(this.#random.below(12));
    }
  }
}

class DelayedReader implements LogReader {
  readonly #reader: LogReader;
  readonly #delay: () => number;
  readonly #onClose: () => void;

  constructor(reader: LogReader, delay: () => number, onClose: () => void) {
    this.#reader = reader;
    this.#delay = delay;
    this.#onClose = onClose;
  }

  whenAtTail(f: () => void): void {
    this.#reader.whenAtTail(f);
  }

  get atTail(): boolean {
    return this.#reader.atTail;
  }

  async next(options?: Abortable): Promise<readonly LogRecord[] | undefined> {
    await turns(this.#delay());
    return this.#reader.next(options);
  }

  async close(): Promise<void> {
    await turns(this.#delay());
    await this.#reader.close();
    await turns(this.#delay());
    this.#onClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
