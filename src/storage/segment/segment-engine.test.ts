import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { NodeVfs } from "../../base/node-vfs.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { engineConformance } from "../conformance/index.js";
import { InlineLogWriter } from "./log-writer.js";
import { openSegmentEngine } from "./segment-engine.js";
import { startLogThread, ThreadedLogWriter } from "./threaded-log-writer.js";

const quiet = { prefill: "auto", metrics: noMetrics, logger: silentLogger } as const;

const memory = new MemoryVfs();
let made = 0;

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true });
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/tidemark-conformance-`);
  directories.push(directory);
  return directory;
}

// A thread runs JavaScript, so it is started from what was built.
const threadEntry = new URL("../../../dist/storage/segment/log-writer-thread.js", import.meta.url);

engineConformance({
  name: "segment, in memory",
  persists: true,
  open: (options) => openSegmentEngine({ ...options, ...quiet, vfs: memory }),
  dir: () => `/store-${++made}`,
});

engineConformance({
  name: "segment, on the disk, written inline",
  persists: true,
  open: (options) => openSegmentEngine({ ...options, ...quiet, vfs: new NodeVfs() }, (vfs, dir) => new InlineLogWriter(vfs, dir)),
  dir: newDirectory,
  histories: 20,
});

engineConformance({
  name: "segment, on the disk, written by a thread",
  persists: true,
  open: (options) =>
    openSegmentEngine({ ...options, ...quiet, vfs: new NodeVfs() }, (_vfs, dir) => new ThreadedLogWriter(startLogThread(dir, threadEntry))),
  dir: newDirectory,
  histories: 20,
});
