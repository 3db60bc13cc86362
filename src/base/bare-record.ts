/**
 * A record of texts without a prototype, so that no key is found that is not there and `__proto__` is a key like any other.
 *
 * What `Object.create(null)` makes is a dictionary: it takes four times as long to read.
 */
export function bareRecord(): Record<string, string> {
  const record: Record<string, string> = {};
  Object.setPrototypeOf(record, null);
  return record;
}

/** One for all who have no text. */
export const emptyRecord: Readonly<Record<string, string>> = Object.freeze(bareRecord());

/** A bare record of an object's own texts; the shared one where there are none. */
export function bareCopy(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const keys = Object.keys(texts);
  if (keys.length === 0) return emptyRecord;
  const copy = bareRecord();
  for (const key of keys) copy[key] = texts[key] ?? "";
  return copy;
}
