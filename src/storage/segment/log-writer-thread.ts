/** The entry of the log's own thread. */
import { parentPort, workerData } from "node:worker_threads";
import { BlockingVfs } from "../../base/blocking-vfs.js";
import { InlineLogWriter } from "./log-writer.js";
import { serveLogWriter } from "./log-writer-protocol.js";

if (parentPort === null) throw new Error("this file is the entry of a worker thread");
serveLogWriter(parentPort, new InlineLogWriter(new BlockingVfs(), String(workerData)));
