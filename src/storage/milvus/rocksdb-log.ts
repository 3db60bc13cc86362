/**
 * Where the sound part of a RocksDB write-ahead log ends. RocksDB itself opens a log that was cut short, and says nothing of what is missing.
 *
 *     block of 32 KiB:  crc32c (masked) │ length u16 │ type │ bytes │ crc32c │ …  zeros where no head fits in
 *
 * A record is one piece ("full") or several ("first", "middle", "last"); with a reused file the log's number stands behind the type.
 */
import { crc32c } from "../../base/crc32c.js";

/** No piece goes over its end. */
export const blockBytes = 32 * 1024;
const headBytes = 7;
/** With the number of the log behind the type. */
const recyclableHeadBytes = 11;
const maskDelta = 0xa282_ead8;

const pieces = {
  1: { begins: true, ends: true, head: headBytes },
  2: { begins: true, ends: false, head: headBytes },
  3: { begins: false, ends: false, head: headBytes },
  4: { begins: false, ends: true, head: headBytes },
  5: { begins: true, ends: true, head: recyclableHeadBytes },
  6: { begins: true, ends: false, head: recyclableHeadBytes },
  7: { begins: false, ends: false, head: recyclableHeadBytes },
  8: { begins: false, ends: true, head: recyclableHeadBytes },
} as const;

type Piece = (typeof pieces)[keyof typeof pieces];

/** Goes through a log block by block. Zeros to its end were made ahead of need, and are no damage. */
export class LogEnd {
  #inRecord = false;
  #isCut = false;
  #soundBytes = 0;
  #bytes = 0;

  /** Whole records end here. */
  get soundBytes(): number {
    return this.#soundBytes;
  }

  /** Whether something that is no whole record stands behind them. */
  get isCut(): boolean {
    return this.#isCut || this.#inRecord;
  }

  /** @param block the next one; all but the last are whole */
  take(block: Uint8Array): void {
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    let at = 0;
    while (!this.#isCut && at + headBytes <= bytes.length) {
      const piece = pieceAt(bytes, at);
      if (piece === undefined || piece.begins === this.#inRecord) break;
      at += piece.length;
      this.#inRecord = !piece.ends;
      if (piece.ends) this.#soundBytes = this.#bytes + at;
    }
    // What follows a record that breaks off can't be told from damage, whatever it is.
    if (bytes.subarray(at).some((byte) => byte !== 0) || (at < bytes.length && this.#inRecord && bytes.length - at >= headBytes))
      this.#isCut = true;
    this.#bytes += bytes.length;
  }
}

/** The whole, checked piece that begins there; its length has the head in it. */
function pieceAt(bytes: Buffer, at: number): { readonly begins: boolean; readonly ends: boolean; readonly length: number } | undefined {
  const piece = pieceOf(bytes.readUInt8(at + 6));
  if (piece === undefined) return undefined;
  const length = piece.head + bytes.readUInt16LE(at + 4);
  if (at + length > bytes.length) return undefined;
  const crc = crc32c(bytes.subarray(at + 6, at + length));
  const masked = (((crc >>> 15) | (crc << 17)) + maskDelta) >>> 0;
  return masked === bytes.readUInt32LE(at) ? { begins: piece.begins, ends: piece.ends, length } : undefined;
}

function pieceOf(type: number): Piece | undefined {
  return Object.entries(pieces).find(([known]) => Number(known) === type)?.[1];
}
