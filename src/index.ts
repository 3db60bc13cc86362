/**
 * `tidemark`: every door in one.
 */
export type { Clock } from "./base/clock.js";
export type { Abortable, Closable } from "./base/closable.js";
export {
  type AnyTidemarkError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorOptions,
  errorCodes,
  isTidemarkError,
  TidemarkError,
} from "./base/errors.js";
export type { Logger } from "./base/logger.js";
export type { Metrics } from "./base/metrics.js";
export * from "./message/index.js";
export * from "./meta/index.js";
export * from "./rocksmq/index.js";
export * from "./stream/index.js";
export * from "./testing/index.js";
