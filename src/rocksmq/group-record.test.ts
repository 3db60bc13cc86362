import { describe, expect, it } from "vitest";
import { decodeGroupRecord, encodeGroupRecord, GroupRecords, newGroupRecord, startOn } from "./group-record.js";

function channel(name: string, firstId: bigint, beginId: bigint, endId: bigint): Parameters<typeof startOn>[1] {
  return { name, firstId, beginId, endId, lastId: endId - 1n };
}

describe("the record of a group", () => {
  it("from earliest starts at the begin that a channel has by then", () => {
    const record = newGroupRecord("earliest", [channel("c", 1n, 1n, 9n)]);

    expect(startOn(record, channel("c", 1n, 5n, 20n))).toBe(5n);
  });

  it("from latest starts at the end that a channel had, also when that was trimmed since", () => {
    const record = newGroupRecord("latest", [channel("c", 1n, 1n, 9n)]);

    expect(startOn(record, channel("c", 1n, 1n, 20n))).toBe(9n);
    expect(startOn(record, channel("c", 1n, 15n, 20n))).toBe(9n);
  });

  it("from latest starts at the begin of a channel made later, of a known name too", () => {
    const record = newGroupRecord("latest", [channel("c", 1n, 1n, 9n)]);

    expect(startOn(record, channel("d", 3n, 4n, 20n))).toBe(4n);
    expect(startOn(record, channel("c", 9n, 12n, 20n))).toBe(12n);
  });

  it("is read as it was written, odd names included", () => {
    const record = newGroupRecord("latest", [channel("__proto__", 2n ** 62n, 1n, 2n ** 63n - 1n), channel('"', 1n, 1n, 1n)]);

    expect(decodeGroupRecord(encodeGroupRecord(record))).toEqual(record);
    expect(decodeGroupRecord(encodeGroupRecord(newGroupRecord("earliest", [])))).toEqual({ from: "earliest", seen: new Map() });
  });

  it("is decoded once for as long as it stands", () => {
    const records = new GroupRecords();
    const stored = encodeGroupRecord(newGroupRecord("latest", []));

    expect(records.of(stored)).toBe(records.of(stored));
    expect(records.of(stored)).not.toBe(records.of(stored.slice()));
  });

  it("that is none is a broken invariant", () => {
    expect(() => decodeGroupRecord(new TextEncoder().encode("{}"))).toThrowError(expect.objectContaining({ code: "unrecoverable" }));
  });
});
