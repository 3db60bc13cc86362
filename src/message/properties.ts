/**
 * String properties: what a caller may give, and what is kept for ourselves.
 */
import { invalid } from "../base/arguments.js";
import { isWellFormed } from "../base/well-formed.js";

/** String properties of a message. */
export type Properties = Readonly<Record<string, string>>;

/**
 * @param reserved keys besides those that begin with "_", which are the log's own
 * @throws `invalid-argument` naming the key
 */
export function checkProperties(properties: unknown, reserved: ReadonlySet<string> = new Set()): asserts properties is Properties {
  if (typeof properties !== "object" || properties === null) throw invalid("properties", "an object of strings", properties);
  for (const [key, value] of Object.entries(properties)) {
    const place = `properties[${JSON.stringify(key)}]`;
    if (key.startsWith("_") || reserved.has(key))
      throw invalid(place, 'left out: the key is reserved, as all that begin with "_" are', value);
    if (!isWellFormed(key)) throw invalid(place, "a key in well-formed Unicode (it has a lone surrogate)", key);
    if (typeof value !== "string" || !isWellFormed(value))
      throw invalid(place, "a text in well-formed Unicode (without lone surrogates)", value);
  }
}

/** An object of these entries. A key may have any name, also `__proto__`. */
export function propertiesFrom(entries: Iterable<readonly [string, string]>): Properties {
  return Object.fromEntries(entries);
}
