/**
 * As much of RocksDB's records as tells which writes they hold.
 *
 *     manifest    tag, value │ tag, value │ …        the last sequence stands before files, of which nothing is read
 *     log         first sequence u64 │ how many u32 │ …
 */

/** Tags with a number behind them. */
const lastSequenceTag = 4;
const numberTags = [2, 3, lastSequenceTag, 9, 10, 200, 203];
/** Tags with a text behind them; so are all that a reader may skip. */
const textTags = [1, 201];
const skippedTags = 1 << 13;

/** The last sequence that an edit of the manifest names; undefined when it names none in its beginning. */
export function lastSequenceIn(edit: Buffer): bigint | undefined {
  for (let at = 0; at < edit.length;) {
    const tag = varintAt(edit, at);
    const value = tag && varintAt(edit, tag.end);
    if (tag === undefined || value === undefined) return undefined;
    const number = Number(tag.value);
    if (number === lastSequenceTag) return value.value;
    if (numberTags.includes(number)) at = value.end;
    else if (textTags.includes(number) || (number & skippedTags) !== 0) at = value.end + Number(value.value);
    else return undefined;
  }
  return undefined;
}

/** The writes that a record of the log holds. */
export function writesIn(record: Buffer): { readonly first: bigint; readonly last: bigint } {
  // Nothing shorter is a batch; it is RocksDB's to say so.
  if (record.length < 12) return { first: 0n, last: -1n };
  const first = record.readBigUInt64LE(0);
  return { first, last: first + BigInt(record.readUInt32LE(8)) - 1n };
}

function varintAt(bytes: Buffer, from: number): { readonly value: bigint; readonly end: number } | undefined {
  let value = 0n;
  for (let at = from; at < bytes.length && at < from + 10; at++) {
    const byte = bytes.readUInt8(at);
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - from));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return undefined;
}
