/**
 * Metadata as everybody above sees it: an ordered map with revisions, in etcd's model, so that a directory and a cluster keep it alike.
 *
 *     revision   41          42                    43
 *                put a       txn: put b, delete a  delete of nothing: no revision
 *
 * Keys are non-empty, well-formed texts, in the order of their UTF-8 bytes; values are bytes. Watches and leases come with etcd.
 */
import type { Abortable, Closable } from "../base/closable.js";

/** One key as it stood at some revision. */
export interface MetaEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** Of the write that made the key, since it was last deleted. */
  readonly createRevision: bigint;
  /** Of the last write of the key. */
  readonly modRevision: bigint;
}

/** What must hold for a transaction: the key's last revision (0n: there is no such key), or its value. */
export type MetaCompare = { readonly key: string; readonly modRevision: bigint } | { readonly key: string; readonly value: Uint8Array };

/** One write of a transaction. */
export type MetaOp =
  { readonly op: "put"; readonly key: string; readonly value: Uint8Array } | { readonly op: "delete"; readonly key: string };

/** If every compare holds, `then`; else `else`. A branch names each key at most once. At most 1,024 parts in each of the three. */
export interface MetaTxn {
  readonly if: readonly MetaCompare[];
  readonly then: readonly MetaOp[];
  readonly else?: readonly MetaOp[] | undefined;
}

/** Which branch was taken, and the revision it made; the current one if it wrote nothing. */
export interface MetaTxnResult {
  readonly succeeded: boolean;
  readonly revision: bigint;
}

/** How much of a range is wanted. */
export interface MetaRangeOptions extends Abortable {
  /** At most so many entries, at least 1. Default: all. */
  readonly limit?: number | undefined;
  /** Only keys behind this one: the last of the page before. */
  readonly after?: string | undefined;
}

/** A range, or a page of it. */
export interface MetaRange {
  readonly entries: MetaEntry[];
  /** All entries are as of this revision. */
  readonly revision: bigint;
  /** There are keys behind the last entry. */
  readonly more: boolean;
}

/**
 * Where metadata is kept. Reads see every write that had resolved when they were called; a write resolves once it is durable.
 *
 * It is made for small things: the keys and values of one call come to at most 1.5 MiB (1,572,864 bytes) together, and a transaction has at most 1,024
 * compares and 1,024 operations in each branch. Beyond it is `too-large`, with `limit` and `size`.
 *
 * @throws `invalid-argument` for an empty or ill-formed key and the like, and `too-large`, before anything is written; `closed`; the signal's reason.
 */
export interface MetaStore extends Closable {
  get(key: string, options?: Abortable): Promise<MetaEntry | undefined>;
  /** Keys that begin with `prefix` ("": all), ascending by UTF-8 bytes, as of one revision. */
  range(prefix: string, options?: MetaRangeOptions): Promise<MetaRange>;
  /** Resolves with the revision that it made. */
  put(key: string, value: Uint8Array, options?: Abortable): Promise<bigint>;
  /** Whether there was something to delete. */
  delete(key: string, options?: Abortable): Promise<boolean>;
  /** One atomic step: nobody writes between the compares and the branch, and all of the branch is there or nothing. */
  txn(txn: MetaTxn, options?: Abortable): Promise<MetaTxnResult>;
  /** Refuses new calls with `closed`, and resolves once those under way are settled. */
  close(): Promise<void>;
}
