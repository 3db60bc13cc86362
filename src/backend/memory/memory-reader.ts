import type { KeepAlive } from "../../base/keep-alive.js";
import type { ReadBounds } from "../arguments.js";
import type { LogRecord } from "../log-backend.js";
import type { RecordSource } from "../pulled-reader.js";
import type { MemoryChannel } from "./memory-channel.js";

/** Reads one channel from a place on. */
export class MemorySource implements RecordSource {
  readonly #channel: MemoryChannel;
  readonly #bounds: ReadBounds;
  /** Undefined: a wait holds nothing. */
  readonly #keepAlive: KeepAlive | undefined;
  #place: number;
  #stopped = false;
  #atTail = false;
  #onTail: () => void = () => undefined;
  #wake: () => void = () => undefined;

  constructor(channel: MemoryChannel, place: number, bounds: ReadBounds, keepAlive: KeepAlive | undefined) {
    this.#channel = channel;
    this.#place = place;
    this.#bounds = bounds;
    this.#keepAlive = keepAlive;
  }

  get atTail(): boolean {
    return this.#atTail;
  }

  whenAtTail(f: () => void): void {
    this.#onTail = f;
  }

  async fetch(): Promise<readonly LogRecord[] | undefined> {
    while (!this.#stopped) {
      const records = this.#channel.read(this.#place, this.#bounds);
      this.#place += records.length;
      if (records.length > 0) return records;
      this.#atTail = true;
      this.#onTail();
      await (this.#keepAlive?.during(this.#moved()) ?? this.#moved());
      this.#atTail = false;
    }
    return undefined;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
  }

  #moved(): Promise<void> {
    return new Promise((resolve) => {
      const takeBack = this.#channel.whenMoved(resolve);
      this.#wake = () => {
        takeBack();
        resolve();
      };
    });
  }
}
