/**
 * What a group is turned into when it is stored: copies, since the bytes are the caller's again afterwards.
 */
import { invalid } from "../../base/arguments.js";
import { isWellFormed } from "../../base/well-formed.js";
import type { Properties, WireMessage } from "../../message/index.js";

const noProperties: Properties = Object.freeze(Object.create(null) as Record<string, string>);

/** Copies of the records, all payloads in one piece of memory. @throws `invalid-argument` naming the place, as `records[3].payload` */
export function copyRecords(records: readonly WireMessage[]): readonly WireMessage[] {
  checkRecords(records);
  const bytes = Buffer.allocUnsafeSlow(records.reduce((sum, { payload }) => sum + payload.byteLength, 0));
  let at = 0;
  return records.map(({ payload, properties }) => {
    bytes.set(payload, at);
    const copy = new Uint8Array(bytes.buffer, at, payload.byteLength);
    at += payload.byteLength;
    return { payload: copy, properties: copyProperties(properties) };
  });
}

function checkRecords(records: unknown): void {
  if (!Array.isArray(records)) throw invalid("records", "an array", records);
  const given: readonly unknown[] = records;
  given.forEach(checkRecord);
}

function checkRecord(record: unknown, at: number): void {
  if (!isRecordLike(record)) throw invalid(`records[${at}]`, "an object with payload and properties", record);
  const { payload, properties } = record;
  if (!(payload instanceof Uint8Array)) throw invalid(`records[${at}].payload`, "a Uint8Array", payload);
  if (typeof properties !== "object" || properties === null) throw invalid(`records[${at}].properties`, "an object of texts", properties);
  for (const [key, value] of Object.entries<unknown>({ ...properties })) {
    const fits = typeof value === "string" && isWellFormed(key) && isWellFormed(value);
    if (!fits) throw invalid(`records[${at}].properties[${JSON.stringify(key)}]`, "a text in well-formed Unicode", value);
  }
}

function isRecordLike(record: unknown): record is { readonly [K in keyof WireMessage]: unknown } {
  return typeof record === "object" && record !== null;
}

/** Without a prototype, so that no key is found that is not there; frozen, since every reader is given it. */
function copyProperties(properties: Properties): Properties {
  const keys = Object.keys(properties);
  if (keys.length === 0) return noProperties;
  const copy = Object.create(null) as Record<string, string>;
  for (const key of keys) copy[key] = properties[key] ?? "";
  return Object.freeze(copy);
}
