/**
 * `tidemark/meta`: metadata, ids, the timestamp oracle, the channel service.
 */
export * from "../base/every-door.js";
export { type BackendName, type MessageId, messageIdFromBytes, messageIdFromString } from "../message/index.js";
export type { OwnerDescription } from "./channels/channel-lot.js";
export type { ChannelServiceOptions, ChannelsRequest, CreateChannelsRequest } from "./channels/channel-requests.js";
export { type ChannelService, openChannelService, type OwnedChannel } from "./channels/channel-service.js";
export type { ChannelStore } from "./channels/channel-store.js";
export { type EmbeddedMetaOptions, openEmbeddedMeta } from "./embedded/open-embedded-meta.js";
export { type IdAllocator, openIdAllocator } from "./ids/id-allocator.js";
export type { SourceOptions } from "./ids/source-options.js";
export { openTimestampOracle, type TimestampOracle } from "./ids/timestamp-oracle.js";
export type { MetaCompare, MetaEntry, MetaOp, MetaRange, MetaRangeOptions, MetaStore, MetaTxn, MetaTxnResult } from "./meta-store.js";
