/**
 * How far the store is known to be durable, kept beside RocksDB: its own recovery gives what it can read, and says nothing of what is missing.
 *
 *     tidemark-rocksdb-synced:   crc32 of the rest │ 0 │ sequence u64 │ manifest u64 │ its bytes u64        little-endian
 *
 * The sequence is RocksDB's count of writes. It is written behind each sync, and not itself synced before the store is closed: what is read
 * is never more than what is durable, after a killed process all of it, after a power cut perhaps less.
 */
import { crc32 } from "../../base/crc32.js";
import type { Vfs } from "../../base/vfs.js";
import { isMissing } from "../segment/system-error.js";

/** The file's name. */
export const syncedMarkName = "tidemark-rocksdb-synced";
/** Less than a sector: it is there as a whole, or as it was. */
const markBytes = 32;

/** What is durable. */
export interface SyncedMark {
  /** Every write up to this one. */
  readonly sequence: bigint;
  /** The manifest of a store that was closed; 0 while it is open. */
  readonly manifest: bigint;
  readonly manifestBytes: bigint;
}

/** The file's bytes. */
export function encodeSyncedMark({ sequence, manifest, manifestBytes }: SyncedMark): Buffer {
  const bytes = Buffer.alloc(markBytes);
  bytes.writeBigUInt64LE(sequence, 8);
  bytes.writeBigUInt64LE(manifest, 16);
  bytes.writeBigUInt64LE(manifestBytes, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  return bytes;
}

/** Undefined for what is none. */
export function decodeSyncedMark(bytes: Buffer): SyncedMark | undefined {
  if (bytes.length < markBytes || crc32(bytes.subarray(4, markBytes)) !== bytes.readUInt32LE(0)) return undefined;
  return { sequence: bytes.readBigUInt64LE(8), manifest: bytes.readBigUInt64LE(16), manifestBytes: bytes.readBigUInt64LE(24) };
}

/** The mark in a directory; undefined when there is none, "damaged" when it can't be understood. */
export async function readSyncedMark(vfs: Vfs, dir: string): Promise<SyncedMark | "damaged" | undefined> {
  try {
    const file = await vfs.open(`${dir}/${syncedMarkName}`, "read");
    try {
      const bytes = Buffer.alloc(markBytes);
      return decodeSyncedMark(bytes.subarray(0, await file.read(bytes, 0))) ?? "damaged";
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Durably, its name too. */
export async function writeSyncedMark(vfs: Vfs, dir: string, mark: SyncedMark): Promise<void> {
  const names = await vfs.list(dir);
  const file = await vfs.open(`${dir}/${syncedMarkName}`, names.includes(syncedMarkName) ? "write" : "create");
  try {
    await file.write([encodeSyncedMark(mark)], 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await vfs.syncDirectory(dir);
}
