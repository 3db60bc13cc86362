/**
 * Puts numbers, bytes and texts one behind the other. Little-endian; what has no fixed length goes behind its length, a varint:
 *
 *     u8 7 · u32 1 · text "hi"      07 | 01 00 00 00 | 02 68 69
 *     varint 300                    ac 02                           seven bits a byte, the lowest first, the high bit says "more"
 *
 * `ByteReader` is its other half. A value that does not fit its field is a broken invariant: whoever writes has checked.
 */
import { broken } from "./assert.js";

const greatestU64 = 2n ** 64n - 1n;
const firstCapacity = 256;

/** A growing row of bytes. Each call appends and returns the writer. */
export class ByteWriter {
  #bytes: Buffer;
  #view: DataView;
  /** All before it is written; never above the capacity. */
  #length = 0;

  /** @param capacity bytes to make room for at once; it doubles when they are used up */
  constructor(capacity = firstCapacity) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(capacity, 16));
    this.#view = viewOf(this.#bytes);
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): this {
    const at = this.#claimFor(value, 1, 0xff);
    this.#view.setUint8(at, value);
    return this;
  }

  u16(value: number): this {
    const at = this.#claimFor(value, 2, 0xffff);
    this.#view.setUint16(at, value, true);
    return this;
  }

  u32(value: number): this {
    const at = this.#claimFor(value, 4, 0xffff_ffff);
    this.#view.setUint32(at, value, true);
    return this;
  }

  u64(value: bigint): this {
    if (value < 0n || value > greatestU64) throw broken(`${value} fits into 64 bits without a sign`);
    const at = this.#claim(8);
    this.#view.setBigUint64(at, value, true);
    return this;
  }

  f64(value: number): this {
    const at = this.#claim(8);
    this.#view.setFloat64(at, value, true);
    return this;
  }

  /** A whole number from 0 to 2^53 - 1, in one to eight bytes. */
  varint(value: number): this {
    if (!Number.isSafeInteger(value) || value < 0) throw broken(`${value} is a whole number from 0 to 2^53 - 1`);
    let rest = value;
    while (rest > 0x7f) {
      // Not by shifting: that would cut it to 32 bits.
      this.#put((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.#put(rest);
  }

  /** A uint64, in one to ten bytes. */
  varint64(value: bigint): this {
    if (value < 0n || value > greatestU64) throw broken(`${value} fits into 64 bits without a sign`);
    if (value <= 0x7fff_ffffn) return this.varint(Number(value));
    let rest = value;
    while (rest > 0x7fn) {
      this.#put(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    return this.#put(Number(rest));
  }

  /** The bytes as they are, without their length. */
  raw(value: Uint8Array): this {
    const at = this.#claim(value.byteLength);
    this.#bytes.set(value, at);
    return this;
  }

  /** Their length, then the bytes. */
  bytes(value: Uint8Array): this {
    return this.varint(value.byteLength).raw(value);
  }

  /** The length of its UTF-8 bytes, then those. The text must be well-formed: half a pair would come back as U+FFFD. */
  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.varint(length);
    const at = this.#claim(length);
    this.#bytes.write(value, at, length, "utf8");
    return this;
  }

  /** What was written so far: a view, which later writes leave as it is. */
  toBytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #put(byte: number): this {
    const at = this.#claim(1);
    this.#bytes[at] = byte;
    return this;
  }

  #claimFor(value: number, bytes: number, greatest: number): number {
    if (!Number.isInteger(value) || value < 0 || value > greatest) throw broken(`${value} is a whole number from 0 to ${greatest}`);
    return this.#claim(bytes);
  }

  /** Where the next `bytes` go. */
  #claim(bytes: number): number {
    const at = this.#length;
    if (at + bytes > this.#bytes.length) this.#grow(at + bytes);
    this.#length += bytes;
    return at;
  }

  #grow(atLeast: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(atLeast, this.#bytes.length * 2));
    larger.set(this.toBytes());
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
