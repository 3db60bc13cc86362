/** The conformance suite over the real disk and the log's own thread: that of the two hosts is in the fast tier where this thread writes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { NodeVfs } from "../../base/node-vfs.js";
import { engineConformance } from "../conformance/index.js";
import { openSegmentEngine } from "./segment-engine.js";
import { startLogThread, ThreadedLogWriter } from "./threaded-log-writer.js";

const quiet = { prefill: "auto", metrics: noMetrics, logger: silentLogger } as const;

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true });
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/tidemark-conformance-`);
  directories.push(directory);
  return directory;
}

engineConformance({
  name: "segment, on the disk, written by a thread",
  persists: true,
  open: (options) =>
    openSegmentEngine({ ...options, ...quiet, vfs: new NodeVfs() }, (_vfs, dir) => new ThreadedLogWriter(startLogThread(dir))),
  dir: newDirectory,
  histories: 20,
});
