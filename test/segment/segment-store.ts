/**
 * A segment store on a disk in memory, as the tests of its parts use it: opened in one line, and its files and the disk's operations in
 * words that a test can compare.
 */
import { silentLogger } from "../../src/base/logger.js";
import { noMetrics } from "../../src/base/metrics.js";
import { TestStore } from "../../src/storage/conformance/test-store.js";
import type { EngineOptions } from "../../src/storage/engine-options.js";
import { openSegmentEngine } from "../../src/storage/segment/segment-engine.js";
import { decodeCheckpoint, type Checkpoint } from "../../src/storage/segment/checkpoint.js";
import { segmentSeed } from "../../src/storage/segment/frame.js";
import { GroupScan, type ScannedGroup } from "../../src/storage/segment/group-scan.js";
import { ManualClock, MemoryVfs, type Operation } from "../../src/testing/index.js";

/** Where the store is. */
export const dir = "/store";

/** What a test opens a store with when it wants something else than usual. */
export type OpenOptions = Partial<Pick<EngineOptions, "ids" | "durability" | "segmentBytes" | "prefill" | "logger">> & {
  readonly clock?: ManualClock | undefined;
};

/** Opens the store on this disk, or makes one. The test closes it, kills its disk, or leaves it. */
export async function openOn(disk: MemoryVfs, options: OpenOptions = {}): Promise<TestStore> {
  const clock = options.clock ?? new ManualClock();
  const chosen = {
    ids: "internal",
    durability: "sync",
    segmentBytes: 64 * 1024,
    prefill: "off",
    logger: silentLogger,
    ...options,
    dir,
    clock,
  } as const;
  const open = (): ReturnType<typeof openSegmentEngine> => openSegmentEngine({ ...chosen, metrics: noMetrics, vfs: disk });
  return new TestStore({ name: "segment", persists: true, open, dir: () => dir }, chosen, clock, await open());
}

/** Lets time pass, and what its timers set off come to an end. */
export async function pass(store: TestStore, ms: number): Promise<void> {
  await store.clock.advance(ms);
  for (let turns = 0; turns < 3; turns++) await store.write(() => undefined);
}

/** A text of so many bytes. */
export function textOfBytes(bytes: number, letter = "x"): string {
  return letter.repeat(bytes);
}

/** The path of a file of the store. */
export function pathOf(name: string): string {
  return `${dir}/${name}`;
}

/** Names of the store's files, sorted. */
export function filesOf(disk: MemoryVfs): string[] {
  return [...disk.snapshot().keys()].map((path) => path.slice(dir.length + 1));
}

/** A file's bytes as a `Buffer`. */
export function bytesOf(disk: MemoryVfs, name: string): Buffer {
  return Buffer.from(disk.fileBytes(pathOf(name)));
}

/** Turns one bit of a file over. */
export function flipBit(disk: MemoryVfs, name: string, offset: number, bit = 0): void {
  const bytes = bytesOf(disk, name);
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
  disk.setFileBytes(pathOf(name), bytes);
}

/** The checkpoint that is there. */
export function checkpointOf(disk: MemoryVfs): Checkpoint {
  return decodeCheckpoint(pathOf("checkpoint"), bytesOf(disk, "checkpoint"));
}

/** The whole groups that a segment begins with. */
export function groupsOf(disk: MemoryVfs, segment: number): ScannedGroup[] {
  const buffer = bytesOf(disk, segmentFile(segment));
  const scan = new GroupScan({ buffer, base: 0, segment, seed: segmentSeed(checkpointOf(disk).storeId, segment) });
  const groups: ScannedGroup[] = [];
  for (let group = scan.next(); group !== undefined; group = scan.next()) groups.push(group);
  return groups;
}

/** The name of a segment's file. */
export function segmentFile(segment: number): string {
  return `${String(segment).padStart(10, "0")}.seg`;
}

/** The name of a segment's index file. */
export function indexFile(segment: number): string {
  return `${String(segment).padStart(10, "0")}.idx`;
}

/**
 * Writes down what happens to the disk from now on, an operation a line: `write 0000000001.seg 128@0`, `sync checkpoint.tmp`,
 * `rename checkpoint.tmp checkpoint`, `syncDir .`. Reads and listings are left out unless they are asked for, and the mark always: it is
 * written beside everything else.
 */
export function journalOf(disk: MemoryVfs, o: { readonly reads?: boolean } = {}): string[] {
  const lines: string[] = [];
  disk.observe((operation) => {
    if (operation.path !== pathOf("mark") && (o.reads === true || changesTheDisk(operation))) lines.push(lineOf(operation));
  });
  return lines;
}

function changesTheDisk({ op, detail }: Operation): boolean {
  return op !== "read" && op !== "list" && op !== "makeDirectory" && (op !== "open" || detail === "create");
}

function lineOf({ op, path, detail }: Operation): string {
  return `${op} ${short(path)} ${detail.startsWith("/") ? short(detail) : detail}`.trimEnd();
}

function short(path: string): string {
  return path === dir ? "." : path.slice(dir.length + 1);
}

/**
 * A killed store whose checkpoint is at the start of segment 1, with as many full segments behind: no later checkpoint found room. Each
 * segment holds one message of channel "a".
 */
export async function longChain(segments: number): Promise<MemoryVfs> {
  const disk = new MemoryVfs();
  const store = await openOn(disk, { segmentBytes: 4096 });
  await store.create("a");
  for (let segment = 1; segment <= segments; segment++) {
    const planned = segment === 1 ? undefined : disk.failNext({ op: "open", path: /checkpoint\.tmp$/, code: "ENOSPC" });
    await store.append("a", textOfBytes(3000));
    if (planned?.fired() === false) throw new Error(`segment ${segment} was made without a checkpoint`);
  }
  // The mark says where this ends.
  await pass(store, 100);
  return disk.kill();
}
