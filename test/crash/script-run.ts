/**
 * One life of a store under a script, on a disk that may stop at any operation: keeps the books of what was asked, what was answered, and
 * which ids anybody saw. What can be asked is the business of those that extend it.
 */
import { isTidemarkError, type TidemarkError } from "../../src/base/errors.js";
import type { EngineOptions } from "../../src/storage/index.js";
import { ManualClock, type Fault, type MemoryVfs, type PlannedFault } from "../../src/testing/index.js";
import { FaultFound } from "./fault-found.js";
import type { Action, Call, History } from "./history.js";
import type { IdLedger } from "./id-ledger.js";
import { turn } from "./patience.js";
import { tagOf, type StoreState } from "./store-state.js";

/** What a script is about. */
export interface Script<R> {
  readonly name: string;
  readonly durability: EngineOptions["durability"];
  readonly segmentBytes: number;
  readonly steps: (run: R) => Promise<void>;
}

/** Where a run begins: a disk, what may be found on it, and the ids known by then. */
export interface Start {
  readonly disk: MemoryVfs;
  readonly history: History;
  readonly ids: IdLedger;
  /** What the disk's cache shows is what was written: no failed sync has spoiled it. */
  readonly cacheIsTrue: boolean;
  /** Messages so far: tags are numbered through all lives. */
  readonly messages: number;
}

/** An open store, as far as every run needs it. */
export interface OpenStore {
  /** It has stopped: everything is refused until it is opened again. */
  readonly hasFailed: boolean;
  state(): Promise<StoreState>;
  close(): Promise<void>;
}

/** The directory of the store. */
export const directory = "store";

/** What a script is given to do things with. */
export abstract class ScriptRun<S extends OpenStore = OpenStore> {
  readonly history: History;
  readonly ids: IdLedger;
  readonly vfs: MemoryVfs;
  readonly #script: Omit<Script<never>, "steps">;
  /** Stands still unless a script says so: ids of channels made in one millisecond must differ all the same. */
  readonly #clock = new ManualClock(1000);
  /** Those that the script must come by. */
  readonly #faults: PlannedFault[] = [];
  /** Those that had not failed before the store was opened last. */
  #pending: PlannedFault[] = [];
  /** The script has made something go wrong: calls may be refused from then on. */
  #mayFail: boolean;
  #cleanCache: boolean;
  #store: S | undefined;
  #messages: number;
  #opens = 0;
  /** By number, from 1 on. */
  readonly #operations: string[] = [];

