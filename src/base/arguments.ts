/**
 * The checks at the edge: what a caller hands in is looked at before anything happens, and refused with its name and value.
 */
import { TidemarkError } from "./errors.js";

/** All names of some options; the compiler misses none. */
export type KnownOptions<K extends string> = Readonly<Record<K, true>>;

/** A value of the wrong kind or out of its range: what was expected, and what came. */
export function invalid(argument: string, expected: string, got: unknown): TidemarkError<"invalid-argument"> {
  return new TidemarkError("invalid-argument", `${argument} must be ${expected}, got ${shown(got)}`, { argument });
}

/**
 * Options are an object, and none that nobody knows: a misspelled one would be ignored without a word. What is undefined counts as left out.
 *
 * @param argument names the object in an error
 */
export function checkOptions<K extends string>(
  options: { readonly [key in K]?: unknown },
  known: KnownOptions<K>,
  argument = "options",
): void {
  checkKeys(options, known, argument, "");
}

/** The same of an option that has parts: an error names a part by both, "retention.age". */
export function checkParts<K extends string>(option: { readonly [key in K]?: unknown }, known: KnownOptions<K>, argument: string): void {
  checkKeys(option, known, argument, `${argument}.`);
}

function checkKeys(options: object, known: object, argument: string, prefix: string): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) throw invalid(argument, "an object", options);
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, key)) continue;
    const name = prefix + key;
    const text = `${name} is not an option here, got ${shown(value)}; what there is: ${Object.keys(known).join(", ")}`;
    throw new TidemarkError("invalid-argument", text, { argument: name });
  }
}

/** A whole number within [least, most]. */
export function checkWhole(argument: string, value: unknown, least: number, most: number): asserts value is number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw invalid(argument, `a whole number from ${least} to ${most}`, value);
}

/** One of a few words. */
export function checkWord(argument: string, value: unknown, words: readonly string[]): void {
  if (typeof value === "string" && words.includes(value)) return;
  throw invalid(argument, `one of ${words.map((word) => JSON.stringify(word)).join(", ")}`, value);
}

/** True, false or left out. */
export function checkFlag(argument: string, value: unknown): asserts value is boolean | undefined {
  if (value !== undefined && typeof value !== "boolean") throw invalid(argument, "true or false", value);
}

/** Bytes. */
export function checkBytes(argument: string, value: unknown): asserts value is Uint8Array {
  if (!(value instanceof Uint8Array)) throw invalid(argument, "a Uint8Array", value);
}

/** An AbortSignal or left out. */
export function checkSignal(value: unknown): asserts value is AbortSignal | undefined {
  if (value !== undefined && !(value instanceof AbortSignal)) throw invalid("signal", "an AbortSignal", value);
}

/** An object that can do all of this. */
export function checkMethods(argument: string, value: unknown, names: readonly string[]): void {
  const missing = names.find((name) => typeof value !== "object" || value === null || typeof Reflect.get(value, name) !== "function");
  if (missing !== undefined) throw invalid(argument, `an object with a method ${missing}`, value);
}

/** A value as a message may show it: never long, never a text without its quotes. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length <= 60 ? value : `${value.slice(0, 60)}…`);
  if (typeof value === "bigint") return `${value}n`;
  if (value === null || typeof value !== "object") return typeof value === "function" ? "a function" : String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return value instanceof Uint8Array ? `${value.byteLength} bytes` : "an object";
}
