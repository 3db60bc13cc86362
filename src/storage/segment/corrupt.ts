import { TidemarkError } from "../../base/errors.js";

/** Damage, with its place. */
export function corrupt(file: string, offset: number, what: string, cause?: unknown): TidemarkError<"corrupt"> {
  const advice = "The data before it is intact; nothing was changed.";
  return new TidemarkError("corrupt", `${file} is damaged at offset ${offset}: ${what}. ${advice}`, { file, offset }, { cause });
}
