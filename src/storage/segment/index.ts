export { folderOfTools, foreignName, holdsRocksDb, holdsRocksDbQueue, holdsStore } from "./file-names.js";
export { inspectSegmentStore, type InspectOptions } from "./inspect.js";
export { openReadOnlySegmentEngine } from "./read-only-engine.js";
export { salvageSegmentStore, type SalvageOptions, type SalvageReport, type SalvagedChannelReport } from "./salvage.js";
export type { AroundHole, Hole } from "./salvage-holes.js";
export { openSegmentEngine } from "./segment-engine.js";
export type { BadPlace } from "./segment-verify.js";
export type { InspectedBatch, InspectedChannel, InspectedSegment, StoreReport } from "./store-report.js";
