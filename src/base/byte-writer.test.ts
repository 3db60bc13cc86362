import { describe, expect, it } from "vitest";
import { ByteWriter } from "./byte-writer.js";

const hex = (writer: ByteWriter): string => writer.toBytes().toString("hex");

describe("ByteWriter", () => {
  it("writes little-endian, and what has no fixed length behind its length", () => {
    const writer = new ByteWriter().u8(7).u16(0x0102).u32(1).u64(2n).f64(1).text("hé").bytes(Uint8Array.of(9)).raw(Uint8Array.of(8));

    expect(hex(writer)).toBe("07" + "0201" + "01000000" + "0200000000000000" + "000000000000f03f" + "0368c3a9" + "0109" + "08");
  });

  it("takes as few bytes for a varint as it needs", () => {
    expect(hex(new ByteWriter().varint(0))).toBe("00");
    expect(hex(new ByteWriter().varint(127))).toBe("7f");
    expect(hex(new ByteWriter().varint(300))).toBe("ac02");
    expect(hex(new ByteWriter().varint(2 ** 53 - 1))).toBe("ffffffffffffff0f");
    expect(hex(new ByteWriter().varint64(300n))).toBe("ac02");
    expect(hex(new ByteWriter().varint64(2n ** 64n - 1n))).toBe("ffffffffffffffffff01");
  });

  it("leaves the bytes it gave out as they are when it goes on", () => {
    const writer = new ByteWriter(16).u32(1);
    const early = writer.toBytes();

    for (let i = 0; i < 100; i++) writer.u32(0xffff_ffff);

    expect(early.toString("hex")).toBe("01000000");
    expect(writer.length).toBe(404);
  });

  it.each([
    ["u8", 256],
    ["u8", -1],
    ["u16", 65_536],
    ["u32", 2 ** 32],
    ["u32", 1.5],
    ["varint", 2 ** 53],
    ["varint", -1],
  ] as const)("never cuts a number down to its field: %s(%d)", (field, value) => {
    expect(() => new ByteWriter()[field](value)).toThrow(expect.objectContaining({ code: "unrecoverable" }));
  });

  it.each(["u64", "varint64"] as const)("never cuts a bigint down to its field: %s", (field) => {
    expect(() => new ByteWriter()[field](2n ** 64n)).toThrow(expect.objectContaining({ code: "unrecoverable" }));
    expect(() => new ByteWriter()[field](-1n)).toThrow(expect.objectContaining({ code: "unrecoverable" }));
  });
});
