// The contract, copied: tidemark/meta without what comes with etcd (watches, leases).
import type { Abortable, Clock, Closable } from "./common.js";
import type { TimeTick } from "../../../src/message/index.js";

/** An ordered map with revisions: etcd's model. Every call has a deadline; a lost answer to a write is effect "unknown".
 *  get, range, put, delete, txn come first (embedded store); watch and leases with etcd. */
export interface MetaStore extends Closable {
  get(key: string, o?: Abortable): Promise<MetaEntry | undefined>;
  /** Keys that begin with `prefix`, ascending by UTF-8 bytes, as of one revision. */
  range(
    prefix: string,
    o?: Abortable & { limit?: number; after?: string },
  ): Promise<{ entries: MetaEntry[]; revision: bigint; more: boolean }>;
  put(key: string, value: Uint8Array, o?: Abortable): Promise<bigint>;
  delete(key: string, o?: Abortable): Promise<boolean>;
  /** If every compare holds, `then`, else `else`; one atomic step. */
  txn(
    t: { if: readonly MetaCompare[]; then: readonly MetaOp[]; else?: readonly MetaOp[] },
    o?: Abortable,
  ): Promise<{ succeeded: boolean; revision: bigint }>;
}
export interface MetaEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
}
/** modRevision 0n: the key does not exist. */
export type MetaCompare = { readonly key: string; readonly modRevision: bigint } | { readonly key: string; readonly value: Uint8Array };
export type MetaOp =
  { readonly op: "put"; readonly key: string; readonly value: Uint8Array } | { readonly op: "delete"; readonly key: string };
export function openEmbeddedMeta(o: { dir: string; clock?: Clock }): Promise<MetaStore>;
/** The seed's interface: [begin, end). Ids never repeat and never go back, over crashes and clock jumps. */
export interface IdAllocator {
  alloc(count: number): Promise<[begin: bigint, end: bigint]>;
  allocOne(): Promise<bigint>;
  updateId(): Promise<void>;
}
export function openIdAllocator(o: { meta: MetaStore; key?: string; clock?: Clock }): Promise<IdAllocator & Closable>;

/** `allocate(n)` returns the last of n consecutive ticks. Strictly increasing over crashes; at most 3 s ahead of the highest clock seen. */
export interface TimestampOracle {
  allocate(count?: number, o?: Abortable): Promise<TimeTick>;
  latest(): TimeTick;
}
export function openTimestampOracle(o: { meta: MetaStore; key?: string; clock?: Clock }): Promise<TimestampOracle & Closable>;

/** The seed's Message Stream Service (8.2). All or nothing; unknown names are all listed in the error. */
export interface ChannelService {
  createChannels(r: { ownerDescription: OwnerDescription; numChannels: number }): Promise<{ channelNames: string[] }>;
  destroyChannels(r: { channelNames: readonly string[] }): Promise<void>;
  /** @deprecated the seed's spelling */
  destoryChannels(r: { channelNames: readonly string[] }): Promise<void>;
  describeChannels(r: { channelNames: readonly string[] }): Promise<{ descriptions: { channelName: string; owner: OwnerDescription }[] }>;
}
export interface OwnerDescription {
  readonly role: string;
  readonly address: string;
  readonly descriptionText: string;
}
/** What the service makes channels in: RocksMq fits, other back-ends through their admin. */
export interface ChannelStore {
  createChannel(name: string): Promise<void>;
  destroyChannel(name: string): Promise<void>;
}
export function openChannelService(o: { meta: MetaStore; store: ChannelStore; namePrefix?: string }): Promise<ChannelService & Closable>;
