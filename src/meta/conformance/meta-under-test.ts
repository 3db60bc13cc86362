/**
 * What the suite needs of a store to test it, and short words for its laws.
 */
import { onTestFinished } from "vitest";
import type { MetaEntry, MetaStore } from "../meta-store.js";

/** Keys that nobody else touches, empty at first. */
export interface Keyspace {
  /** A client of its own; all see the same keys. */
  connect(): Promise<MetaStore>;
  /** Called when the test is over and its clients are closed. */
  dispose(): Promise<void>;
}

/** One kind of store. */
export interface MetaUnderTest {
  readonly name: string;
  keyspace(): Promise<Keyspace>;
}

/** Connects `count` clients to a new keyspace; all is closed when the test ends. */
export async function connectAll(under: MetaUnderTest, count: number): Promise<MetaStore[]> {
  const keyspace = await under.keyspace();
  onTestFinished(() => keyspace.dispose());
  const stores: MetaStore[] = [];
  for (let at = 0; at < count; at++) {
    const store = await keyspace.connect();
    onTestFinished(() => store.close());
    stores.push(store);
  }
  return stores;
}

/** One client of a new keyspace. */
export async function connect(under: MetaUnderTest): Promise<MetaStore> {
  const [store] = await connectAll(under, 1);
  if (store === undefined) throw new Error("no store was connected");
  return store;
}

/** Two clients of one new keyspace. */
export async function connectTwo(under: MetaUnderTest): Promise<[MetaStore, MetaStore]> {
  const [one, other] = await connectAll(under, 2);
  if (one === undefined || other === undefined) throw new Error("no stores were connected");
  return [one, other];
}

/** The bytes of a text. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The value as text; undefined for no entry. */
export function textOf(entry: MetaEntry | undefined): string | undefined {
  return entry && new TextDecoder().decode(entry.value);
}

/** The keys of entries, in their order. */
export function keysOf(found: readonly MetaEntry[]): string[] {
  return found.map(({ key }) => key);
}

/** The value under `key` as text. */
export async function read(store: MetaStore, key: string): Promise<string | undefined> {
  return textOf(await store.get(key));
}
