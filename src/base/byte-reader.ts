/**
 * Takes apart what a `ByteWriter` put together, front to back.
 *
 * It believes no length: each is held against what is left before anything is cut out or allocated, and what does not add up is `corrupt`
 * with the place. So bytes from a disk or a wire may be given to it as they are.
 */
import { isUtf8 } from "node:buffer";
import { TidemarkError } from "./errors.js";

/** Where the bytes come from, for errors. */
export interface ByteSource {
  /** Default "(memory)". */
  readonly file?: string | undefined;
  /** Where they begin in the file. Default 0. */
  readonly offset?: number | undefined;
}

/** A place in a row of bytes. Each call takes what stands there and moves on; every one may throw `corrupt`. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #source: ByteSource;
  /** Never above the length. */
  #at = 0;

  constructor(bytes: Uint8Array, source: ByteSource = {}) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#source = source;
  }

  /** Bytes taken so far. */
  get offset(): number {
    return this.#at;
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  varint(): number {
    const start = this.#at;
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * unit;
      if (value > Number.MAX_SAFE_INTEGER) throw this.#corrupt(start, "a number is above 2^53 - 1");
      if (byte < 0x80) return value;
      unit *= 0x80;
      if (unit > Number.MAX_SAFE_INTEGER) throw this.#corrupt(start, "a number has more than eight bytes");
    }
  }

  varint64(): bigint {
    const start = this.#at;
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
      if (value >= 1n << 64n) throw this.#corrupt(start, "a number is above 2^64 - 1");
      if (byte < 0x80) return value;
    }
    throw this.#corrupt(start, "a number has more than ten bytes");
  }

  /** The next `length` bytes: a view, which keeps all of what is read alive. */
  raw(length: number): Buffer {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** What `ByteWriter.bytes` wrote: a view too. */
  bytes(): Buffer {
    return this.raw(this.varint());
  }

  text(): string {
    const start = this.#at;
    const bytes = this.bytes();
    if (!isUtf8(bytes)) throw this.#corrupt(start, "a text is not UTF-8");
    return bytes.toString("utf8");
  }

  /** To be called where all should have been taken. */
  end(): void {
    if (this.left > 0) throw this.#corrupt(this.#at, `${this.left} bytes are left over`);
  }

  #take(length: number): number {
    const at = this.#at;
    if (!(length >= 0 && length <= this.left)) throw this.#corrupt(at, `${length} bytes should follow and ${this.left} do`);
    this.#at += length;
    return at;
  }

  #corrupt(at: number, what: string): TidemarkError<"corrupt"> {
    const { file = "(memory)", offset = 0 } = this.#source;
    return new TidemarkError("corrupt", `${file} is damaged at offset ${offset + at}: ${what}`, { file, offset: offset + at });
  }
}
