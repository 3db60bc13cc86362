import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { decodeControlRecords, encodeControlRecords, type ControlRecord } from "./control-record.js";

const channel = fc.nat(0xffff_ffff);
const u64 = fc.bigInt(0n, 2n ** 64n - 1n);
const text = fc.string({ unit: "grapheme", maxLength: 300 });

const anyRecord: fc.Arbitrary<ControlRecord> = fc.oneof(
  fc.record({ type: fc.constant("create" as const), channel, name: text, firstId: u64, ceiling: u64 }),
  fc.record({ type: fc.constant("destroy" as const), channel, floor: u64 }),
  fc.record({ type: fc.constant("trim" as const), channel, beginId: u64 }),
  fc.record({ type: fc.constant("trim" as const), channel, beginId: u64, bytes: fc.nat() }),
  fc.record({ type: fc.constant("ceiling" as const), channel, ceiling: u64 }),
  fc.record({ type: fc.constant("put" as const), revision: u64, key: text, value: fc.uint8Array({ maxLength: 300 }) }),
  fc.record({ type: fc.constant("delete" as const), revision: u64, key: text }),
);

function hexOf(record: ControlRecord): string {
  return Buffer.from(encodeControlRecords([record])).toString("hex");
}

describe("control records", () => {
  it("come back as they were, one behind the other", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 12 }), (records) => {
        expect(decodeControlRecords(encodeControlRecords(records), records.length)).toEqual(records);
      }),
    );
  });

  it("are laid out as docs/log-format.md says", () => {
    expect(hexOf({ type: "create", channel: 7, name: "é!", firstId: 1n, ceiling: 0x0203n })).toBe(
      "01" + "07000000" + "03c3a921" + "0100000000000000" + "0302000000000000",
    );
    expect(hexOf({ type: "destroy", channel: 7, floor: 5n })).toBe("02" + "07000000" + "0500000000000000");
    expect(hexOf({ type: "trim", channel: 7, beginId: 5n })).toBe("03" + "07000000" + "0500000000000000" + "00");
    expect(hexOf({ type: "trim", channel: 7, beginId: 5n, bytes: 300 })).toBe("03" + "07000000" + "0500000000000000" + "ad02");
    expect(hexOf({ type: "trim", channel: 7, beginId: 5n, bytes: 0 })).toBe("03" + "07000000" + "0500000000000000" + "01");
    expect(hexOf({ type: "ceiling", channel: 7, ceiling: 5n })).toBe("04" + "07000000" + "0500000000000000");
    expect(hexOf({ type: "put", revision: 9n, key: "k", value: Uint8Array.of(1, 2) })).toBe("05" + "0900000000000000" + "016b" + "020102");
    expect(hexOf({ type: "delete", revision: 9n, key: "k" })).toBe("06" + "0900000000000000" + "016b");
  });

  it("give out copies of values: the bytes they came from are used again", () => {
    const body = Buffer.from(encodeControlRecords([{ type: "put", revision: 1n, key: "k", value: Uint8Array.of(1, 2, 3) }]));
    const records = decodeControlRecords(body, 1);

    body.fill(0);

    expect(records).toEqual([{ type: "put", revision: 1n, key: "k", value: Uint8Array.of(1, 2, 3) }]);
  });

  it("of an unknown type, or fewer than the frame says, are an error and never skipped", () => {
    expect(() => decodeControlRecords(Uint8Array.of(7, 0, 0), 1)).toThrow("unknown type 7");
    const one = encodeControlRecords([{ type: "trim", channel: 1, beginId: 1n }]);
    expect(() => decodeControlRecords(one, 2)).toThrow("should follow");
  });
});
