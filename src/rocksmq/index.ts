/**
 * `tidemark/rocksmq`: the embedded, durable queue.
 */
export { type AnyTidemarkError, type ErrorCode, type ErrorDetails, isTidemarkError, TidemarkError } from "../base/errors.js";
export type { Abortable, Closable } from "../base/closable.js";
export type { Brand } from "../base/brand.js";
export type { Clock } from "../base/clock.js";
export { jsonReplacer } from "../base/json.js";
export type { Logger } from "../base/logger.js";
export type { Metrics } from "../base/metrics.js";
export type { Vfs } from "../base/vfs.js";
export type {
  ChannelDescription,
  CreateChannelOptions,
  CreateGroupOptions,
  Reader,
  ReadOptions,
  Retention,
  RocksMq,
  SubscribeOptions,
  Subscription,
  WaitOptions,
} from "./door.js";
export type { RocksMqEvent } from "./events.js";
export type { BackendName, IdAllocator, MessageId, TimeTick } from "../meta/index.js";
export type { ConsumerMessage, ProduceResult, ProducerMessage } from "./messages.js";
export { type ImportMilvusOptions, importMilvusRocksMq } from "./import-milvus.js";
export { openRocksMq } from "./open.js";
export type { RocksMqOptions } from "./options.js";
export type { ResumePoint } from "./resume-points.js";
export { type FollowingReader, type StreamQueue, streamQueueOf } from "./stream-queue.js";
