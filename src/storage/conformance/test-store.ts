/**
 * An open engine in a test's hands: short words for what the laws do over and over.
 */
import { onTestFinished } from "vitest";
import { type ErrorCode, isTidemarkError } from "../../base/errors.js";
import { ManualClock } from "../../testing/manual-clock.js";
import type { ChannelView, Draft, Engine, NewMessage, StoredMessage, WriteOptions } from "../engine.js";
import type { EngineUnderTest, SuiteOptions } from "./engine-under-test.js";

/** What a store is opened with when a law wants something else than usual. */
export type StoreOptions = Partial<Pick<SuiteOptions, "ids" | "durability" | "segmentBytes" | "dir">> & { readonly clock?: ManualClock };

/** Small, so that a law's messages fill several. */
const segmentBytes = 256 * 1024;

/** Opens an engine in a new directory; it is closed when the test ends. */
export async function openStore(under: EngineUnderTest, options: StoreOptions = {}): Promise<TestStore> {
  const clock = options.clock ?? new ManualClock();
  const dir = options.dir ?? (await under.dir());
  const chosen: SuiteOptions = { ids: "internal", durability: "sync", segmentBytes, ...options, dir, clock };
  const store = new TestStore(under, chosen, clock, await under.open(chosen));
  onTestFinished(() => store.close());
  return store;
}

/** Opens an engine for `use` alone, for laws that open many. */
export async function withStore(under: EngineUnderTest, options: StoreOptions, use: (store: TestStore) => Promise<void>): Promise<void> {
  const clock = options.clock ?? new ManualClock();
  const chosen: SuiteOptions = { ids: "internal", durability: "sync", segmentBytes, ...options, dir: await under.dir(), clock };
  const store = new TestStore(under, chosen, clock, await under.open(chosen));
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

/** The engine, and what one does with it. */
export class TestStore {
  readonly clock: ManualClock;
  readonly #under: EngineUnderTest;
  #options: SuiteOptions;
  #engine: Engine;

  constructor(under: EngineUnderTest, options: SuiteOptions, clock: ManualClock, engine: Engine) {
    this.#under = under;
    this.#options = options;
    this.clock = clock;
    this.#engine = engine;
  }

  get engine(): Engine {
    return this.#engine;
  }

  get dir(): string {
    return this.#options.dir;
  }

  write<T>(change: (draft: Draft) => T, options?: WriteOptions): Promise<T> {
    return this.#engine.write(change, options);
  }

  create(...names: string[]): Promise<void> {
    return this.write((draft) => {
      for (const name of names) draft.createChannel(name);
    });
  }

  destroy(name: string): Promise<void> {
    return this.write((draft) => draft.destroyChannel(name));
  }

  append(name: string, ...texts: string[]): Promise<{ firstId: bigint; lastId: bigint }> {
    return this.write((draft) => draft.append(name, texts.map(message)));
  }

  appendAt(name: string, firstId: bigint, ...texts: string[]): Promise<{ firstId: bigint; lastId: bigint }> {
    return this.write((draft) => draft.append(name, texts.map(message), firstId));
  }

  trim(name: string, beforeId: bigint): Promise<void> {
    return this.write((draft) => draft.trim(name, beforeId));
  }

  put(key: string, text: string, options?: WriteOptions): Promise<void> {
    return this.write((draft) => draft.put(key, Buffer.from(text)), options);
  }

  /** The value under `key` as text; undefined when there is none. */
  metaText(key: string): string | undefined {
    const entry = this.#engine.meta.get(key);
    return entry === undefined ? undefined : Buffer.from(entry.value).toString();
  }

  view(name: string): ChannelView {
    const view = this.#engine.channel(name);
    if (view === undefined) throw new Error(`no channel ${name} is visible`);
    return view;
  }

  /** Names of the visible channels, in the order of their UTF-16 units. */
  names(): string[] {
    return [...this.#engine.channels()].map(({ name }) => name).sort();
  }

  /** All that is retained from `fromId` on. */
  async messages(name: string, fromId?: bigint): Promise<StoredMessage[]> {
    const view = this.view(name);
    const reader = this.#engine.reader(view);
    const all: StoredMessage[] = [];
    let next = fromId ?? view.beginId;
    for (;;) {
      const some = await reader.read(next, 100_000, 64 * 1024 * 1024);
      const last = some.at(-1);
      if (last === undefined) return all;
      if (last.id < next) throw new Error(`a reader that was asked for ${next} gave ${last.id}`);
      for (const one of some) all.push(one);
      next = last.id + 1n;
    }
  }

  async texts(name: string, fromId?: bigint): Promise<string[]> {
    return (await this.messages(name, fromId)).map(textOf);
  }

  /** Closes, and opens the same directory again, perhaps in another way. */
  async reopen(otherwise: Partial<SuiteOptions> = {}): Promise<void> {
    await this.#engine.close();
    this.#options = { ...this.#options, ...otherwise };
    this.#engine = await this.#under.open(this.#options);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/** Ids from outside for this engine: `nth(1n)` is the least that it can hold. */
export function outsideIds({ leastId = 1n }: EngineUnderTest): (nth: bigint) => bigint {
  return (nth) => leastId - 1n + nth;
}

/** A message whose payload is `text`. */
export function message(text: string): NewMessage {
  return { payload: Buffer.from(text) };
}

/** The payload as text. */
export function textOf(stored: StoredMessage): string {
  return Buffer.from(stored.payload).toString();
}

/** Texts `<prefix>0`, `<prefix>1`, …. */
export function numbered(count: number, prefix = "m"): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`);
}

/** The properties as pairs, in the order of their keys. */
export function pairsOf(properties: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(properties ?? {}).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** What a read that may be refused came to: its texts, or the code. */
export async function outcomeOf(read: Promise<StoredMessage[]>): Promise<{ texts: string[]; code: ErrorCode | undefined }> {
  try {
    return { texts: (await read).map(textOf), code: undefined };
  } catch (error) {
    if (isTidemarkError(error)) return { texts: [], code: error.code };
    throw error;
  }
}
