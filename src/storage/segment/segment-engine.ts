/**
 * The segment engine: one commit log of segment files for all channels and their metadata.
 *
 *     write ▸ CommitLog ▸ LogTail ▸ segment files           reader ▸ index ▸ segment files
 *                 └▸ LogState ◀───────────────────────────────┘
 */
import { closeAfter, closeAll } from "../../base/close-all.js";
import { TidemarkError } from "../../base/errors.js";
import { systemCode } from "../../base/system-error.js";
import type { Vfs, VfsLock } from "../../base/vfs.js";
import type { ChannelReader, ChannelView, Draft, Engine, EngineEvent, MetaView, RetainedBatch, WriteOptions } from "../engine.js";
import type { EngineOptions } from "../engine-options.js";
import { channelNotFound, engineClosed } from "../refusals.js";
import { WaitingChange } from "../waiting-change.js";
import { countFrom, idAtTime } from "./channel-lookup.js";
import { SegmentChannelReader, type ReadSource } from "./channel-reader.js";
import { ownChannel, type ChannelState } from "./channel-state.js";
import { refuseOtherUse } from "./claim.js";
import { CommitLog } from "./commit-log.js";
import { Compactor, type CompactorParts } from "./compactor.js";
import { CopyLane } from "./copy-lane.js";
import { ExtentReader } from "./extent-reader.js";
import { Housekeeping } from "./housekeeping.js";
import { IndexStore } from "./index-store.js";
import { LogMetrics } from "./log-metrics.js";
import type { LogState } from "./log-state.js";
import { LogTail } from "./log-tail.js";
import { InlineLogWriter, type LogWriter } from "./log-writer.js";
import { oldestBatches } from "./oldest-batches.js";
import { Prefill } from "./prefill.js";
import { Trims } from "./trims.js";
import { startLogThread, ThreadedLogWriter } from "./threaded-log-writer.js";
import { Mark } from "./mark.js";
import { readAheadBytes, ReadBudget } from "./read-budget.js";
import { recoverStore, type RecoveredStore } from "./recovery.js";
import { Reserve } from "./reserve.js";
import { SegmentFiles } from "./segment-files.js";
import { isDiskFull } from "./system-error.js";

/**
 * Opens the store in `options.dir`, or makes one there. Resolves once it is recovered.
 *
 * @throws `invalid-argument` (something else is there), `locked`, `corrupt`, `unsupported-format`, `disk-full` (a new store that does not fit), `io-failed`
 */
export async function openSegmentEngine(options: EngineOptions, makeWriter = defaultWriter): Promise<Engine> {
  const { vfs, dir, clock, keeps = "queue" } = options;
  const startMs = clock.monotonicMs();
  await opening(dir, vfs.makeDirectory(dir));
  await opening(dir, refuseOtherUse(vfs, dir, keeps));
  const lock = await opening(dir, vfs.lock(dir));
  try {
    const store = await opening(dir, recoverStore(vfs, dir, keeps));
    const reserve = await opening(dir, Reserve.find(vfs, dir, options.logger));
    return await finishOpening(new SegmentEngine({ options, store, reserve, lock, makeWriter, ms: clock.monotonicMs() - startMs }), dir);
  } catch (error) {
    return closeAfter(error, () => lock.release());
  }
}

/** Makes what writes the log in a directory. */
export type MakeLogWriter = (vfs: Vfs, dir: string) => LogWriter;

/** On the real disk a thread of its own, with calls that block there (docs/decisions has the figures); elsewhere this thread. */
const defaultWriter: MakeLogWriter = (vfs, dir) =>
  vfs.kind === "node" ? new ThreadedLogWriter(startLogThread(dir)) : new InlineLogWriter(vfs, dir);

async function finishOpening(engine: SegmentEngine, dir: string): Promise<Engine> {
  try {
    await opening(dir, engine.finishOpening());
    return engine;
  } catch (error) {
    return closeAfter(error, () => engine.abandon());
  }
}

interface EngineParts {
  readonly options: EngineOptions;
  readonly store: RecoveredStore;
  readonly reserve: Reserve;
  readonly lock: VfsLock;
  readonly makeWriter: MakeLogWriter;
  readonly ms: number;
}

