import { TidemarkError } from "./errors.js";

/**
 * States an invariant. A broken one is a fault of ours: it stops the log it is found in, not the process.
 *
 * @param message what should hold, with the numbers: "segment 7 ends at 4096, its index says 4090"
 * @throws `unrecoverable`
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw broken(message);
}

/** The error of an invariant that does not hold, for places that can't state it as a condition: `throw broken("…")`. */
export function broken(message: string): TidemarkError<"unrecoverable"> {
  return new TidemarkError("unrecoverable", `broken invariant: ${message}; this is a bug in Tidemark, please report it`, {});
}
