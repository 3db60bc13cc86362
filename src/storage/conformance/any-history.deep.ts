/** The random chapter alone, for minutes: thousands of histories of the segment engine, on a disk in memory. */
import { describe } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { openSegmentEngine } from "../segment/segment-engine.js";
import { anyHistory } from "./any-history.js";

const disk = new MemoryVfs();
let made = 0;

describe("engine conformance: segment, in memory", () => {
  anyHistory({
    name: "segment, in memory",
    persists: true,
    open: (options) => openSegmentEngine({ ...options, prefill: "auto", vfs: disk, metrics: noMetrics, logger: silentLogger }),
    dir: () => `/store-${++made}`,
    histories: 3_000,
  });
});
