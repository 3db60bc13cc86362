/**
 * Metadata and ids: the ports, and the store that lives in an engine.
 */
export { EngineMetaStore } from "./embedded/engine-meta-store.js";
export type { IdAllocator } from "./id-allocator.js";
export type { MetaCompare, MetaEntry, MetaOp, MetaRange, MetaRangeOptions, MetaStore, MetaTxn, MetaTxnResult } from "./meta-store.js";
