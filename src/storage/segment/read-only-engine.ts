/**
 * The segment engine for reading only, beside a process that writes or alone.
 *
 * `settled()` is its look at what the writer did: whoever awaits it sees all that was acked before. Nothing is looked at unasked.
 */
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import type { ChannelReader, ChannelView, Engine, EngineEvent, MetaView, RetainedBatch } from "../engine.js";
import type { EngineOptions } from "../engine-options.js";
import { channelNotFound, engineClosed } from "../refusals.js";
import { checkKept } from "./claim.js";
import { countFrom, idAtTime } from "./channel-lookup.js";
import { SegmentChannelReader, type ReadSource } from "./channel-reader.js";
import { ownChannel, type ChannelState } from "./channel-state.js";
import { ExtentReader } from "./extent-reader.js";
import { LogFollower } from "./log-follower.js";
import { oldestBatches } from "./oldest-batches.js";
import { readAheadBytes, ReadBudget } from "./read-budget.js";
import { untilItHolds } from "./second-look.js";

/**
 * Opens the store in `options.dir` for reading. Takes no lock and writes nothing.
 *
 * @throws `invalid-argument` when there is no store, or it keeps something else; `corrupt`, `unsupported-format`; `io-failed`
 */
export async function openReadOnlySegmentEngine(options: Pick<EngineOptions, "dir" | "vfs" | "keeps">): Promise<Engine> {
  const { vfs, dir, keeps = "queue" } = options;
  const follower = await readable(dir, LogFollower.open(vfs, dir));
  checkKept(dir, follower.state.keeps, keeps);
  return new ReadOnlyEngine(dir, follower);
}

class ReadOnlyEngine implements Engine {
  readonly kind = "segment";
  readonly readOnly = true;
  readonly recovered = undefined;
  readonly failure = undefined;
  readonly #dir: string;
  readonly #follower: LogFollower;
  readonly #budget = new ReadBudget(readAheadBytes);
  #isClosed = false;
  /** The look that is under way. */
  #looking: Promise<void> | undefined;
  /** The one that has yet to begin; whoever asks until then is served by it. */
  #nextLook: Promise<void> | undefined;

  constructor(dir: string, follower: LogFollower) {
    this.#dir = dir;
    this.#follower = follower;
  }

  get term(): bigint {
    return this.#follower.state.term;
  }

  get meta(): MetaView {
    return this.#follower.state.meta;
  }

  channel(name: string): ChannelView | undefined {
    return this.#follower.state.channel(name);
  }

  channels(): Iterable<ChannelView> {
    return [...this.#follower.state.channels()];
  }

  write<T>(): Promise<T> {
    const text = `the store in ${this.#dir} is open for reading only: open it without readOnly to write, consume, seek or ack`;
    return Promise.reject(new TidemarkError("read-only", text, {}));
  }

  /** A look that is under way may have passed what was acked since it began: then one more. */
  settled(): Promise<void> {
    if (this.#looking === undefined) return this.#inTurn(() => this.#follower.refresh());
    this.#nextLook ??= this.#inTurn(() => {
      this.#nextLook = undefined;
      return this.#follower.refresh();
    });
    return this.#nextLook;
  }

  reader(channel: ChannelView): ChannelReader {
    return new SegmentChannelReader(ownChannel(channel), this.#source());
  }

  idAt(channel: ChannelView, timeMs: number): Promise<bigint | undefined> {
    return this.#surely(async () => idAtTime(this.#readable(channel), this.#source(), timeMs));
  }

  countFrom(channel: ChannelView, fromId: bigint): Promise<number> {
    return this.#surely(async () => countFrom(this.#readable(channel), this.#source(), fromId));
  }

  oldestBatches(channel: ChannelView): Promise<readonly RetainedBatch[]> {
    return this.#surely(async () => oldestBatches(this.#readable(channel), this.#source()));
  }

  /** Nothing is ever told: see `settled`. */
  listen(_listener: ((event: EngineEvent) => void) | undefined): void {
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looking?.catch(() => undefined);
    await this.#follower.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The writer may take away what is looked at. */
  #surely<T>(look: () => Promise<T>): Promise<T> {
    return untilItHolds(look, () => this.#reload());
  }

  #reload(): Promise<void> {
    return this.#inTurn(() => this.#follower.reload());
  }

  /** The follower takes one caller at a time. */
  async #inTurn(look: () => Promise<void>): Promise<void> {
    while (this.#looking !== undefined) await this.#looking.catch(() => undefined);
    if (this.#isClosed) throw engineClosed();
    this.#looking = readable(this.#dir, look()).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** A reload changes what it reads from, so it asks each time. */
  #source(): ReadSource {
    const follower = this.#follower;
    return {
      extents: new ExtentReader(
        { read: (...where) => follower.files.read(...where), path: (segment) => follower.files.path(segment) },
        follower.storeId,
      ),
      budget: this.#budget,
      index: ({ segment }) =>
        follower.indexes.inMemory(segment) ?? follower.indexes.load(segment, follower.state.segments.get(segment)?.end ?? 0),
      path: (segment) => follower.files.path(segment),
      check: () => {
        if (this.#isClosed) throw engineClosed();
      },
      surely: (look) => this.#surely(look),
    };
  }

  #readable(channel: ChannelView): ChannelState {
    if (this.#isClosed) throw engineClosed();
    if (channel.destroyed) throw channelNotFound(channel.name);
    return ownChannel(channel);
  }
}

/** Says in our words what the system's error means for whoever reads. */
async function readable<T>(dir: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (isTidemarkError(error)) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw new TidemarkError("io-failed", `the store in ${dir} can't be read: ${text}`, {}, { cause: error, effect: "none" });
  }
}
