/**
 * What a group is turned into when it is stored: copies, since the bytes are the caller's again afterwards.
 */
import { invalid } from "../../base/arguments.js";
import { bareCopy } from "../../base/bare-record.js";
import { isWellFormed } from "../../base/well-formed.js";
import type { WireMessage } from "../../message/index.js";

/** Copies of the records. @throws `invalid-argument` naming the place, as `records[3].payload` */
export function copyRecords(records: readonly WireMessage[]): readonly WireMessage[] {
  checkRecords(records);
  return ownCopies(records);
}

/** The same, with nothing shared. All payloads are in one piece of memory: one for each would take longer than all else. */
export function ownCopies<R extends WireMessage>(records: readonly R[]): R[] {
  const bytes = Buffer.allocUnsafeSlow(records.reduce((sum, { payload }) => sum + payload.byteLength, 0));
  let at = 0;
  return records.map((record) => {
    bytes.set(record.payload, at);
    const payload = new Uint8Array(bytes.buffer, at, record.payload.byteLength);
    at += payload.byteLength;
    return { ...record, payload, properties: bareCopy(record.properties) };
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
