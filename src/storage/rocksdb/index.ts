/** The RocksDB engine; it needs the optional peer. */
export { openRocksDbEngine } from "./rocksdb-engine.js";
