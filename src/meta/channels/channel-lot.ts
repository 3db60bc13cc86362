/**
 * The channels that one call made, as the metadata keeps them: one key, so that they are there together or not at all.
 *
 *     channel-lots/9f3a51c2d4e6b807
 *       │    {"owner":{…},"channels":["topic-9f3a51c2d4e6b807-0"],"pending":["topic-9f3a51c2d4e6b807-1"]}
 *       │
 *     topic-9f3a51c2d4e6b807-0        a name says in which lot it is
 *
 *     create    pending: all ─▶ made in the store ─▶ channels: all
 *     destroy   channels ─▶ pending ─▶ gone from the store ─▶ no longer in the lot; an empty lot has no key
 *
 * So whatever is pending when nobody works on it is to be taken out of the store, whichever way it was on.
 */
import { corruptRecord } from "../corrupt-record.js";

/** Who channels were made for; three texts that the service keeps and never looks at. */
export interface OwnerDescription {
  readonly role: string;
  readonly address: string;
  readonly descriptionText: string;
}

/** The value of a lot's key. A name is in one of the two lists at most. */
export interface LotRecord {
  readonly owner: OwnerDescription;
  /** There for everybody, in the order they were made. */
  readonly channels: readonly string[];
  /** Not there for anybody; perhaps in the store. */
  readonly pending: readonly string[];
}

/** Before the keys of all lots. */
export const lotPrefix = "channel-lots/";

/** The names of a lot's channels. @param lot 16 hexadecimal digits that no other lot has */
export function channelNames(prefix: string, lot: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}-${lot}-${at}`);
}

/** The key of the lot that a channel of this name would be in; undefined when no lot has such names. */
export function lotKeyOf(channel: string): string | undefined {
  const lot = /-([0-9a-f]{16})-\d+$/.exec(channel)?.[1];
  return lot === undefined ? undefined : lotKey(lot);
}

/** The key of a lot. */
export function lotKey(lot: string): string {
  return lotPrefix + lot;
}

/** The bytes that are stored. */
export function encodeLotRecord(record: LotRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

/** Reads what `encodeLotRecord` wrote under `key`. @throws `corrupt` for anything else */
export function decodeLotRecord(key: string, bytes: Uint8Array): LotRecord {
  const record = parse(key, bytes);
  if (!isLotRecord(record)) throw corruptRecord(key, "a lot of channels");
  return record;
}

function parse(key: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    throw corruptRecord(key, "a lot of channels", error);
  }
}

function isLotRecord(value: unknown): value is LotRecord {
  if (typeof value !== "object" || value === null) return false;
  if (!("owner" in value && "channels" in value && "pending" in value)) return false;
  return isOwner(value.owner) && isNames(value.channels) && isNames(value.pending);
}

function isOwner(value: unknown): value is OwnerDescription {
  if (typeof value !== "object" || value === null) return false;
  return ["role", "address", "descriptionText"].every((field) => typeof Reflect.get(value, field) === "string");
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
