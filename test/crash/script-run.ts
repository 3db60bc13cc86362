/**
 * One life of a store under a script, on a disk that may stop at any operation: does what the script says, and keeps the books of what was
 * asked, what was answered, and which ids anybody saw.
 */
import { isTidemarkError, type TidemarkError } from "../../src/base/errors.js";
import { silentLogger } from "../../src/base/logger.js";
import { noMetrics } from "../../src/base/metrics.js";
import type { Engine, EngineOptions } from "../../src/storage/index.js";
import { ManualClock, type Fault, type MemoryVfs, type PlannedFault } from "../../src/testing/index.js";
import { FaultFound } from "./fault-found.js";
import type { Action, Call, History } from "./history.js";
import type { IdLedger } from "./id-ledger.js";
import { turn } from "./patience.js";
import { payloadOf, readState, tagOf, type StoreState } from "./store-state.js";

/** Opens the store under test. */
export type OpenEngine = (options: EngineOptions) => Promise<Engine>;

/** What a script is about. */
export interface Script {
  readonly name: string;
  readonly durability: EngineOptions["durability"];
  readonly segmentBytes: number;
  readonly steps: (run: ScriptRun) => Promise<void>;
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

/** The directory of the store. */
export const directory = "store";

/** What a script is given to do things with. */
export class ScriptRun {
  readonly history: History;
  readonly ids: IdLedger;
  readonly vfs: MemoryVfs;
  readonly #script: Script;
  readonly #openEngine: OpenEngine;
  /** Stands still unless a script says so: ids of channels made in one millisecond must differ all the same. */
  readonly #clock = new ManualClock(1000);
  /** Those that the script must come by. */
  readonly #faults: PlannedFault[] = [];
  /** Those that had not failed before the store was opened last. */
  #pending: PlannedFault[] = [];
  /** The script has made something go wrong: calls may be refused from then on. */
  #mayFail: boolean;
  #cleanCache: boolean;
  #engine: Engine | undefined;
  #messages: number;
  /** By number, from 1 on. */
  readonly #operations: string[] = [];

  constructor(script: Script, start: Start, openEngine: OpenEngine) {
    this.#script = script;
    this.#openEngine = openEngine;
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

  /** What the operation of that number was ("write store/mark"); undefined for one that never came. */
  operationAt(number: number): string | undefined {
    return this.#operations[number];
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error("the script has not opened the store");
    return this.#engine;
  }

  /** Opens the store and finds there what may be there; the script's first step. */
  async open(): Promise<void> {
    this.#cleanCache = this.cacheIsTrue;
    this.#pending = this.#pending.filter((fault) => !fault.fired());
    this.#engine = await this.#openOnceMore();
    this.history.rebase(await this.look());
    this.#cleanCache = true;
  }

  /** What somebody finds who opens this disk; the disk stays as it is. */
  async peek(disk: MemoryVfs): Promise<StoreState> {
    return readState(await this.#open(disk.kill(), new ManualClock(1000)));
  }

  /** Everything that the store shows now; a fault if that can't be. */
  async look(): Promise<StoreState> {
    const state = await this.#readOnceMore();
    this.ids.seen(state);
    const objection = this.history.objection(state, this.cacheIsTrue ? "kill" : "power");
    if (objection !== undefined) throw new FaultFound(objection);
    return state;
  }

  async create(channel: string): Promise<void> {
    await this.#call({ kind: "create", channel }, () => this.engine.write((draft) => void draft.createChannel(channel)));
  }

  async destroy(channel: string): Promise<void> {
    const change = (): Promise<void> =>
      this.engine.write((draft) => {
        for (const { key } of draft.range("")) if (key.endsWith(`/${channel}`)) draft.delete(key);
        draft.destroyChannel(channel);
      });
    await this.#call({ kind: "destroy", channel }, change);
  }

  /** One batch. Resolves with its first id; undefined when it failed. */
  async produce(channel: string, count: number, size = 40): Promise<bigint | undefined> {
    const tags = Array.from({ length: count }, () => tagOf(channel, (this.#messages += 1), size));
    const messages = tags.map((tag) => ({ payload: payloadOf(tag) }));
    const call = await this.#call({ kind: "append", channel, tags }, async (appended) => {
      const { firstId } = await this.engine.write((draft) => draft.append(channel, messages));
      this.ids.acked(channel, firstId, tags);
      appended.firstId = firstId;
    });
    return call.firstId;
  }

  /** Whether it was done. */
  async trim(channel: string, beforeId: bigint): Promise<boolean> {
    const { outcome } = await this.#call({ kind: "trim", channel, beforeId }, () =>
      this.engine.write((draft) => draft.trim(channel, beforeId)),
    );
    return outcome !== "refused" && outcome !== "unknown";
  }

  /** Drops all that the channel shows. Whether that was done, or there was nothing. */
  async trimAll(channel: string): Promise<boolean> {
    const view = this.engine.channel(channel);
    return view === undefined || view.endId === view.beginId || this.trim(channel, view.endId);
  }

  /** A group's cursor: written, not synced. */
  async moveCursor(group: string, channel: string, id: bigint | number): Promise<void> {
    await this.#put(`${group}/${channel}`, String(id), "written");
  }

  async put(key: string, value: string): Promise<void> {
    await this.#put(key, value, "durable");
  }

  /** Time passes; what was due to be synced by then is synced. */
  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    // Timers have fired; what they set off takes its turns.
    for (let turns = 0; turns < 20; turns += 1) await turn();
    if (this.vfs.halted) return;
    const { durability } = this.#script;
    const bound = typeof durability === "object" ? durability.everyMs : durability === "sync" ? 1000 : Infinity;
    if (ms > bound && this.engine.failure === undefined) this.history.settle();
  }

  /** A clean stop. */
  async close(): Promise<void> {
    const { engine } = this;
    try {
      await engine.close();
      if (engine.failure === undefined) this.history.settle();
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
      return await readState(this.engine);
    } catch (error) {
      if (!this.#mayFail || error instanceof FaultFound) throw error;
      return readState(this.engine);
    }
  }

  /** Where an operation may fail, opening may be what it hits. */
  async #openOnceMore(): Promise<Engine> {
    try {
      return await this.#open(this.vfs, this.#clock);
    } catch (error) {
      if (!this.#mayFail || !isRefusal(error) || error.code === "corrupt") throw error;
      return this.#open(this.vfs, this.#clock);
    }
  }

  #open(vfs: MemoryVfs, clock: ManualClock): Promise<Engine> {
    const { durability, segmentBytes } = this.#script;
    const options = { dir: directory, ids: "internal", durability, segmentBytes, prefill: "off", clock, vfs } as const;
    return this.#openEngine({ ...options, metrics: noMetrics, logger: silentLogger });
  }

  async #put(key: string, value: string, ack: "written" | "durable"): Promise<void> {
    await this.#call({ kind: "put", key, value }, () => this.engine.write((draft) => draft.put(key, Buffer.from(value)), { ack }), ack);
  }

  async #call(action: Action, change: (call: Call) => Promise<void>, ack: "written" | "durable" = "durable"): Promise<Call> {
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
