/**
 * The RocksDB engine: the seed's data key for key, in a database of the optional peer `@nxtedition/rocksdb`.
 *
 *     write ▸ WriteLoop ▸ a thread ▸ RocksDB                 reader ▸ iterators ▸ RocksDB
 *                 └▸ RocksDbState ◀──────────────────────────────┘
 */
import { closeAfter, closeAll } from "../../base/close-all.js";
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import type { VfsLock } from "../../base/vfs.js";
import type { ChannelReader, ChannelView, Draft, Engine, EngineEvent, MetaView, WriteOptions } from "../engine.js";
import type { EngineOptions } from "../engine-options.js";
import { lastTrimmed } from "../last-trimmed.js";
import { engineClosed } from "../refusals.js";
import { LogMetrics } from "../segment/log-metrics.js";
import { WaitingChange } from "../waiting-change.js";
import { databaseOptions } from "./database-options.js";
import { loadState, type LoadedState } from "./load-state.js";
import { type OldestBatch, oldestBatches } from "./oldest-batches.js";
import { OpenReads } from "./open-reads.js";
import { closeDatabase, loadPeer, type PeerDatabase } from "./peer.js";
import { ownChannel } from "./rocksdb-channel.js";
import { saidBy, storeIn, unreadable } from "./row-cursor.js";
import type { LastInPage } from "./drafted-channel.js";
import { countFrom, idAtTime, lastInPage, type ReadSource, RocksDbChannelReader } from "./rocksdb-reader.js";
import { channelRows, type RocksDbState, stateRow } from "./rocksdb-state.js";
import { claimDirectory, refuseOtherStores } from "./store-mark.js";
import { SyncedGuard } from "./synced-guard.js";
import { startBatchThread, ThreadedBatchWriter } from "./threaded-batch-writer.js";
import { WriteLoop } from "./write-loop.js";

/**
 * Opens the store in `options.dir`, or makes one there. Resolves once it is recovered.
 *
 * @throws `invalid-argument` (no peer, a disk that is not the system's, another store is there), `locked`, `corrupt`, `unsupported-format`,
 * `disk-full`, `io-failed`
 */
export async function openRocksDbEngine(options: EngineOptions): Promise<Engine> {
  const { vfs, dir, clock } = options;
  const startMs = clock.monotonicMs();
  if (vfs.kind !== "node") {
    throw new TidemarkError("invalid-argument", "RocksDB writes to the system's disk itself: leave vfs out", { argument: "vfs" });
  }
  const { RocksLevel } = await loadPeer("engine");
  await opening(dir, vfs.makeDirectory(dir));
  await opening(dir, refuseOtherStores(vfs, dir));
  const lock = await opening(dir, vfs.lock(dir));
  try {
    await opening(dir, claimDirectory(vfs, dir));
    const guard = await opening(dir, SyncedGuard.look(options));
    const database = new RocksLevel(dir, {});
    await opening(dir, database.open(databaseOptions));
    return await finishOpening({ options, database, lock, guard, startMs });
  } catch (error) {
    return closeAfter(error, () => lock.release());
  }
}

interface Opened {
  readonly options: EngineOptions;
  readonly database: PeerDatabase;
  readonly lock: VfsLock;
  readonly guard: SyncedGuard;
  readonly startMs: number;
}

async function finishOpening({ options, database, lock, guard, startMs }: Opened): Promise<Engine> {
  let writer: ThreadedBatchWriter | undefined;
  try {
    const loaded = await opening(options.dir, loadState(database, options.dir));
    guard.checkNew(loaded.isNew);
    await opening(options.dir, guard.keep(database.sequence));
    writer = new ThreadedBatchWriter(startBatchThread({ handle: database.handle, mark: guard.path }));
    await opening(options.dir, beginTerm(writer, loaded));
    const ms = options.clock.monotonicMs() - startMs;
    const engine = new RocksDbEngine({
      options,
      database,
      lock,
      guard,
      writer,
      state: loaded.state,
      recovered: loaded.clean ? undefined : { droppedBytes: guard.strayBytes, ms },
    });
    await opening(options.dir, engine.finishOpening());
    return engine;
  } catch (error) {
    return closeAfter(
      error,
      async () => writer?.close(),
      () => closeDatabase(database),
    );
  }
}

/** A new term, durably. After an unclean stop ids go on above every ceiling, and that too is durable before anybody is given one. */
async function beginTerm(writer: ThreadedBatchWriter, { state, clean }: LoadedState): Promise<void> {
  state.term += 1n;
  const jumped = clean ? [] : [...state.channels.values()];
  for (const channel of jumped) channel.follow({ ...channel.facts, lastId: channel.facts.ceiling });
  const rows = jumped.flatMap(({ name, firstId, facts, sweptId }) => channelRows(name, firstId, facts, sweptId));
  const { term, floor, timeMs } = state;
  await writer.write([...rows, stateRow({ term, revision: state.meta.revision, floor, timeMs }, false)], true);
}

interface EngineParts {
  readonly options: EngineOptions;
  readonly database: PeerDatabase;
  readonly lock: VfsLock;
  readonly guard: SyncedGuard;
  readonly writer: ThreadedBatchWriter;
  readonly state: RocksDbState;
  readonly recovered: { readonly droppedBytes: number; readonly ms: number } | undefined;
}

class RocksDbEngine implements Engine {
  readonly kind = "rocksdb";
  readonly readOnly = false;
  readonly term: bigint;
  readonly recovered: { readonly droppedBytes: number; readonly ms: number } | undefined;
  readonly #parts: EngineParts;
  readonly #loop: WriteLoop;
  readonly #reads = new OpenReads();
  readonly #source: ReadSource;
  #listener: ((event: EngineEvent) => void) | undefined;
  #closing: Promise<void> | undefined;
  /** All of it is synced, and nothing comes any more. */
  #isClean = false;

