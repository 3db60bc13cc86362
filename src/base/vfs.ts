/**
 * The disk as the storage room sees it: one directory at a time, whole writes, explicit syncs.
 *
 * It is the least that the rules of the log need, so that a test's disk can be honest about what a sync does and does not promise:
 *
 *     file data    durable once a `sync()` that began after the `write()` ended has succeeded
 *     names        durable once `syncDirectory()` has succeeded after the `open`, `rename` or `unlink`
 *
 * Failures are the system's own errors (`code` "ENOSPC", "EIO", "ENOENT", …). What they mean for a log is decided above.
 */

/** Brands a `Vfs`, so that a plain object is not taken for one by accident. */
export const vfs: unique symbol = Symbol("tidemark.vfs");

/** An open file. Methods may overlap; nothing keeps them in order but the caller. */
export interface VfsFile {
  readonly path: string;
  /** Fills `into` from `offset` on; resolves with the bytes read, fewer only at the end of the file. */
  read(into: Uint8Array, offset: number): Promise<number>;
  /** Writes all parts one after the other from `offset` on, past the end too (a gap reads as zeros). On failure any part of it may be there. */
  write(parts: readonly Uint8Array[], offset: number): Promise<void>;
  /** Resolves once what was written before the call is durable, with the size needed to read it. Not the name: see `syncDirectory`. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  size(): Promise<number>;
  /** Idempotent. Does not sync. */
  close(): Promise<void>;
}

/** The hold on a directory that `lock` gives. */
export interface VfsLock {
  /** Idempotent. */
  release(): Promise<void>;
}

/** A file system. Paths are joined with "/". */
export interface Vfs {
  readonly kind: string;
  readonly [vfs]: true;
  /** Makes the directory and those above it, durably; nothing when it is there. */
  makeDirectory(path: string): Promise<void>;
  /** Names in the directory, in no order; ENOENT when there is none. */
  list(path: string): Promise<string[]>;
  /** "read": must exist. "write": must exist, read and write. "create": must not exist (EEXIST), read and write. */
  open(path: string, mode: "read" | "write" | "create"): Promise<VfsFile>;
  /** Replaces `to`. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** What may still be written on the disk of the directory, as it says itself: a quota, or somebody else, may leave less. Infinity where it says nothing. */
  freeBytes(path: string): Promise<number>;
  /** Resolves once the names in the directory are durable as they were when called. */
  syncDirectory(path: string): Promise<void>;
  /** Takes the directory for this process, or rejects with the TidemarkError `locked`, naming the holder's pid. */
  lock(path: string): Promise<VfsLock>;
  /** The pid that holds the directory now, without taking it; undefined when it is free. */
  lockHolder(path: string): Promise<number | undefined>;
}
