/**
 * A run of a script over a storage engine.
 */
import { silentLogger } from "../../src/base/logger.js";
import { noMetrics } from "../../src/base/metrics.js";
import type { Engine, EngineOptions } from "../../src/storage/index.js";
import type { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { readEngine } from "./engine-state.js";
import { directory, ScriptRun, type OpenStore, type Script, type Start } from "./script-run.js";
import { payloadOf, type StoreState } from "./store-state.js";

/** Opens the engine under test. */
export type OpenEngine = (options: EngineOptions) => Promise<Engine>;

/** A script for an engine. */
export type EngineScript = Script<EngineRun>;

class EngineStore implements OpenStore {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  get hasFailed(): boolean {
    return this.engine.failure !== undefined;
  }

  state(): Promise<StoreState> {
    return readEngine(this.engine);
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}

/** What scripts for an engine do things with. */
export class EngineRun extends ScriptRun<EngineStore> {
  readonly #openEngine: OpenEngine;

  constructor(script: Omit<EngineScript, "steps">, start: Start, openEngine: OpenEngine) {
    super(script, start);
    this.#openEngine = openEngine;
  }

  get engine(): Engine {
    return this.store.engine;
  }

  async create(channel: string): Promise<void> {
    await this.call({ kind: "create", channel }, () => this.engine.write((draft) => void draft.createChannel(channel)));
  }

  async destroy(channel: string): Promise<void> {
    const change = (): Promise<void> =>
      this.engine.write((draft) => {
        for (const { key } of draft.range("")) if (key.endsWith(`/${channel}`)) draft.delete(key);
        draft.destroyChannel(channel);
      });
    await this.call({ kind: "destroy", channel }, change);
  }

  /** One batch. Resolves with its first id; undefined when it failed. */
  async produce(channel: string, count: number, size = 40): Promise<bigint | undefined> {
    const tags = this.newTags(channel, count, size);
    const messages = tags.map((tag) => ({ payload: payloadOf(tag) }));
    const call = await this.call({ kind: "append", channel, tags }, async (appended) => {
      const { firstId } = await this.engine.write((draft) => draft.append(channel, messages));
      this.ids.acked(channel, firstId, tags);
      appended.firstId = firstId;
    });
    return call.firstId;
  }

  /** Whether it was done. */
  async trim(channel: string, beforeId: bigint): Promise<boolean> {
    const { outcome } = await this.call({ kind: "trim", channel, beforeId }, () =>
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

  protected async openOn(vfs: MemoryVfs, clock: ManualClock, script: Omit<EngineScript, "steps">): Promise<EngineStore> {
    const { durability, segmentBytes } = script;
    const options = { dir: directory, ids: "internal", durability, segmentBytes, prefill: "off", clock, vfs } as const;
    return new EngineStore(await this.#openEngine({ ...options, metrics: noMetrics, logger: silentLogger }));
  }

  async #put(key: string, value: string, ack: "written" | "durable"): Promise<void> {
    await this.call({ kind: "put", key, value }, () => this.engine.write((draft) => draft.put(key, Buffer.from(value)), { ack }), ack);
  }
}

/** Runs over this engine, for an `Explorer`. */
export function engineRuns(openEngine: OpenEngine): (script: EngineScript, start: Start) => EngineRun {
  return (script, start) => new EngineRun(script, start, openEngine);
}
