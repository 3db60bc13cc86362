/**
 * What every door of the package has.
 */
export type { Brand } from "./brand.js";
export type { Clock } from "./clock.js";
export type { Abortable, Closable } from "./closable.js";
export { type AnyTidemarkError, type ErrorCode, type ErrorDetails, isTidemarkError, TidemarkError } from "./errors.js";
export { jsonReplacer } from "./json.js";
export type { Logger } from "./logger.js";
export type { Metrics } from "./metrics.js";
export { addMs, logicalOf, maxTick, physicalMs, type TimeTick, timeTick, timeTickFrom } from "./time-tick.js";
