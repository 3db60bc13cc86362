import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";
import { silentLogger } from "../../src/base/logger.js";
import { noMetrics } from "../../src/base/metrics.js";
import { NodeVfs } from "../../src/base/node-vfs.js";
import { engineConformance } from "../../src/storage/conformance/index.js";
import { openRocksDbEngine } from "../../src/storage/rocksdb/rocksdb-engine.js";

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true });
});

engineConformance({
  name: "rocksdb",
  persists: true,
  open: (options) => openRocksDbEngine({ ...options, prefill: "off", vfs: new NodeVfs(), metrics: noMetrics, logger: silentLogger }),
  dir: async () => {
    const directory = await mkdtemp(`${tmpdir()}/tidemark-rocksdb-`);
    directories.push(directory);
    return directory;
  },
  leastId: 10n ** 17n,
  greatestId: 10n ** 18n - 2n,
  histories: 20,
});
