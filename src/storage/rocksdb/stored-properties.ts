/**
 * The row beside a payload: `{"time":1700000000000,"properties":{"k":"v"}}`, as JSON, so that any tool can read it.
 * The row of a batch's last message ends in a line feed, which JSON ignores: so the batches are still known that were appended as one.
 */
import { assert } from "../../base/assert.js";
import { bareCopy, emptyRecord } from "../../base/bare-record.js";

/** A message's time and properties. */
export interface StoredProperties {
  readonly timeMs: number;
  /** Null-prototype, and frozen: messages whose rows are the same share it. */
  readonly properties: Readonly<Record<string, string>>;
}

/** What the row of a batch's last message has at its end. */
export const batchEnd = "\n";

/** The text of the row. */
export function encodeProperties(timeMs: number, properties: Readonly<Record<string, string>> | undefined): string {
  // Out of its own entries only, whatever the object inherits.
  const own = Object.entries(properties ?? {}).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{"time":${timeMs},"properties":{${own.join(",")}}}`;
}

/** Reads rows one after the other; the same text as before, as in a batch of messages without properties, is read once. */
export class PropertiesReader {
  #text = "";
  #read: StoredProperties = { timeMs: 0, properties: emptyRecord };

  /** @throws when it is no such row */
  read(text: string): StoredProperties {
    if (text !== this.#text) {
      this.#read = decodeProperties(text);
      this.#text = text;
    }
    return this.#read;
  }
}

function decodeProperties(text: string): StoredProperties {
  const row: unknown = JSON.parse(text);
  assert(isRow(row), `a row of properties holds a time and texts, got ${text.slice(0, 60)}`);
  return { timeMs: row.time, properties: Object.freeze(bareCopy(row.properties)) };
}

function isRow(row: unknown): row is { readonly time: number; readonly properties: Readonly<Record<string, string>> } {
  if (typeof row !== "object" || row === null || !("time" in row) || !("properties" in row)) return false;
  const { time, properties } = row;
  if (typeof time !== "number" || typeof properties !== "object" || properties === null) return false;
  return Object.values(properties).every((value) => typeof value === "string");
}
