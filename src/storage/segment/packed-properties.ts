/**
 * A message's properties as they stand in a batch's body:
 *
 *     (varint length · key · varint length · value)*
 */
import { emptyRecord } from "../../base/bare-record.js";
import { utf8Bytes, writeUtf8 } from "../../base/utf8.js";
import { varintBytes, writeVarint } from "./varint.js";

/** Keys and values of a message. */
export type Properties = Readonly<Record<string, string>>;

/** What a message without properties has. */
export const noProperties: Properties = emptyRecord;

/** What they take. */
export function propertiesBytes(properties: Properties): number {
  let bytes = 0;
  for (const key of Object.keys(properties)) bytes += textBytes(key) + textBytes(properties[key] ?? "");
  return bytes;
}

/** Writes them at `at` and returns where they end. */
export function writeProperties(into: Buffer, at: number, properties: Properties): number {
  let end = at;
  for (const key of Object.keys(properties)) {
    end = writeText(into, end, key);
    end = writeText(into, end, properties[key] ?? "");
  }
  return end;
}

function textBytes(text: string): number {
  const bytes = utf8Bytes(text);
  return varintBytes(bytes) + bytes;
}

function writeText(into: Buffer, at: number, text: string): number {
  const bytes = utf8Bytes(text);
  return writeUtf8(into, writeVarint(into, at, bytes), text, bytes);
}
