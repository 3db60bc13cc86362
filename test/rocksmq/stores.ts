/**
 * The stores that the laws of the queue are checked on, and what their tests are written with.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ConsumerMessage, ProduceResult, ProducerMessage, RocksMq, RocksMqOptions } from "../../src/rocksmq/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { resolveOptions } from "../../src/rocksmq/options.js";
import { Queue } from "../../src/rocksmq/queue.js";
import { openMemoryEngine } from "../../src/storage/index.js";
import { MemoryVfs } from "../../src/testing/index.js";

/** Options of a test: the directory is the store's to choose. */
export type QueueOptions = Partial<Omit<RocksMqOptions, "dir">>;

/** A kind of store. */
export interface Store {
  readonly name: string;
  /** Opens a new, empty queue; it is closed when the test is over. */
  readonly open: (options?: QueueOptions) => Promise<RocksMq>;
}

/** A kind of store that can be opened again. */
export interface LastingStore extends Store {
  readonly place: () => Place;
}

/** One directory of such a store. */
export interface Place {
  readonly open: (options?: QueueOptions) => Promise<RocksMq>;
}

/** The engine that keeps nothing. */
export const memory: Store = {
  name: "memory",
  open: async (options = {}) => {
    const resolved = resolveOptions({ dir: "nowhere", ...options });
    return closing(new Queue(await openMemoryEngine(resolved.engine), resolved.queue));
  },
};

/** The segment engine on the disk of this machine. */
export const segmentOnDisk: LastingStore = lasting("segment on this disk", () => {
  const dir = mkdtempSync(join(tmpdir(), "tidemark-queue-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return { dir };
});

/** The segment engine on a disk in memory. */
export const segmentInMemory: LastingStore = lasting("segment on a memory disk", () => ({ dir: "/queue", vfs: new MemoryVfs() }));

/** All that come through a reopen. */
export const lastingStores: readonly LastingStore[] = [segmentInMemory, segmentOnDisk];

/** All there are. */
export const stores: readonly Store[] = [memory, ...lastingStores];

/** Closes the queue when the test is over. Close is idempotent, so the test may do it too. */
export function closing(mq: RocksMq): RocksMq {
  onTestFinished(() => mq.close());
  return mq;
}

/** A message with this text. */
export function message(text: string, properties?: Record<string, string>): ProducerMessage {
  const payload = new TextEncoder().encode(text);
  return properties === undefined ? { payload } : { payload, properties };
}

/** Messages numbered from `first` to before `end`. */
export function numbered(first: number, end: number): ProducerMessage[] {
  return Array.from({ length: end - first }, (_, at) => message(String(first + at)));
}

/** What the messages say. */
export function texts(messages: readonly ConsumerMessage[]): string[] {
  return messages.map(({ payload }) => new TextDecoder().decode(payload));
}

/** Makes channel "c" and group "g", and produces messages 0 to before `count`, as one batch. */
export async function filled(mq: RocksMq, count: number): Promise<ProduceResult> {
  await mq.createChannel("c");
  await mq.createConsumerGroup("g");
  return mq.produce("c", numbered(0, count));
}

/** Reads a channel from its begin to the end that it has now. */
export async function readAll(mq: RocksMq, channel: string, from: "earliest" | bigint = "earliest"): Promise<ConsumerMessage[]> {
  const all: ConsumerMessage[] = [];
  for await (const batch of mq.read(channel, { from })) all.push(...batch);
  return all;
}

/** The loop of a reader or subscription. */
export function loopOf<T>(iterable: AsyncIterable<T>): AsyncIterator<T, undefined> {
  return iterable[Symbol.asyncIterator]() as AsyncIterator<T, undefined>;
}

/** The texts of a loop's next array. */
export async function nextTexts(loop: AsyncIterator<ConsumerMessage[], undefined>): Promise<string[] | "done"> {
  const next = await loop.next();
  return next.done === true ? "done" : texts(next.value);
}

/** Lets everything go on that can without time or the disk. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

function lasting(name: string, make: () => { readonly dir: string; readonly vfs?: MemoryVfs }): LastingStore {
  const place = (): Place => {
    const where = make();
    return { open: async (options = {}) => closing(await openRocksMq({ ...where, ...options })) };
  };
  return { name, place, open: (options) => place().open(options) };
}
