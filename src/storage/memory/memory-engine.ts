/**
 * An engine that keeps everything in memory: the semantics of the port, and nothing else.
 *
 * Changes handed in while a group is under way wait for the next one, as behind a disk:
 *
 *     write A, write B │ turn: run A, B │ turn: visible ▸ events ▸ promises of A, B │ turn: run C …
 *                                  write C (waits)
 *
 * When the process is gone, so is the state.
 */
import type { Clock } from "../../base/clock.js";
import type { TidemarkError } from "../../base/errors.js";
import type {
  ChannelReader,
  ChannelView,
  Draft,
  Engine,
  EngineEvent,
  MetaView,
  RetainedBatch,
  StoredMessage,
  WriteOptions,
} from "../engine.js";
import type { EngineOptions } from "../engine-options.js";
import { MetaMap } from "../meta-map.js";
import { channelNotFound, engineClosed, engineStopped, positionTrimmed } from "../refusals.js";
import { MemoryChannel } from "./memory-channel.js";
import { MemoryDraft, type MemoryState } from "./memory-draft.js";
import { messageBytes } from "./stored-batch.js";
import { WaitingChange } from "../waiting-change.js";

/** So many of a channel's batches are told of at once. */
const mostOldest = 256;

/** Opens a new, empty engine; of the options only `ids` and `clock` matter to it. */
export function openMemoryEngine(options: EngineOptions): Promise<Engine> {
  return Promise.resolve(new MemoryEngine(options));
}

/** A change whose result only its caller knows. */
type Handed = Pick<WaitingChange<unknown>, "ack" | "abandoned" | "run" | "settle" | "refuse">;

class MemoryEngine implements Engine {
  readonly kind = "memory";
  readonly readOnly = false;
  readonly term = 1n;
  readonly recovered = undefined;
  readonly #clock: Clock;
  readonly #ids: "internal" | "external";
  readonly #state: MemoryState = { channels: new Map(), meta: new MetaMap(), floor: 0n, timeMs: 0 };
  /** Handed in and not yet run, in call order. */
  #waiting: Handed[] = [];
  /** Resolves when the newest group is settled; undefined when none is waiting or under way. Never rejects. */
  #newestGroup: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #failure: Error | undefined;
  #listener: ((event: EngineEvent) => void) | undefined;

  constructor(options: EngineOptions) {
    this.#clock = options.clock;
    this.#ids = options.ids;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  get meta(): MetaView {
    return this.#state.meta;
  }

  channel(name: string): ChannelView | undefined {
    return this.#state.channels.get(name);
  }

  channels(): Iterable<ChannelView> {
    return [...this.#state.channels.values()];
  }

  write<T>(change: (draft: Draft) => T, options: WriteOptions = {}): Promise<T> {
    const waiting = new WaitingChange(change, options);
    const refusal = this.#refusal();
    if (refusal === undefined) this.#enqueue(waiting);
    else waiting.refuse(refusal);
    return waiting.promise;
  }

  settled(): Promise<void> | undefined {
    return this.#newestGroup;
  }

  reader(channel: ChannelView): ChannelReader {
    return {
      read: async (fromId, max, maxBytes) => {
        const found = this.#readable(channel);
        if (fromId < found.beginId) throw positionTrimmed(found.name, fromId, found.beginId);
        return firstOf(found.messagesFrom(fromId), max, maxBytes);
      },
    };
  }

  async idAt(channel: ChannelView, timeMs: number): Promise<bigint | undefined> {
    return this.#readable(channel).idAt(timeMs);
  }

  async countFrom(channel: ChannelView, fromId: bigint): Promise<number> {
    return this.#readable(channel).countFrom(fromId);
  }

  async oldestBatches(channel: ChannelView): Promise<readonly RetainedBatch[]> {
    return this.#readable(channel).oldest(mostOldest);
  }

  listen(listener: ((event: EngineEvent) => void) | undefined): void {
    this.#listener = listener;
  }

  close(): Promise<void> {
    // What was handed in before is still done; `#closing` refuses the rest from now on.
    this.#closing ??= this.#newestGroup ?? Promise.resolve();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #enqueue(change: Handed): void {
    if (this.#waiting.length === 0) this.#newestGroup = this.#storeGroup(this.#newestGroup);
    this.#waiting.push(change);
  }

  async #storeGroup(before: Promise<void> | undefined): Promise<void> {
    await before;
    await nextTurn();
    this.#state.timeMs = this.#now();
    const draft = new MemoryDraft({ state: this.#state, ids: this.#ids, nowMs: this.#state.timeMs });
    const group = this.#run(this.#waiting.splice(0), draft);
    await nextTurn();
    this.#publish(group, draft);
    if (this.#waiting.length === 0) this.#newestGroup = undefined;
  }

  /** Runs the changes one after the other; returns those whose callers wait for an answer. */
  #run(changes: readonly Handed[], draft: MemoryDraft): Handed[] {
    const group: Handed[] = [];
    for (const change of changes) {
      if (change.abandoned) continue;
      group.push(change);
      if (this.#failure !== undefined) continue;
      draft.beginChange(change.ack);
      const threw = change.run(draft);
      // What it drafted can't be taken back, and half of a change must never be seen.
      if (threw && draft.drafted) this.#stop(new Error("a change threw after it had drafted something"));
    }
    return group;
  }

  /** Of the turn that begins. Without one there is no turn, and no other. */
  #now(): number {
    try {
      return Math.max(this.#state.timeMs, Math.floor(this.#clock.nowMs()));
    } catch (error) {
      this.#stop(error instanceof Error ? error : new Error(String(error)));
      return this.#state.timeMs;
    }
  }

  #publish(group: readonly Handed[], draft: MemoryDraft): void {
    if (this.#failure !== undefined) {
      for (const change of group) change.refuse(engineStopped(this.#failure));
      return;
    }
    for (const event of draft.steps.map((step) => step(this.#state))) {
      if (event !== undefined) this.#tell(event);
    }
    for (const change of group) change.settle();
  }

  #stop(failure: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#tell({ type: "failed", error: failure });
  }

  #tell(event: EngineEvent): void {
    try {
      this.#listener?.(event);
    } catch (error) {
      this.#stop(new Error("the listener threw", { cause: error }));
    }
  }

  #refusal(): TidemarkError | undefined {
    if (this.#closing !== undefined) return engineClosed();
    return this.#failure === undefined ? undefined : engineStopped(this.#failure);
  }

  #readable(channel: ChannelView): MemoryChannel {
    if (this.#closing !== undefined) throw engineClosed();
    if (!(channel instanceof MemoryChannel) || channel.destroyed) throw channelNotFound(channel.name);
    return channel;
  }
}

/** Ends before the message that would be one too many, or take more than `maxBytes` with those before it; never before the first. */
function firstOf(messages: Iterable<StoredMessage>, max: number, maxBytes: number): StoredMessage[] {
  const taken: StoredMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    bytes += messageBytes(message);
    if (taken.length > 0 && bytes > maxBytes) break;
    // What is stored is nobody else's; properties can't be changed.
    taken.push({ ...message, payload: new Uint8Array(message.payload) });
    if (taken.length >= max) break;
  }
  return taken;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