  constructor(parts: EngineParts) {
    const { options, database, writer, state, recovered } = parts;
    this.#parts = parts;
    this.term = state.term;
    this.recovered = recovered;
    const tell = (event: EngineEvent): void => this.#tell(event);
    const { default: payloads = {}, properties = {} } = database.columns;
    this.#source = { database, columns: { payloads, properties }, dir: options.dir, reads: this.#reads };
    const inPage: LastInPage = (channel, page, beforeId) =>
      lastTrimmed({ channel: channel.name, beforeId, logger: options.logger }, () => lastInPage(channel, this.#source, page, beforeId));
    this.#loop = new WriteLoop({ state, writer, lastInPage: inPage, metrics: new LogMetrics(options.metrics), options, tell });
  }

  get failure(): Error | undefined {
    return this.#loop.failure;
  }

  get meta(): MetaView {
    return this.#parts.state.meta;
  }

  /** The last part of opening, when all is there. */
  async finishOpening(): Promise<void> {
    await this.#loop.sweepLeftOvers();
    const { recovered } = this;
    const { dir, logger } = this.#parts.options;
    if (recovered !== undefined) logger.info({ dir, ...recovered }, "recovered after an unclean stop");
  }

  channel(name: string): ChannelView | undefined {
    return this.#parts.state.channels.get(name);
  }

  channels(): Iterable<ChannelView> {
    return [...this.#parts.state.channels.values()];
  }

  write<T>(change: (draft: Draft) => T, options: WriteOptions = {}): Promise<T> {
    const waiting = new WaitingChange(change, options);
    if (this.#closing === undefined) this.#loop.submit(waiting);
    else waiting.refuse(engineClosed());
    return waiting.promise;
  }

  settled(): Promise<void> | undefined {
    return this.#loop.settled();
  }

  reader(channel: ChannelView): ChannelReader {
    return new RocksDbChannelReader(ownChannel(channel), this.#source);
  }

  idAt(channel: ChannelView, timeMs: number): Promise<bigint | undefined> {
    return this.#reads.run(() => idAtTime(ownChannel(channel), this.#source, timeMs));
  }

  countFrom(channel: ChannelView, fromId: bigint): Promise<number> {
    return this.#reads.run(() => countFrom(ownChannel(channel), this.#source, fromId));
  }

  oldestBatches(channel: ChannelView): Promise<readonly OldestBatch[]> {
    return this.#reads.run(() => oldestBatches(ownChannel(channel), this.#source));
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
    this.#reads.close();
    const { failure } = this.#loop;
    return closeAll(
      () => this.#finish(failure),
      () => this.#release(),
    );
  }

  /** @param known the failure that its caller has heard of */
  async #finish(known: Error | undefined): Promise<void> {
    await this.#loop.finish();
    const { failure } = this.#loop;
    if (failure === undefined) await this.#sayClean();
    else if (known === undefined) throw failure;
  }

  async #sayClean(): Promise<void> {
    const { state, writer, options } = this.#parts;
    const { term, floor, timeMs } = state;
    try {
      await writer.write([stateRow({ term, revision: state.meta.revision, floor, timeMs }, true)], true);
      this.#isClean = true;
    } catch (error) {
      throw new TidemarkError("io-failed", `the store in ${options.dir} can't be closed: ${saidBy(error)}`, {}, { cause: error });
    }
  }

  /** The lock goes last, whatever came before. */
  #release(): Promise<void> {
    const { writer, lock } = this.#parts;
    return closeAll(
      () => this.#reads.none(),
      () => writer.close(),
      () => this.#closeDatabase(),
      () => lock.release(),
    );
  }

  /** All that was acked is synced, whatever RocksDB could not do at the end. */
  async #closeDatabase(): Promise<void> {
    const { database, guard, options } = this.#parts;
    const { dir, logger } = options;
    const { sequence } = database;
    const failure = await closeDatabase(database);
    if (failure !== undefined) logger.warn({ err: failure, dir }, "RocksDB did not close its files well; all of them are closed");
    else if (this.#isClean) await guard.closed(sequence);
  }

  #tell(event: EngineEvent): void {
    try {
      this.#listener?.(event);
    } catch (error) {
      this.#parts.options.logger.error({ err: error, event: event.type }, "a listener threw");
    }
  }
}

/** Says in our words what an error means for whoever opens the store. Nothing that anybody asked to store is at stake. */
async function opening<T>(dir: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (isTidemarkError(error)) throw error;
    const said = saidBy(error);
    if (/No space left on device|ENOSPC|EDQUOT/.test(said)) {
      throw new TidemarkError("disk-full", `the disk under ${dir} is full: ${said}`, {}, { cause: error });
    }
    // Our own lock is held: somebody has it open who does not know that one.
    if (/While lock file|lock hold by/i.test(said)) {
      const text = `the database in ${dir} is open in another program: ${said}`;
      throw new TidemarkError("locked", text, { pid: 0 }, { cause: error });
    }
    if (said.startsWith("Corruption")) throw unreadable(storeIn(dir), error);
    if (/Column families not opened/.test(said)) {
      throw new TidemarkError("unsupported-format", `${dir} holds a database of another shape: ${said}`, {}, { cause: error });
    }
    const text = `the store in ${dir} can't be opened: ${said}`;
    throw new TidemarkError("io-failed", text, {}, { cause: error, effect: "none" });
  }
}
