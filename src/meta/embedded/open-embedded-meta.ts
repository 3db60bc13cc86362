import { checkMethods, checkOptions, invalid, type KnownOptions } from "../../base/arguments.js";
import { type Clock, systemClock } from "../../base/clock.js";
import { guardClock } from "../../base/guarded-hooks.js";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { NodeVfs } from "../../base/node-vfs.js";
import { openSegmentEngine } from "../../storage/index.js";
import type { MetaStore } from "../meta-store.js";
import { EngineMetaStore } from "./engine-meta-store.js";

/** Where metadata is kept. */
export interface EmbeddedMetaOptions {
  /** The directory it owns; made if it is not there. Not that of a queue: a queue keeps its metadata itself. */
  dir: string;
  /** Default: the system's. */
  clock?: Clock | undefined;
}

const known: KnownOptions<keyof EmbeddedMetaOptions> = { dir: true, clock: true };
/** Metadata is small; so are the files that a dead part of the log is freed in. */
const segmentBytes = 4 * 1024 * 1024;

/**
 * Opens the metadata store in a directory, makes it if there is none, and recovers it after an unclean stop. It owes a `close()`. Writes
 * resolve after fdatasync; revisions count up from 1. One process at a time.
 *
 * @throws `invalid-argument`, also for a directory that holds a queue, a RocksDB database or other people's files; `locked` while another process has it open;
 * `corrupt`; `unsupported-format`; `disk-full`; `io-failed`
 *
 * @example
 * ```ts
 * const meta = await openEmbeddedMeta({ dir: "./tidemark-data/meta" });
 * const revision = await meta.put("settings/colour", new TextEncoder().encode("blue"));
 * await meta.txn({
 *   if: [{ key: "settings/colour", modRevision: revision }],
 *   then: [{ op: "delete", key: "settings/colour" }],
 * });
 * ```
 */
export async function openEmbeddedMeta(options: EmbeddedMetaOptions): Promise<MetaStore> {
  checkOptions(options, known);
  const { dir, clock = systemClock } = options;
  if (typeof dir !== "string" || dir === "" || dir.includes("\0")) throw invalid("dir", "the path of a directory", dir);
  checkMethods("clock", clock, ["nowMs", "monotonicMs", "setTimer"]);
  const engine = await openSegmentEngine({
    dir,
    keeps: "meta",
    ids: "internal",
    durability: "sync",
    segmentBytes,
    prefill: "off",
    clock: guardClock(clock),
    vfs: new NodeVfs(),
    metrics: noMetrics,
    logger: silentLogger,
  });
  return new EngineMetaStore(engine, () => engine.close());
}
