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
    const rule = brokenRule(key, value, reserved);
    if (rule !== undefined) throw invalid(`properties[${JSON.stringify(key)}]`, rule, value);
  }
}

function brokenRule(key: string, value: unknown, reserved: ReadonlySet<string>): string | undefined {
  if (key.startsWith("_") || reserved.has(key)) return 'left out: the key is reserved, as all that begin with "_" are';
  if (!isWellFormed(key)) return "a key in well-formed Unicode (it has a lone surrogate)";
  return typeof value === "string" && isWellFormed(value) ? undefined : "a text in well-formed Unicode (without lone surrogates)";
}

/** An object of these entries. A key may have any name, also `__proto__`. */
export function propertiesFrom(entries: Iterable<readonly [string, string]>): Properties {
  return Object.fromEntries(entries);
}
