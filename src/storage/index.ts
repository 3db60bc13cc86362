/**
 * Bytes on a disk; knows nothing of queues.
 */
export type * from "./engine.js";
export type { EngineOptions } from "./engine-options.js";
export { openMemoryEngine } from "./memory/memory-engine.js";
export * from "./segment/index.js";
export * from "./rocksdb/index.js";
export * from "./milvus/index.js";
