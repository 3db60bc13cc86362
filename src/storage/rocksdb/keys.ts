/**
 * The keys of a store in RocksDB, all of them text.
 *
 *     family default      <channel>/<id>                  a payload, key for key as the seed has it
 *     family properties   <channel>/<id>                  its time and properties
 *     family meta         <channel>/begin_id  /end_id     where a channel begins and ends, decimal; names percent-encoded
 *                         any other key                   the metadata, as it was put
 *                         \0state                         counters of the whole store
 *                         \0channel/<channel>             what else is known of a channel
 *                         \0page/<channel>/<last id>      a closed page of it
 *                         \0doomed/<number>               rows of a destroyed channel that are still to go
 *                         \0revisions/<key>               when a key of the metadata was made and changed
 *                         \0key/<key>                     the metadata whose key could be taken for one of those above, or is not below every bound
 *
 * Decimal keys sort as numbers only while all have as many digits, so ids have eighteen: from 10^17 to 10^18 - 2.
 */

/** No id is below it. */
export const leastId = 10n ** 17n;
/** No id is above it; the end behind it has as many digits. */
export const greatestId = 10n ** 18n - 2n;
/** Of every id, in decimal. */
export const idDigits = 18;

/** No row begins with it, so that it bounds them all. */
export const lastCodePoint = "\u{10ffff}";

/** The counters of the store. */
export const stateKey = "\0state";

/** Where a message is. */
export function messageKey(channel: string, id: bigint): string {
  return `${channel}/${id}`;
}

/** The id in a message's key. */
export function idIn(key: string): bigint {
  return BigInt(key.slice(-idDigits));
}

/** Where a channel begins. */
export function beginKey(channel: string): string {
  return `${encodeURIComponent(channel)}/begin_id`;
}

/** Where a channel ends. */
export function endKey(channel: string): string {
  return `${encodeURIComponent(channel)}/end_id`;
}

/** What else is known of a channel. */
export function channelKey(channel: string): string {
  return `\0channel/${encodeURIComponent(channel)}`;
}

/** A closed page, by its last id. */
export function pageKey(channel: string, lastId: bigint): string {
  return `\0page/${encodeURIComponent(channel)}/${lastId}`;
}

/** Rows that are still to go. */
export function doomedKey(number: number): string {
  return `\0doomed/${number}`;
}

/** The revisions of a key of the metadata. */
export function revisionsKey(key: string): string {
  return `\0revisions/${key}`;
}

/** Where the value of a key of the metadata stands. */
export function valueKey(key: string): string {
  return key.startsWith("\0") || key.startsWith(lastCodePoint) || isEnd(key) ? `\0key/${key}` : key;
}

/** What a row of the family meta is. */
export type MetaRow =
  | { readonly row: "state" }
  | { readonly row: "begin" | "end" | "channel"; readonly channel: string }
  | { readonly row: "page"; readonly channel: string; readonly lastId: bigint }
  | { readonly row: "doomed"; readonly number: number }
  | { readonly row: "revisions" | "value"; readonly key: string };

/** Reads a key of the family meta. Undefined: it is none that this version writes. */
export function metaRow(stored: string): MetaRow | undefined {
  if (stored === stateKey) return { row: "state" };
  if (!stored.startsWith("\0")) {
    if (!isEnd(stored)) return { row: "value", key: stored };
    const [name = "", end] = stored.split("/");
    return { row: end === "begin_id" ? "begin" : "end", channel: decodeURIComponent(name) };
  }
  const slash = stored.indexOf("/");
  const rest = stored.slice(slash + 1);
  switch (stored.slice(0, slash)) {
    case "\0channel":
      return { row: "channel", channel: decodeURIComponent(rest) };
    case "\0page": {
      const [name = "", lastId = ""] = rest.split("/");
      return { row: "page", channel: decodeURIComponent(name), lastId: BigInt(lastId) };
    }
    case "\0doomed":
      return { row: "doomed", number: Number(rest) };
    case "\0revisions":
      return { row: "revisions", key: rest };
    case "\0key":
      return { row: "value", key: rest };
    default:
      return undefined;
  }
}

/** Shaped as the begin or the end of a channel. */
function isEnd(key: string): boolean {
  return /^[^/]*\/(begin_id|end_id)$/.test(key);
}
