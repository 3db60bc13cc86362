/**
 * `tidemark/testing`: what tests of Tidemark, and of programs that use it, need: a clock that stands still, and a disk that loses power.
 */
export { type AnyTidemarkError, type ErrorCode, type ErrorDetails, isTidemarkError, TidemarkError } from "../base/errors.js";
export type { Abortable, Closable } from "../base/closable.js";
export type { Brand } from "../base/brand.js";
export type { Clock } from "../base/clock.js";
export { jsonReplacer } from "../base/json.js";
export type { Logger } from "../base/logger.js";
export type { Metrics } from "../base/metrics.js";
export { vfs, type Vfs, type VfsFile, type VfsLock } from "../base/vfs.js";
export type { Fault, FaultOperation, Operation, PlannedFault } from "./fault-plan.js";
export { ManualClock } from "./manual-clock.js";
export { MemoryVfs } from "./memory-vfs.js";
export type { SurvivalPolicy } from "./survival.js";
