/** What the system's errors mean for a log. */
import { systemCode } from "../../base/system-error.js";

/** A failure after which the log can't go on, whatever its cause's code: a sync that failed may have lost what it can't name. */
export class FatalFailure extends Error {
  override readonly name = "FatalFailure";
}

/** Whether there was no room for a write: it may work later, and nothing else is wrong. */
export function isDiskFull(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

/** Whether there is no such file. */
export function isMissing(error: unknown): boolean {
  return systemCode(error) === "ENOENT";
}

/** Rejects with a `FatalFailure` where `step` fails, also where the disk is only full. */
export async function fatal<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new FatalFailure(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
