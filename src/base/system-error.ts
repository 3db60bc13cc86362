/** Errors as the operating system gives them: their `code` says what happened. */

/** The system's code of an error, "ENOSPC" and the like; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** An error of the system's kind, for what it has no word for itself. */
export function systemError(code: string, text: string): Error {
  return Object.assign(new Error(`${code}: ${text}`), { code });
}
