/**
 * The one loop that writes the log.
 *
 *     take all that waits ▸ one write ▸ one sync ▸ move the state ▸ events ▸ promises ▸ again
 */
import type { Clock } from "../../base/clock.js";
import type { Logger } from "../../base/logger.js";
import { TidemarkError } from "../../base/errors.js";
import type { EngineEvent } from "../engine.js";
import type { EngineOptions } from "../engine-options.js";
import { engineStopped } from "../refusals.js";
import { TurnLoop } from "../turn-loop.js";
import type { Housekeeping } from "./housekeeping.js";
import type { IndexStore } from "./index-store.js";
import { PayloadChanged } from "./batch-body.js";
import type { ChannelState } from "./channel-state.js";
import { liveCopies, type CopyLane, type CopyStep, type CopyWork } from "./copy-lane.js";
import { paddedLength } from "./frame.js";
import { type BatchCopy, Group } from "./group.js";
import { GroupEvents } from "./group-events.js";
import type { LogMetrics } from "./log-metrics.js";
import type { LogState } from "./log-state.js";
import type { LogTail, Written } from "./log-tail.js";
import type { Mark } from "./mark.js";
import { SegmentDraft } from "./segment-draft.js";
import { isDiskFull } from "./system-error.js";
import type { Trims } from "./trims.js";
import { ChangeQueue, type CeilingWait, type Handed, type Turn } from "./turn.js";

/** A group takes no more changes once it has this much. */
const groupBytes = 4 * 1024 * 1024;
/** On a full disk a segment with less in it is not left for the sake of what is dead there. */
const worthLeavingBytes = 64 * 1024;

/** What the loop works on. */
export interface CommitLogParts {
  readonly state: LogState;
  readonly tail: LogTail;
  readonly indexes: IndexStore;
  readonly housekeeping: Housekeeping;
  readonly mark: Mark;
  readonly metrics: LogMetrics;
  /** Copies that compaction wants written. */
  readonly copies: CopyLane;
  /** Called when something was written. */
  readonly onWritten: () => void;
  /** What trims come to. */
  readonly trims: Trims;
  readonly options: EngineOptions;
  readonly tell: (event: EngineEvent) => void;
}

/** Takes changes in call order and settles their promises in that order. */
export class CommitLog {
  readonly #state: LogState;
  readonly #tail: LogTail;
  readonly #indexes: IndexStore;
  readonly #housekeeping: Housekeeping;
  readonly #mark: Mark;
  readonly #metrics: LogMetrics;
  readonly #copies: CopyLane;
  readonly #onWritten: () => void;
  readonly #trims: Trims;
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #tell: (event: EngineEvent) => void;
  readonly #queue = new ChangeQueue();
  readonly #loop: TurnLoop;
  #ceilingWait: CeilingWait | undefined;
  #failure: TidemarkError | undefined;

  constructor(parts: CommitLogParts) {
    this.#state = parts.state;
    this.#tail = parts.tail;
    this.#indexes = parts.indexes;
    this.#housekeeping = parts.housekeeping;
    this.#mark = parts.mark;
    this.#metrics = parts.metrics;
    this.#copies = parts.copies;
    this.#onWritten = parts.onWritten;
    this.#trims = parts.trims;
    this.#options = parts.options;
    this.#clock = parts.options.clock;
    this.#logger = parts.options.logger;
    this.#tell = parts.tell;
    const hasWork = (): boolean => !this.#queue.isEmpty || this.#copies.isWaiting;
    this.#loop = new TurnLoop({ options: parts.options, hasWork, step: () => this.#step() });
    this.#copies.attach(() => this.#loop.start());
  }

  /** What stopped the log for good; it must be opened again. */
  get failure(): TidemarkError | undefined {
    return this.#failure;
  }