  constructor(script: Omit<Script<never>, "steps">, start: Start) {
    this.#script = script;
    this.vfs = start.disk.kill();
    this.vfs.observe(({ number, op, path }) => (this.#operations[number] ??= `${op} ${path}`));
    this.#mayFail = this.vfs.capacity !== Infinity;
    this.history = start.history.copy();
    this.#cleanCache = start.cacheIsTrue;
    this.ids = start.ids.copy();
    this.#messages = start.messages;
  }

  get messages(): number {
    return this.#messages;
  }

  /** How often it has opened a store. */
  get opens(): number {
    return this.#opens;
  }

  /** What the operation of that number was ("write store/mark"); undefined for one that never came. */
  operationAt(number: number): string | undefined {
    return this.#operations[number];
  }

  get store(): S {
    if (this.#store === undefined) throw new Error("the script has not opened the store");
    return this.#store;
  }

  protected abstract openOn(vfs: MemoryVfs, clock: ManualClock, script: Omit<Script<never>, "steps">): Promise<S>;

  /** Opens the store and finds there what may be there; the script's first step. */
  async open(): Promise<void> {
    this.#cleanCache = this.cacheIsTrue;
    this.#pending = this.#pending.filter((fault) => !fault.fired());
    this.#store = await this.#openOnceMore();
    this.history.rebase(await this.look());
    this.#cleanCache = true;
  }

  /** What somebody finds who opens this disk; the disk stays as it is. */
  async peek(disk: MemoryVfs): Promise<StoreState> {
    const store = await this.#open(disk.kill(), new ManualClock(1000));
    return store.state();
  }

  /** Everything that the store shows now; a fault if that can't be. */
  async look(): Promise<StoreState> {
    const state = await this.#readOnceMore();
    this.ids.seen(state);
    const objection = this.history.objection(state, this.cacheIsTrue ? "kill" : "power");
    if (objection !== undefined) throw new FaultFound(objection);
    return state;
  }

  /** Time passes; what was due to be synced by then is synced. */
  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    // Timers have fired; what they set off takes its turns.
    for (let turns = 0; turns < 20; turns += 1) await turn();
    if (this.vfs.halted) return;
    const { durability } = this.#script;
    const bound = typeof durability === "object" ? durability.everyMs : durability === "sync" ? 1000 : Infinity;
    if (ms > bound && !this.store.hasFailed) this.history.settle();
  }

  /** A clean stop. */
  async close(): Promise<void> {
    const { store } = this;
    try {
      await store.close();
      if (!store.hasFailed) this.history.settle();
    } catch (error) {
      if (!this.#mayFail || !isRefusal(error)) throw error;
    }
  }

  async reopen(): Promise<void> {
    await this.close();
    await this.open();
  }

  /** The next operation that matches fails; "surely": the script must come by there. */
  fail(fault: Fault, when: "surely" | "perhaps" = "surely"): void {
    this.#mayFail = true;
    const planned = this.vfs.failNext(fault);
    this.#pending.push(planned);
    if (when === "surely") this.#faults.push(planned);
  }

  /** Only so many more bytes find a place. */
  leaveRoom(bytes: number): void {
    this.#mayFail = true;
    this.vfs.setCapacity(this.vfs.usedBytes + bytes);
  }

  /** See `Start`. */
  get cacheIsTrue(): boolean {
    return this.#cleanCache && !this.#pending.some((fault) => fault.fired());
  }

  /** At the end: what was to fail has failed, and the store shows what it should. */
  async finish(): Promise<void> {
    if (this.#faults.some((fault) => !fault.fired())) throw new Error(`script "${this.#script.name}": a planned fault never fired`);
    await this.look();
  }

  /** As below: a read may be what it hits. */
  async #readOnceMore(): Promise<StoreState> {
    try {
      return await this.store.state();
    } catch (error) {
      if (!this.#mayFail || error instanceof FaultFound) throw error;
      return this.store.state();
    }
  }

  /** Where an operation may fail, opening may be what it hits. */
  async #openOnceMore(): Promise<S> {
    try {
      return await this.#open(this.vfs, this.#clock);
    } catch (error) {
      if (!this.#mayFail || !isRefusal(error) || error.code === "corrupt") throw error;
      return this.#open(this.vfs, this.#clock);
    }
  }

  #open(vfs: MemoryVfs, clock: ManualClock): Promise<S> {
    this.#opens += 1;
    return this.openOn(vfs, clock, this.#script);
  }

  /** New messages for a channel, tagged. */
  protected newTags(channel: string, count: number, size: number): string[] {
    return Array.from({ length: count }, () => tagOf(channel, (this.#messages += 1), size));
  }

  /** Notes one call and what comes of it. */
  protected async call(action: Action, change: (call: Call) => Promise<void>, ack: "written" | "durable" = "durable"): Promise<Call> {
    const call = this.history.begin(action);
    try {
      await change(call);
      call.outcome = this.#script.durability === "sync" ? ack : "written";
    } catch (error) {
      if (!this.#mayFail || !isRefusal(error)) throw error;
      if (error.effect === "none") call.outcome = "refused";
    }
    return call;
  }
}

/** A `TidemarkError`, also of the class that another build of the same source has. */
export function isRefusal(
  error: unknown,
): error is Pick<TidemarkError, "code" | "effect" | "message"> & { readonly details: Readonly<Record<string, unknown>> } {
  if (isTidemarkError(error)) return true;
  return error instanceof Error && error.name === "TidemarkError" && "code" in error && "effect" in error && "details" in error;
}
