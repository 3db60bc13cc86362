/**
 * `tidemark`: every door in one.
 */
export { type ErrorCode, type ErrorDetails, type ErrorOptions, errorCodes, isTidemarkError, TidemarkError } from "./base/errors.js";
