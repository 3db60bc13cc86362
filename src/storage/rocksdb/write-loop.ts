/**
 * The one loop that writes the database.
 *
 *     take all that waits ▸ one batch, one sync ▸ move the state ▸ events ▸ promises ▸ delete what is dead ▸ again
 */
import { TidemarkError } from "../../base/errors.js";
import type { EngineEvent } from "../engine.js";
import type { EngineOptions } from "../engine-options.js";
import { engineStopped } from "../refusals.js";
import type { LogMetrics } from "../segment/log-metrics.js";
import { TurnLoop } from "../turn-loop.js";
import type { WaitingChange } from "../waiting-change.js";
import type { MessageRange } from "./batch-writer-protocol.js";
import type { Operation } from "./group-layout.js";
import { doomedKey } from "./keys.js";
import type { LastInPage } from "./drafted-channel.js";
import { RocksDbDraft } from "./rocksdb-draft.js";
import { type RocksDbState, stateRow } from "./rocksdb-state.js";

/** A group takes no more changes once it has this much. */
const groupBytes = 4 * 1024 * 1024;

/** A change whose result only its caller knows. */
type Handed = Pick<WaitingChange<unknown>, "ack" | "abandoned" | "run" | "waitAgain" | "settle" | "refuse" | "promise">;

/** What the loop writes with: batches whole, and deletions of what nobody asks for. */
export interface GroupWriter {
  write(operations: readonly Operation[], sync: boolean): Promise<number>;
  sweep(ranges: readonly MessageRange[]): Promise<void>;
}

/** What the loop works on. */
export interface WriteLoopParts {
  readonly state: RocksDbState;
  readonly writer: GroupWriter;
  readonly lastInPage: LastInPage;
  readonly metrics: LogMetrics;
  readonly options: EngineOptions;
  readonly tell: (event: EngineEvent) => void;
}

/** Takes changes in call order and settles their promises in that order. */
export class WriteLoop {
  readonly #parts: WriteLoopParts;
  readonly #loop: TurnLoop;
  #waiting: Handed[] = [];
  #inFlight: readonly Handed[] = [];
  /** Something was written and not synced. */
  #dirty = false;
  /** Notes of rows that are deleted, to be taken away with the next group. */
  #swept: number[] = [];
  #failure: TidemarkError | undefined;

  constructor(parts: WriteLoopParts) {
    this.#parts = parts;
    this.#loop = new TurnLoop({ options: parts.options, hasWork: () => this.#waiting.length > 0, step: () => this.#step() });
  }

  /** What stopped the store for good; it must be opened again. */
  get failure(): TidemarkError | undefined {
    return this.#failure;
  }

  /** Takes a change over: its promise is settled in its turn. */
  submit(change: Handed): void {
    if (this.#failure !== undefined) return change.refuse(engineStopped(this.#failure));
    this.#waiting.push(change);
    this.#loop.start();
  }

  /** See `Engine.settled`. */
  settled(): Promise<void> | undefined {
    const newest = this.#waiting.findLast((change) => !change.abandoned) ?? this.#inFlight.at(-1);
    const nothing = (): void => undefined;
    return newest?.promise.then(nothing, nothing);
  }

  /** Deletes what an earlier open left, before anything is written. */
  async sweepLeftOvers(): Promise<void> {
    await this.#sweep();
  }

  /** Resolves once the loop has nothing to do. Never rejects: see `failure`. */
  finish(): Promise<void> {
    return this.#loop.finish();
  }

  async #step(): Promise<void> {
    try {
      const draft = this.#take();
      if (draft.brokenInvariant !== undefined) throw draft.brokenInvariant;
      if (draft.isEmpty) this.#inFlight.forEach((change) => change.settle());
      else await this.#store(draft);
      if (this.#loop.syncDue) await this.#sync();
      await this.#sweep();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#inFlight = [];
    }
  }

  #take(): RocksDbDraft {
    const { state, options } = this.#parts;
    state.timeMs = Math.max(state.timeMs, Math.floor(options.clock.nowMs()));
    const draft = new RocksDbDraft({ state, ids: options.ids, nowMs: state.timeMs });
    const taken: Handed[] = [];
    let end = 0;
    const isFull = (): boolean => draft.aboutBytes >= groupBytes || draft.beginUnknown || draft.brokenInvariant !== undefined;
    for (; end < this.#waiting.length && !isFull(); end++) {
      const change = this.#waiting[end];
      if (change === undefined || change.abandoned) continue;
      taken.push(change);
      draft.beginChange(change.ack);
      const threw = change.run(draft);
      if (threw && draft.drafted) draft.breakInvariant("a change threw after it had drafted something");
    }
    this.#waiting.splice(0, end);
    this.#inFlight = taken;
    return draft;
  }

