/**
 * Where appends begin among the messages of a batch frame: appends to one channel share frames, and a large one takes several, but what goes
 * by policy goes in whole appends.
 *
 *     messages   0 1 2 │ 3 4 │ 5 6 7 │ 8            varints behind the last message:  3 2 3
 *                └ of an append that began in the frame before
 *
 * First how many belong to an append that an earlier frame began, then the length of every append but the last. A frame that is one append
 * from its first message to its last says nothing.
 */
import { ByteReader } from "../../base/byte-reader.js";
import { ByteWriter } from "../../base/byte-writer.js";

const nothing = new Uint8Array(0);

/** @param starts the messages that begin an append, ascending */
export function encodeStarts(starts: readonly number[], count: number): Uint8Array {
  if (starts.length === 1 && starts[0] === 0) return nothing;
  const writer = new ByteWriter();
  let before = 0;
  for (const start of starts.length === 0 ? [count] : starts) {
    writer.varint(start - before);
    before = start;
  }
  return writer.toBytes();
}

/** The messages of a frame of `count` that begin an append, from what stands behind them. */
export function decodeStarts(bytes: Uint8Array, count: number): number[] {
  if (bytes.length === 0) return [0];
  const reader = new ByteReader(bytes);
  const starts: number[] = [];
  for (let start = 0; reader.left > 0;) {
    start += reader.varint();
    if (start < count) starts.push(start);
  }
  return starts;
}
