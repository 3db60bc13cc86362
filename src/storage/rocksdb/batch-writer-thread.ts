/** The entry of the database's own thread: opens what its owner has open, and never closes it. */
import { parentPort, workerData } from "node:worker_threads";
import { BlockingVfs } from "../../base/blocking-vfs.js";
import { isThreadData, serveBatchWriter } from "./batch-writer-protocol.js";
import { loadPeer } from "./peer.js";
import { encodeSyncedMark } from "./synced-mark.js";

if (parentPort === null || !isThreadData(workerData)) throw new Error("this file is the entry of a worker thread");
const { RocksLevel } = await loadPeer("engine");
const database = new RocksLevel(workerData.handle, {});
await database.open({ createIfMissing: false });
let file: Awaited<ReturnType<BlockingVfs["open"]>> | undefined = await new BlockingVfs().open(workerData.mark, "write");
serveBatchWriter(parentPort, database, async (sequence) => {
  try {
    await file?.write([encodeSyncedMark({ sequence, manifest: 0n, manifestBytes: 0n })], 0);
  } catch {
    // The group is durable all the same; the mark stays behind, which claims less.
    file = undefined;
  }
});
