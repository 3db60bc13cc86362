/** One line of JSON; 64-bit numbers become decimal strings, which no JSON reader rounds. */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? String(part) : part));
}
