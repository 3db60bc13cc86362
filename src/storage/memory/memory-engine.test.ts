import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { engineConformance } from "../conformance/index.js";
import { openMemoryEngine } from "./memory-engine.js";

engineConformance({
  name: "memory",
  persists: false,
  open: (options) => openMemoryEngine({ ...options, prefill: "off", vfs: new MemoryVfs(), metrics: noMetrics, logger: silentLogger }),
  dir: () => "/nowhere",
  histories: 150,
});