  /** Takes a change over: its promise is settled in its turn. */
  submit(change: Handed): void {
    if (this.#failure !== undefined) return change.refuse(engineStopped(this.#failure));
    this.#queue.push(change);
    this.#loop.start();
  }

  /** See `Engine.settled`. */
  settled(): Promise<void> | undefined {
    return this.#queue.settled();
  }

  /** Resolves once the loop has nothing to do, and everything written is synced. Never rejects: see `failure`. */
  finish(): Promise<void> {
    this.#loop.syncNow();
    return this.#loop.finish();
  }

  async #step(): Promise<void> {
    const copies = this.#copies.next(this.#queue.isEmpty);
    if (copies !== undefined) return this.#copy(copies);
    let changes: Turn["changes"] = [];
    try {
      const turn = this.#take();
      changes = turn.changes;
      if (turn.draft.brokenInvariant !== undefined) throw turn.draft.brokenInvariant;
      if (turn.draft.group.isEmpty) changes.forEach(({ change }) => change.settle());
      else await this.#store(turn);
      if (this.#loop.syncDue) await this.#sync();
      await this.#housekeeping.releaseDead();
    } catch (error) {
      this.#fail(error, changes);
    } finally {
      this.#queue.done();
    }
  }

  /** A turn of compaction: no change is in it, and nobody waits for its sync. */
  async #copy(step: CopyStep): Promise<void> {
    try {
      step.settle((await this.#compact(step.work)) ? "stored" : "refused");
    } catch (error) {
      this.#fail(error, []);
      step.settle("stopped");
    }
  }

  /** Whether there was room. */
  async #compact(work: CopyWork): Promise<boolean> {
    switch (work.type) {
      case "copy":
        return this.#storeCopies(work.copies);
      case "leave":
        return this.#tail.end.segment !== work.segment || this.#beginAnother(this.#now());
      case "let-go":
        return this.#housekeeping.releaseDeadAgain();
      default:
        return work satisfies never;
    }
  }

  /** Whether there was room. Not for what keeps those who free space from doing so. */
  async #storeCopies(copies: readonly BatchCopy[]): Promise<boolean> {
    const group = new Group();
    for (const copy of liveCopies(copies, this.#state)) group.addCopy(copy);
    if (group.isEmpty) return true;
    const bytes = copies.reduce((sum, { frame }) => sum + paddedLength(frame.bytes.length), 0);
    if (!(await this.#housekeeping.roomToCopy(bytes))) return false;
    const nowMs = this.#now();
    try {
      if (this.#tail.needsRoll(group.aboutBytes)) await this.#roll(nowMs);
      const written = await this.#tail.write(group, nowMs, { sync: false });
      this.#metrics.copied(written.bytes);
      this.#loop.syncLater();
      this.#enter(written.batches);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#metrics.diskFull();
      return false;
    }
    this.#onWritten();
    return true;
  }

  #now(): number {
    this.#state.lastTimeMs = Math.max(this.#state.lastTimeMs, Math.floor(this.#clock.nowMs()));
    return this.#state.lastTimeMs;
  }

  #take(): Turn {
    const nowMs = this.#now();
    const makeDraft = (): SegmentDraft => new SegmentDraft({ state: this.#state, ids: this.#options.ids, nowMs });
    const raisedFor = this.#ceilingWait;
    this.#ceilingWait = undefined;
    if (raisedFor !== undefined) {
      const draft = makeDraft();
      draft.raiseCeiling(raisedFor.need.channel, raisedFor.need.through);
      // Logged already or not: it must be synced before the ids below it are written.
      this.#loop.syncNow();
      return { draft, changes: [], raisedFor };
    }
    const taken = this.#queue.take(makeDraft, groupBytes);
    this.#ceilingWait = taken.ceilingWait;
    return taken;
  }

  async #store(turn: Turn): Promise<void> {
    const { group, nowMs } = turn.draft;
    await this.#trims.enter(group.records);
    const takesSpace = turn.raisedFor !== undefined || turn.changes.some((change) => change.takesSpace);
    if (takesSpace && !(await this.#hasRoom())) return this.#diskFull(turn, undefined);
    const isLazy = this.#options.durability !== "sync" || turn.changes.every(({ change }) => change.ack === "written");
    let written: Written;
    try {
      if (this.#tail.needsRoll(group.aboutBytes)) await this.#roll(nowMs);
      const startMs = this.#clock.monotonicMs();
      written = await this.#tail.write(group, nowMs, { sync: !isLazy });
      if (!isLazy) this.#noteSync(startMs);
    } catch (error) {
      if (error instanceof PayloadChanged) return this.#putBack(turn);
      if (!isDiskFull(error)) throw error;
      return this.#diskFull(turn, error);
    }
    this.#metrics.wrote(written.bytes);
    if (isLazy) this.#loop.syncLater();
    this.#publish(turn, written);
  }

  /** Copies that waited for room go before messages, which would take it in a moment: they are about to make more. */
  async #hasRoom(): Promise<boolean> {
    const bytes = this.#copies.lackingRoom();
    if (bytes !== undefined && (await this.#housekeeping.isFreeToCopy(bytes))) return false;
    return this.#housekeeping.hasRoom();
  }

  /**
   * Of the segment that is written nothing goes, however much in it is dead, until another is: on a full disk that must not wait for a limit that is
   * never reached. Whether another one is written now; what is dead in the old one goes with its checkpoint, or by compaction.
   */
  async #leaveSegment(nowMs: number): Promise<boolean> {
    const { segment, offset } = this.#tail.end;
    if (offset < worthLeavingBytes || 2 * this.#state.segments.liveBytes(segment) >= offset) return false;
    return this.#beginAnother(nowMs);
  }

  async #beginAnother(nowMs: number): Promise<boolean> {
    const isLeft = (await this.#rollIfFits(nowMs)) || ((await this.#housekeeping.giveUpReserve()) && (await this.#rollIfFits(nowMs)));
    if (isLeft) this.#onWritten();
    return isLeft;
  }

  async #rollIfFits(nowMs: number): Promise<boolean> {
    try {
      await this.#roll(nowMs);
      return true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      return false;
    }
  }

  async #roll(nowMs: number): Promise<void> {
    const { previous, segment } = await this.#tail.roll(nowMs, await this.#housekeeping.freeBytes());
    this.#state.synced();
    if (previous.segment > 0) this.#state.segments.seal(previous.segment, previous.offset);
    this.#state.segments.add(segment);
    this.#indexes.open(segment);
    await this.#housekeeping.afterRoll();
  }

  async #sync(): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    // A roll that a full disk stopped halfway has synced it already.
    if (this.#tail.isDirty) await this.#tail.sync();
    this.#noteSync(startMs);
  }

  /** All that was written is durable now. */
  #noteSync(startMs: number): void {
    this.#loop.synced();
    this.#metrics.synced(this.#clock.monotonicMs() - startMs);
    this.#state.synced();
    this.#mark.note(this.#tail.durable);
  }

  /** Moves the state, and tells everybody. */
  #publish(turn: Turn, written: Written): void {
    const { group } = turn.draft;
    const events = new GroupEvents();
    for (const record of group.records) events.around(this.#state, record, () => this.#state.apply(record));
    for (const channel of this.#enter(written.batches)) events.appended(channel);
    // The group's own ceilings are synced with it.
    if (!this.#tail.isDirty) this.#state.synced();
    for (const event of events.all()) this.#tell(event);
    for (const { change } of turn.changes) change.settle();
    this.#onWritten();
  }

  /** Takes what was written into the state and the index; the channels of which something is there. */
  #enter(batches: Written["batches"]): ChannelState[] {
    const index = this.#indexes.growing(this.#tail.end.segment);
    return batches.flatMap((batch) => {
      const channel = this.#state.append(batch);
      if (channel === undefined) return [];
      index?.add(batch, batch.offset + paddedLength(batch.length));
      return [channel];
    });
  }

  /**
   * Refuses what takes space. What frees some goes on: alone first, since a small group may fit where a large one did not; then with the
   * reserve given up.
   */
  async #diskFull(turn: Turn, cause: unknown): Promise<void> {
    this.#metrics.diskFull();
    turn.draft.forgoIds();
    if ((await this.#tail.giveUpPrefill()) || (await this.#leaveSegment(turn.draft.nowMs))) {
      return this.#putBack(turn);
    }
    const why = await this.#housekeeping.shortage();
    const text = `the disk under ${this.#options.dir} is full${why}: nothing of this call was written; free some space, or trim, and try again`;
    const error = new TidemarkError("disk-full", text, {}, { cause });
    const [refused, others] = partition(turn.changes, ({ takesSpace }) => takesSpace);
    for (const { change } of refused) change.refuse(error);
    if (turn.raisedFor !== undefined) {
      // It would ask for the same ceiling again, and keep those behind it from freeing space.
      this.#queue.withdraw(turn.raisedFor.change);
      turn.raisedFor.change.refuse(error);
    }
    const mayTryAgain = others.length > 0 && (refused.length > 0 || (await this.#housekeeping.giveUpReserve()));
    if (mayTryAgain) this.#queue.putBack(others.map(({ change }) => change));
    else for (const { change } of others) change.refuse(error);
  }

  /** Nothing of it was written: its changes run again in the next turn. */
  #putBack(turn: Turn): void {
    this.#queue.putBack(turn.changes.map(({ change }) => change));
  }

  #fail(error: unknown, changes: Turn["changes"]): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#loop.stop();
    this.#logger.error({ err: failure, dir: this.#options.dir }, "the log has stopped: close it and open it again");
    const text = `writing the log in ${this.#options.dir} failed (${failure.message}): close it and open it again to see what is there`;
    const unknown = new TidemarkError("io-failed", text, {}, { cause: failure, effect: "unknown" });
    this.#failure = unknown;
    this.#tell({ type: "failed", error: unknown });
    this.#copies.stop();
    for (const { change } of changes) change.refuse(unknown);
    for (const change of this.#queue.drain()) change.refuse(engineStopped(unknown));
  }
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
