/**
 * What the suite needs of an engine to test it.
 */
import type { Engine } from "../engine.js";
import type { EngineOptions } from "../engine-options.js";

/** What the suite decides; disk, metrics and logger are the engine's test file's. */
export type SuiteOptions = Pick<EngineOptions, "dir" | "ids" | "durability" | "segmentBytes" | "clock">;

/** One engine, on one kind of disk. */
export interface EngineUnderTest {
  readonly name: string;
  /** Whether opening the directory of a closed engine finds what it held. */
  readonly persists: boolean;
  open(options: SuiteOptions): Promise<Engine>;
  /** A directory that nobody has used; it need not exist. Whoever makes it cleans up. */
  dir(): string | Promise<string>;
  /** The range of ids that it can hold. Default 1 and 2^63 - 1. */
  readonly leastId?: bigint | undefined;
  readonly greatestId?: bigint | undefined;
  /** How many histories the random chapter runs. Default 60. */
  readonly histories?: number | undefined;
}
