/**
 * What an oracle and an allocator are opened with.
 */
import { checkMethods, checkOptions, type KnownOptions } from "../../base/arguments.js";
import { type Clock, systemClock } from "../../base/clock.js";
import { checkKey } from "../meta-input.js";
import type { MetaStore } from "../meta-store.js";

/** Where the place is kept, and what time it is. */
export interface SourceOptions {
  meta: MetaStore;
  /** One at a time may have it open. Default: "tso/timestamp" for an oracle, "gid/idTimestamp" for an allocator. */
  key?: string | undefined;
  /** Default: the system's. */
  clock?: Clock | undefined;
}

const known: KnownOptions<keyof SourceOptions> = { meta: true, key: true, clock: true };

/** @throws `invalid-argument` naming the option */
export function checkSourceOptions(
  options: SourceOptions,
  defaultKey: string,
): Required<{ [K in keyof SourceOptions]: NonNullable<SourceOptions[K]> }> {
  checkOptions(options, known);
  const { meta, key = defaultKey, clock = systemClock } = options;
  checkMethods("meta", meta, ["get", "txn"]);
  checkKey(key);
  checkMethods("clock", clock, ["nowMs", "monotonicMs", "setTimer"]);
  return { meta, key, clock };
}
