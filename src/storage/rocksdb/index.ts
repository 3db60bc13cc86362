/** The RocksDB engine; it needs the optional peer. What else is here is for whoever measures what the peer does alone. */
export { databaseOptions } from "./database-options.js";
export { MessageKey } from "./group-layout.js";
export { loadPeer, type PeerBatch, type PeerDatabase } from "./peer.js";
export { openRocksDbEngine } from "./rocksdb-engine.js";