  async #store(draft: RocksDbDraft): Promise<void> {
    const { options } = this.#parts;
    const isLazy = !draft.needsSync && (options.durability !== "sync" || this.#inFlight.every(({ ack }) => ack === "written"));
    if (draft.beginUnknown) {
      const drafted = draft.payloadBytes();
      await draft.settleBegins(this.#parts.lastInPage);
      const now = draft.payloadBytes();
      if (drafted.some((bytes, at) => bytes !== now[at])) return this.#putBack();
    }
    await this.#write(draft.operations(), !isLazy);
    const events = draft.publish();
    if (isLazy) this.#loop.syncLater();
    else this.#parts.state.synced();
    for (const event of events) this.#parts.tell(event);
    for (const change of this.#inFlight) change.settle();
  }

  /** Nothing of them was written: they run again in the next turn, and one whose memory was transferred meanwhile is refused there. */
  #putBack(): void {
    for (const change of this.#inFlight) change.waitAgain();
    this.#waiting.unshift(...this.#inFlight);
  }

  async #write(operations: readonly Operation[], sync: boolean): Promise<void> {
    const { writer, metrics, options } = this.#parts;
    const swept = this.#swept.splice(0).map((number) => ({ do: "delete", key: doomedKey(number) }) as const);
    const startMs = options.clock.monotonicMs();
    metrics.wrote(await writer.write([...operations, ...swept], sync));
    this.#dirty = !sync;
    if (!sync) return;
    this.#loop.synced();
    metrics.synced(options.clock.monotonicMs() - startMs);
  }

  async #sync(): Promise<void> {
    if (!this.#dirty) return this.#loop.synced();
    const { state } = this.#parts;
    const { term, floor, timeMs } = state;
    await this.#write([stateRow({ term, revision: state.meta.revision, floor, timeMs }, false)], true);
    state.synced();
  }

  /** Deletes the rows of pages and channels that are gone: readers that are on their way have their own view of the database. */
  async #sweep(): Promise<void> {
    const { state, writer } = this.#parts;
    const doomed = [...state.doomed];
    const trimmed = [...state.trimmed].flatMap((channel) => {
      const { sweepable } = channel;
      return sweepable === undefined ? [] : [{ channel, range: { channel: channel.name, ...sweepable } }];
    });
    state.trimmed.clear();
    if (doomed.length + trimmed.length === 0) return;
    await writer.sweep([...doomed.map(([, range]) => range), ...trimmed.map(({ range }) => range)]);
    for (const { channel, range } of trimmed) channel.sweptId = range.toId;
    for (const [number] of doomed) state.doomed.delete(number);
    this.#swept.push(...doomed.map(([number]) => number));
  }

  #fail(error: unknown): void {
    const { options, metrics, tell } = this.#parts;
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#loop.stop();
    options.logger.error({ err: failure, dir: options.dir }, "the store has stopped: close it and open it again");
    const stopped = isDiskFull(failure) ? diskFull(options.dir, failure) : unknownOutcome(options.dir, failure);
    if (stopped.code === "disk-full") metrics.diskFull();
    this.#failure = stopped;
    tell({ type: "failed", error: stopped });
    for (const change of this.#inFlight) change.refuse(stopped);
    for (const change of this.#waiting.splice(0)) change.refuse(engineStopped(stopped));
  }
}

/** RocksDB has no codes that reach us; this is the system's own text in its. */
function isDiskFull(error: Error): boolean {
  return /No space left on device|Disk quota exceeded/.test(error.message);
}

function diskFull(dir: string, cause: Error): TidemarkError<"disk-full"> {
  const text = `the disk under ${dir} is full: free some space, then close the store and open it again to see what is there`;
  return new TidemarkError("disk-full", text, {}, { cause, retry: "reopen", effect: "unknown" });
}

function unknownOutcome(dir: string, cause: Error): TidemarkError<"io-failed"> {
  const text = `writing the database in ${dir} failed (${cause.message}): close the store and open it again to see what is there`;
  return new TidemarkError("io-failed", text, {}, { cause, effect: "unknown" });
}
