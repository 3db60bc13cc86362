/** The entry of the database's own thread: opens what its owner has open, and never closes it. */
import { parentPort, workerData } from "node:worker_threads";
import { serveBatchWriter } from "./batch-writer-protocol.js";
import { loadPeer } from "./peer.js";

if (parentPort === null || typeof workerData !== "bigint") throw new Error("this file is the entry of a worker thread");
const { RocksLevel } = await loadPeer("engine");
const database = new RocksLevel(workerData, {});
await database.open({ createIfMissing: false });
serveBatchWriter(parentPort, database);
