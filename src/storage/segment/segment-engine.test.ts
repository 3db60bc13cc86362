import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { NodeVfs } from "../../base/node-vfs.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { engineConformance } from "../conformance/index.js";
import { openSegmentEngine } from "./segment-engine.js";

const quiet = { metrics: noMetrics, logger: silentLogger };

const memory = new MemoryVfs();
let made = 0;

engineConformance({
  name: "segment, in memory",
  persists: true,
  open: (options) => openSegmentEngine({ ...options, ...quiet, vfs: memory }),
  dir: () => `/store-${++made}`,
});

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true });
});

engineConformance({
  name: "segment, on the disk",
  persists: true,
  open: (options) => openSegmentEngine({ ...options, ...quiet, vfs: new NodeVfs() }),
  dir: async () => {
    const directory = await mkdtemp(`${tmpdir()}/tidemark-conformance-`);
    directories.push(directory);
    return directory;
  },
  histories: 20,
});
