export { holdsRocksDb, holdsStore, isStoreName } from "./file-names.js";
export { inspectSegmentStore } from "./inspect.js";
export type { InspectedBatch, InspectedChannel, InspectedSegment, InspectOptions, StoreReport } from "./inspect.js";
export { openReadOnlySegmentEngine } from "./read-only-engine.js";
export { openSegmentEngine } from "./segment-engine.js";
export type { BadPlace } from "./segment-verify.js";
