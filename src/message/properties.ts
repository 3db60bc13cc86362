/**
 * String properties: what a caller may give, and what is kept for ourselves.
 */
import { invalid } from "../base/arguments.js";
import type { TidemarkError } from "../base/errors.js";
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

/** @throws `invalid-argument` naming the key unless it is an object of texts, whatever their keys */
export function checkTexts(argument: string, properties: unknown): asserts properties is Properties {
  if (areTexts(properties)) return;
  if (typeof properties !== "object" || properties === null) throw invalid(argument, "an object of strings", properties);
  for (const [key, value] of Object.entries(properties)) if (typeof value !== "string") throw noText(argument, key, value);
}

/** Whether it is an object of texts. */
export function areTexts(properties: unknown): properties is Properties {
  if (typeof properties !== "object" || properties === null) return false;
  const table = properties as Readonly<Record<string, unknown>>;
  // A loop over keys alone: it is made for every record that is read.
  for (const key in table) if (typeof table[key] !== "string") return false;
  return true;
}

/** A property that is no text. */
export function noText(argument: string, key: string, value: unknown): TidemarkError<"invalid-argument"> {
  return invalid(`${argument}[${JSON.stringify(key)}]`, "a text", value);
}

/** An object of these entries. A key may have any name, also `__proto__`. */
export function propertiesFrom(entries: Iterable<readonly [string, string]>): Properties {
  return Object.fromEntries(entries);
}
