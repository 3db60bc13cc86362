/**
 * `tidemark/testing`: what tests of Tidemark, and of programs that use it, need: a clock that stands still, and a disk that loses power.
 */
export * from "../base/every-door.js";
export { vfs, type Vfs, type VfsFile, type VfsLock } from "../base/vfs.js";
export type { Fault, FaultOperation, Operation, PlannedFault } from "./fault-plan.js";
export { ManualClock } from "./manual-clock.js";
export { MemoryVfs } from "./memory-vfs.js";
export type { SurvivalPolicy } from "./survival.js";
