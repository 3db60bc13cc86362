import { TidemarkError } from "../../base/errors.js";
import { systemCode } from "../../base/system-error.js";
import { isMissing } from "./system-error.js";

/** Damage, with its place. How much else is damaged nobody knows who has seen one place. */
export function corrupt(file: string, offset: number, what: string, cause?: unknown): TidemarkError<"corrupt"> {
  return new Damage(file, offset, what, cause);
}

/** What is wrong at the place of an error, for a list that has file and offset in columns of their own. */
export function whatIsWrong(error: TidemarkError<"corrupt">): string {
  return error instanceof Damage ? error.what : error.message;
}

class Damage extends TidemarkError<"corrupt"> {
  readonly what: string;

  constructor(file: string, offset: number, what: string, cause: unknown) {
    const advice = 'Nothing was changed; "tidemark inspect --verify" finds all that is damaged.';
    super("corrupt", `${file}, offset ${offset}: ${what}. ${advice}`, { file, offset }, { cause });
    this.what = what;
  }
}

/** What it means that a file of the log could not be read: damage where it is gone or the disk can't, else the system's trouble of the moment. */
export function unreadable(file: string, offset: number, error: unknown): TidemarkError {
  if (isMissing(error)) return corrupt(file, 0, "the file is missing", error);
  if (systemCode(error) === "EIO") return corrupt(file, offset, "the disk can't read it", error);
  return new TidemarkError("io-failed", `${file} can't be read at offset ${offset}`, {}, { cause: error, effect: "none" });
}
