/**
 * RocksDB's log format, which its write-ahead logs and manifests have: the records, and where the sound part ends. RocksDB itself opens a log
 * that was cut short, and says nothing of what is missing.
 *
 *     block of 32 KiB:  crc32c (masked) │ length u16 │ type │ bytes │ crc32c │ …  zeros where no head fits in
 *
 * A record is one piece ("full") or several ("first", "middle", "last"); with a reused file the log's number stands behind the type.
 */
import { crc32c } from "../../base/crc32c.js";
import type { Vfs } from "../../base/vfs.js";

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

/** Of a record so much is handed over. */
const keptBytes = 512;
/** So much is read at once. */
const stepBytes = 32 * blockBytes;

/** Goes through a log block by block. Zeros to its end were made ahead of need, and are no damage. */
export class LogEnd {
  readonly #onRecord: (beginning: Buffer) => void;
  #beginning: Buffer[] = [];
  #kept = 0;
  #inRecord = false;
  #isCut = false;
  #isStrange = false;
  #looksReused = false;
  #soundBytes = 0;
  #usedBytes = 0;
  #bytes = 0;

  /** @param onRecord takes the first half kibibyte of each whole record */
  constructor(onRecord: (beginning: Buffer) => void = () => undefined) {
    this.#onRecord = onRecord;
  }

  /** Whole records end here. */
  get soundBytes(): number {
    return this.#soundBytes;
  }

  /** Of all that was taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether something that is no whole record stands behind them. */
  get isCut(): boolean {
    return this.#isCut || this.#inRecord;
  }

  /** How much stands behind them, without the zeros at the end. */
  get strayBytes(): number {
    return Math.max(0, this.#usedBytes - this.#soundBytes);
  }

  /** What stands behind them begins like a record of a reused file, which keeps RocksDB in its open for ever. No log that is being written ends so. */
  get looksReused(): boolean {
    return this.#looksReused;
  }

  /** What stands behind them begins with a sound piece of a kind that is not known here: it can't be told what is in it. */
  get isStrange(): boolean {
    return this.#isStrange;
  }

  /** @param block the next one; all but the last are whole */
  take(block: Uint8Array): void {
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    let at = 0;
    while (!this.#isCut && at + headBytes <= bytes.length) {
      const piece = pieceAt(bytes, at);
      if (piece === "strange") this.#isStrange = true;
      if (piece === undefined || piece === "strange" || piece.begins === this.#inRecord) break;
      this.#keep(bytes.subarray(at + piece.head, at + piece.length));
      at += piece.length;
      this.#inRecord = !piece.ends;
      if (piece.ends) this.#endRecord(this.#bytes + at);
    }
    const used = lastUsed(bytes, at);
    // What follows a record that breaks off can't be told from damage, whatever it is.
    if (used > at || (at < bytes.length && this.#inRecord && bytes.length - at >= headBytes)) this.#cutAt(bytes, at);
    if (used > 0) this.#usedBytes = this.#bytes + used;
    this.#bytes += bytes.length;
  }

  #cutAt(bytes: Buffer, at: number): void {
    if (this.#isCut) return;
    this.#isCut = true;
    const piece = at + headBytes <= bytes.length ? pieceOf(bytes.readUInt8(at + 6)) : undefined;
    this.#looksReused = !this.#isStrange && piece?.head === recyclableHeadBytes;
  }

  #keep(bytes: Buffer): void {
    if (this.#kept >= keptBytes) return;
    // A copy: the caller reads the next block into the same memory.
    const part = Buffer.from(bytes.subarray(0, keptBytes - this.#kept));
    this.#beginning.push(part);
    this.#kept += part.length;
  }

  #endRecord(end: number): void {
    this.#soundBytes = end;
    this.#onRecord(Buffer.concat(this.#beginning));
    this.#beginning = [];
    this.#kept = 0;
  }
}

/** Goes through a file. @throws the system's errors */
export async function readLog(vfs: Vfs, path: string, onRecord?: (beginning: Buffer) => void): Promise<LogEnd> {
  const file = await vfs.open(path, "read");
  try {
    const end = new LogEnd(onRecord);
    const step = Buffer.alloc(stepBytes);
    for (let at = 0; ;) {
      const read = await file.read(step, at);
      for (let from = 0; from < read; from += blockBytes) end.take(step.subarray(from, Math.min(read, from + blockBytes)));
      at += read;
      if (read < stepBytes) return end;
    }
  } finally {
    await file.close();
  }
}

/** Takes away what stands behind the sound end of a log, as RocksDB would when it could. */
export async function cutLog(vfs: Vfs, path: string, soundBytes: number): Promise<void> {
  const file = await vfs.open(path, "write");
  try {
    await file.truncate(soundBytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

interface PieceAt {
  readonly begins: boolean;
  readonly ends: boolean;
  readonly head: number;
  /** With the head. */
  readonly length: number;
}

/** The whole, checked piece that begins there. */
function pieceAt(bytes: Buffer, at: number): PieceAt | "strange" | undefined {
  const type = bytes.readUInt8(at + 6);
  const piece = pieceOf(type);
  const head = piece?.head ?? headBytes;
  const length = head + bytes.readUInt16LE(at + 4);
  if (at + length > bytes.length) return undefined;
  const crc = crc32c(bytes.subarray(at + 6, at + length));
  const masked = (((crc >>> 15) | (crc << 17)) + maskDelta) >>> 0;
  if (masked !== bytes.readUInt32LE(at)) return undefined;
  return piece === undefined ? "strange" : { begins: piece.begins, ends: piece.ends, head, length };
}

function pieceOf(type: number): Piece | undefined {
  return Object.entries(pieces).find(([known]) => Number(known) === type)?.[1];
}

/** Behind the last byte that is not zero; `from` when there is none. */
function lastUsed(bytes: Buffer, from: number): number {
  for (let end = bytes.length; end > from; end--) if (bytes[end - 1] !== 0) return end;
  return from;
}
