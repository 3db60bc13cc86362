import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "./byte-reader.js";
import { ByteWriter } from "./byte-writer.js";
import { isTidemarkError } from "./errors.js";

interface Values {
  u8: number;
  u16: number;
  u32: number;
  u64: bigint;
  f64: number;
  varint: number;
  varint64: bigint;
  bytes: Uint8Array;
  text: string;
}
type Field = { [K in keyof Values]: { readonly kind: K; readonly value: Values[K] } }[keyof Values];

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const field: fc.Arbitrary<Field> = fc.oneof(
  fc.record({ kind: fc.constant("u8" as const), value: fc.nat(0xff) }),
  fc.record({ kind: fc.constant("u16" as const), value: fc.nat(0xffff) }),
  fc.record({ kind: fc.constant("u32" as const), value: fc.integer({ min: 0, max: 0xffff_ffff }) }),
  fc.record({ kind: fc.constant("f64" as const), value: fc.double() }),
  fc.record({ kind: fc.constant("varint" as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant("u64" as const), value: u64 }),
  fc.record({ kind: fc.constant("varint64" as const), value: u64 }),
  fc.record({ kind: fc.constant("bytes" as const), value: fc.uint8Array() }),
  fc.record({ kind: fc.constant("text" as const), value: fc.string({ unit: "grapheme" }) }),
);

function write(writer: ByteWriter, field: Field): void {
  if (field.kind === "bytes") writer.bytes(field.value);
  else if (field.kind === "text") writer.text(field.value);
  else if (field.kind === "u64") writer.u64(field.value);
  else if (field.kind === "varint64") writer.varint64(field.value);
  else writer[field.kind](field.value);
}

function thrownBy(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

function written(fields: readonly Field[]): Buffer {
  const writer = new ByteWriter(16);
  for (const one of fields) write(writer, one);
  return writer.toBytes();
}

describe("ByteReader", () => {
  it("gets back what a ByteWriter put in, to the last byte", () => {
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        const reader = new ByteReader(written(fields));

        for (const { kind, value } of fields) expect(reader[kind]()).toEqual(value instanceof Uint8Array ? Buffer.from(value) : value);

        reader.end();
      }),
    );
  });

  it("finds it out when the end was cut off, wherever", () => {
    fc.assert(
      fc.property(fc.array(field, { minLength: 1 }), fc.nat(), (fields, seed) => {
        const whole = written(fields);
        const reader = new ByteReader(whole.subarray(0, seed % whole.length));

        expect(() => fields.map(({ kind }) => reader[kind]())).toThrow(expect.objectContaining({ code: "corrupt" }));
      }),
    );
  });

  it("never fails but with `corrupt`, whatever bytes it is given", () => {
    const kinds = fc.array(fc.constantFrom("u8", "u16", "u32", "u64", "f64", "varint", "varint64", "bytes", "text"));
    fc.assert(
      fc.property(fc.uint8Array(), kinds, (noise, calls) => {
        const reader = new ByteReader(noise);

        const failure = thrownBy(() => calls.forEach((call) => reader[call]()));

        expect(failure === undefined || isTidemarkError(failure, "corrupt")).toBe(true);
        expect(reader.offset).toBeLessThanOrEqual(noise.length);
      }),
    );
  });

  it("says which file is damaged, and where in it", () => {
    const reader = new ByteReader(new ByteWriter().u32(1).varint(100).u8(7).toBytes(), { file: "log/7.seg", offset: 4096 });
    reader.u32();

    expect(() => reader.bytes()).toThrow(
      expect.objectContaining({
        code: "corrupt",
        message: "log/7.seg is damaged at offset 4101: 100 bytes should follow and 1 do",
        details: { file: "log/7.seg", offset: 4101 },
      }),
    );
  });

  it("refuses numbers that are larger than their type, and texts that are not UTF-8", () => {
    const allOnes = (count: number): ByteReader => new ByteReader(new Uint8Array(count).fill(0xff));

    expect(() => allOnes(20).varint()).toThrow("above 2^53 - 1");
    expect(() => new ByteReader(new Uint8Array(20).fill(0x80)).varint()).toThrow("more than eight bytes");
    expect(() => allOnes(20).varint64()).toThrow("above 2^64 - 1");
    expect(() => new ByteReader(new Uint8Array(20).fill(0x80)).varint64()).toThrow("more than ten bytes");
    expect(() => new ByteReader(Uint8Array.of(1, 0xff)).text()).toThrow("not UTF-8");
  });

  it("tells what is left over", () => {
    expect(() => new ByteReader(new Uint8Array(3)).end()).toThrow("3 bytes are left over");
  });
});
