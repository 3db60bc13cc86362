/** The conformance suite over the real disk and the thread of the log; the fast tier has it in memory, and on the disk written inline. */
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { NodeVfs } from "../../base/node-vfs.js";
import { newDirectory } from "../../../test/segment/disk-directories.js";
import { engineConformance } from "../conformance/index.js";
import { openSegmentEngine } from "./segment-engine.js";
import { startLogThread, ThreadedLogWriter } from "./threaded-log-writer.js";

const quiet = { prefill: "auto", metrics: noMetrics, logger: silentLogger } as const;

engineConformance({
  name: "segment, on the disk, written by a thread",
  persists: true,
  open: (options) =>
    openSegmentEngine({ ...options, ...quiet, vfs: new NodeVfs() }, (_vfs, dir) => new ThreadedLogWriter(startLogThread(dir))),
  dir: newDirectory,
  histories: 20,
});
