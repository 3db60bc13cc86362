/** The machine of a run, so that nobody compares figures of two of them, or trusts those of a busy one. */
import { statfs } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";

/** Where it ran. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly cpu: string;
  readonly folder: string;
  /** What is written there never sees a disk: figures about syncs mean nothing. */
  readonly inMemory: boolean;
  /** Runnable processes over the last minute, before and after. Above the number of cores it had no time for us. */
  readonly loadBefore: number;
  readonly loadAfter: number;
}

/** File systems that live in memory, by statfs's magic numbers. */
const memoryFileSystems = new Set([0x0102_1994, 0x8584_58f6]);

/** The machine before a run in `folder`. */
export async function describeMachine(folder: string): Promise<Omit<Machine, "loadAfter">> {
  const { type } = await statfs(folder);
  return {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? "",
    folder,
    inMemory: memoryFileSystems.has(type),
    loadBefore: load(),
  };
}

/** See `Machine.loadBefore`. */
export function load(): number {
  return loadavg()[0] ?? NaN;
}
