import { jsonReplacer } from "../base/json.js";

/** One line of JSON; 64-bit numbers become decimal strings, which no JSON reader rounds. */
export function json(value: unknown): string {
  return JSON.stringify(value, jsonReplacer);
}
