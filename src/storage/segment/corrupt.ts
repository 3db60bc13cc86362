import { TidemarkError } from "../../base/errors.js";
import { isMissing, systemCode } from "./system-error.js";

/** Damage, with its place. */
export function corrupt(file: string, offset: number, what: string, cause?: unknown): TidemarkError<"corrupt"> {
  const advice = "The data before it is intact; nothing was changed.";
  return new TidemarkError("corrupt", `${file} is damaged at offset ${offset}: ${what}. ${advice}`, { file, offset }, { cause });
}

/** What it means that a file of the log could not be read: damage where it is gone or the disk can't, else the system's trouble of the moment. */
export function unreadable(file: string, offset: number, error: unknown): TidemarkError {
  if (isMissing(error)) return corrupt(file, 0, "the file is missing", error);
  if (systemCode(error) === "EIO") return corrupt(file, offset, "the disk can't read it", error);
  return new TidemarkError("io-failed", `${file} can't be read at offset ${offset}`, {}, { cause: error, effect: "none" });
}
