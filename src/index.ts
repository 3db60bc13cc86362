/**
 * `tidemark`: every door in one.
 */
export { type ErrorOptions, errorCodes } from "./base/errors.js";
export * from "./message/index.js";
export * from "./meta/index.js";
export * from "./rocksmq/index.js";
export * from "./stream/index.js";
export * from "./testing/index.js";
