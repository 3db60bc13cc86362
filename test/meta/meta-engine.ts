/** A metadata store over the segment engine on a disk in memory. */
import { silentLogger } from "../../src/base/logger.js";
import { noMetrics } from "../../src/base/metrics.js";
import { type Engine, openSegmentEngine } from "../../src/storage/index.js";
import type { ManualClock, MemoryVfs } from "../../src/testing/index.js";

/** Opens the engine in `/meta`. */
export function openMetaEngine(vfs: MemoryVfs, clock: ManualClock): Promise<Engine> {
  const how = { ids: "internal", durability: "sync", segmentBytes: 64 * 1024, prefill: "off" } as const;
  return openSegmentEngine({ dir: "/meta", ...how, clock, vfs, metrics: noMetrics, logger: silentLogger });
}