class SegmentEngine implements Engine {
  readonly kind = "segment";
  readonly readOnly = false;
  readonly term: bigint;
  readonly recovered: { readonly droppedBytes: number; readonly ms: number } | undefined;
  readonly #options: EngineOptions;
  readonly #state: LogState;
  readonly #lock: VfsLock;
  readonly #files: SegmentFiles;
  readonly #tail: LogTail;
  readonly #mark: Mark;
  readonly #housekeeping: Housekeeping;
  readonly #compactor: Compactor;
  readonly #log: CommitLog;
  readonly #source: ReadSource;
  #listener: ((event: EngineEvent) => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor({ options, store, reserve, lock, makeWriter, ms }: EngineParts) {
    const { vfs, dir, clock, logger } = options;
    const { state, storeId } = store;
    this.term = state.term + 1n;
    state.term = this.term;
    this.recovered = store.clean ? undefined : { droppedBytes: store.droppedBytes, ms };
    this.#options = options;
    this.#state = state;
    this.#lock = lock;
    this.#files = new SegmentFiles(vfs, dir);
    const start = { storeId, term: this.term, end: store.end, lastLimit: store.lastLimit, nextSegment: store.nextSegment };
    const how = { unclean: !store.clean, keeps: state.keeps, segmentBytes: options.segmentBytes };
    const prefill = options.prefill === "off" ? undefined : new Prefill({ vfs, dir, clock, logger, always: options.prefill === "always" });
    this.#tail = new LogTail(makeWriter(vfs, dir), { ...start, ...how }, prefill);
    this.#mark = new Mark({ vfs, dir, storeId, clock, logger });
    const metrics = new LogMetrics(options.metrics);
    const indexes = new IndexStore(vfs, dir, storeId, store.indexes);
    const shared = { state, tail: this.#tail, indexes, metrics };
    const disk = { vfs, dir, storeId, files: this.#files, reserve, logger };
    this.#housekeeping = new Housekeeping({ ...shared, ...disk, leftOver: store.dead, checkpointBytes: store.checkpointBytes });
    const tell = (event: EngineEvent): void => this.#tell(event);
    this.#source = this.#readSource(indexes, storeId);
    const copies = new CopyLane();
    const onCompacted: CompactorParts["onCompacted"] = (gone) => tell({ type: "compacted", ...gone });
    const { segmentBytes } = options;
    const onCopied = (): void => this.#housekeeping.endCopies();
    const hasRoomFor = (bytes: number): Promise<boolean> => this.#housekeeping.mayHaveRoomToCopy(bytes);
    this.#compactor = new Compactor({
      state,
      lane: copies,
      source: this.#source,
      clock,
      logger,
      segmentBytes,
      logEnd: () => this.#tail.end,
      hasRoomFor,
      onCopied,
      onCompacted,
    });
    const housework = { housekeeping: this.#housekeeping, mark: this.#mark, copies, onWritten: () => this.#compactor.look() };
    const trims = new Trims(state, this.#source, logger);
    this.#log = new CommitLog({ ...shared, ...housework, trims, options, tell });
  }

  get failure(): Error | undefined {
    return this.#log.failure;
  }

  get meta(): MetaView {
    return this.#state.meta;
  }

  /** The last part of opening, when all is there. */
  async finishOpening(): Promise<void> {
    await this.#housekeeping.afterOpen();
    await this.#mark.open();
    const { recovered } = this;
    if (recovered !== undefined) this.#options.logger.info({ dir: this.#options.dir, ...recovered }, "recovered after an unclean stop");
    // What died before may be worth compacting, and nobody may write: it begins later, by a timer.
    this.#compactor.look();
  }

  /** It could not be opened: lets go of everything, and writes nothing. */
  abandon(): Promise<void> {
    return this.#release();
  }

  channel(name: string): ChannelView | undefined {
    return this.#state.channel(name);
  }

  channels(): Iterable<ChannelView> {
    return [...this.#state.channels()];
  }

  write<T>(change: (draft: Draft) => T, options: WriteOptions = {}): Promise<T> {
    const waiting = new WaitingChange(change, options);
    if (this.#closing === undefined) this.#log.submit(waiting);
    else waiting.refuse(engineClosed());
    return waiting.promise;
  }

  settled(): Promise<void> | undefined {
    return this.#log.settled();
  }

  reader(channel: ChannelView): ChannelReader {
    return new SegmentChannelReader(ownChannel(channel), this.#source);
  }

  async idAt(channel: ChannelView, timeMs: number): Promise<bigint | undefined> {
    const found = this.#readable(channel);
    return idAtTime(found, this.#source, timeMs);
  }

  async countFrom(channel: ChannelView, fromId: bigint): Promise<number> {
    const found = this.#readable(channel);
    return countFrom(found, this.#source, fromId);
  }

  async oldestBatches(channel: ChannelView): Promise<readonly RetainedBatch[]> {
    const found = this.#readable(channel);
    return oldestBatches(found, this.#source);
  }

  listen(listener: ((event: EngineEvent) => void) | undefined): void {
    this.#listener = listener;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #close(): Promise<void> {
    const { failure } = this.#log;
    const steps = [() => this.#compactor.close(), () => this.#finish(failure), () => this.#release()];
    return closing(this.#options.dir, closeAll(...steps));
  }

  /** @param known the failure that its caller has heard of */
  async #finish(known: Error | undefined): Promise<void> {
    await this.#log.finish();
    const { failure } = this.#log;
    if (failure === undefined) await this.#housekeeping.checkpoint({ clean: true });
    else if (known === undefined) throw failure;
  }

  /** The lock goes last, whatever came before: nobody else may write while something of ours is under way. */
  #release(): Promise<void> {
    return closeAll(
      () => this.#mark.close(),
      () => this.#files.close(),
      () => this.#tail.close(),
      () => this.#lock.release(),
    );
  }

  #tell(event: EngineEvent): void {
    try {
      this.#listener?.(event);
    } catch (error) {
      this.#options.logger.error({ err: error, event: event.type }, "a listener threw");
    }
  }

  #readSource(indexes: IndexStore, storeId: bigint): ReadSource {
    return {
      extents: new ExtentReader(this.#files, storeId),
      budget: new ReadBudget(readAheadBytes),
      index: (run) => indexes.inMemory(run.segment) ?? indexes.load(run.segment, this.#state.segments.get(run.segment)?.end ?? 0),
      path: (segment) => this.#files.path(segment),
      surely: (look) => look(),
      check: () => {
        if (this.#closing !== undefined) throw engineClosed();
      },
    };
  }

  #readable(channel: ChannelView): ChannelState {
    if (this.#closing !== undefined) throw engineClosed();
    if (channel.destroyed) throw channelNotFound(channel.name);
    return ownChannel(channel);
  }
}

/** Says in our words what the system's error means for whoever opens the store. Nothing that anybody asked to store is at stake. */
async function opening<T>(dir: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    if (isDiskFull(error)) throw diskFull(dir, error);
    const text = `the store in ${dir} can't be opened: ${unopenable[systemCode(error) ?? ""] ?? messageOf(error)}`;
    throw new TidemarkError("io-failed", text, {}, { cause: error, effect: "none" });
  }
}

const noPermission = "there is no permission to write there; choose another directory, or another user";
const notDirectory = "it is a file, not a directory, or lies below one; name a directory";
const unopenable: Readonly<Record<string, string>> = {
  EEXIST: notDirectory,
  ENOTDIR: notDirectory,
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: noPermission,
};

/** Says in our words what the system's error means for whoever closes the store. */
async function closing<T>(dir: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    if (isDiskFull(error)) throw diskFull(dir, error);
    throw new TidemarkError("io-failed", `the store in ${dir} can't be closed: ${messageOf(error)}`, {}, { cause: error });
  }
}

function diskFull(dir: string, error: unknown): TidemarkError<"disk-full"> {
  return new TidemarkError("disk-full", `the disk under ${dir} is full: ${messageOf(error)}`, {}, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
