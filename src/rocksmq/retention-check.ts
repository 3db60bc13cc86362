import { checkParts, checkWhole, invalid, type KnownOptions } from "./arguments.js";
import type { Retention } from "./door.js";

const known: KnownOptions<keyof Retention> = { ageMs: true, bytes: true, unreadBytesMax: true };

/** A retention of which every part is a whole number or left out; what is left out is not in what it gives, which is frozen. @throws `invalid-argument` */
export function checkedRetention(value: unknown): Retention {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid("retention", "an object", value);
  const retention: Retention = value;
  checkParts(retention, known, "retention");
  const { ageMs, bytes, unreadBytesMax } = retention;
  for (const [part, number] of Object.entries({ ageMs, bytes, unreadBytesMax })) {
    if (number !== undefined) checkWhole(`retention.${part}`, number, 0, Number.MAX_SAFE_INTEGER);
  }
  // Descriptions of channels hand it out.
  return Object.freeze({
    ...(ageMs === undefined ? {} : { ageMs }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(unreadBytesMax === undefined ? {} : { unreadBytesMax }),
  });
}
