import { describe, expect, it } from "vitest";
import { lastSequenceIn, writesIn } from "./version-edit.js";

// As RocksDB 10 wrote them.
const edits: readonly [string, bigint | undefined][] = [
  ["81402466613830643637362d373063342d346434312d623564312d663330363861363135663931", undefined],
  ["88400105", undefined],
  ["011a6c6576656c64622e4279746577697365436f6d70617261746f7289400101", undefined],
  ["02050a050410670008e90f", 16n],
  ["02050410c80101", 16n],
  ["090003110410", 16n],
  ["020b090003110420c80101", 32n],
  ["0209090003110a0004d602", 342n],
  ["", undefined],
  ["04", undefined],
  ["0480", undefined],
];

describe("RocksDB's records", () => {
  it.each(edits)("of the manifest name the last sequence before all files: %s", (hex, sequence) => {
    expect(lastSequenceIn(Buffer.from(hex, "hex"))).toBe(sequence);
  });

  it("of the log begin with the first write and their number", () => {
    const record = Buffer.alloc(20);
    record.writeBigUInt64LE(41n, 0);
    record.writeUInt32LE(3, 8);

    expect(writesIn(record)).toEqual({ first: 41n, last: 43n });
    expect(writesIn(Buffer.of(1, 2, 3))).toEqual({ first: 0n, last: -1n });
  });
});
