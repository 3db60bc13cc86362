/**
 * `tidemark/rocksmq`: the embedded, durable queue.
 */
export * from "../base/every-door.js";
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
export type { BackendName, IdAllocator, MessageId } from "../meta/index.js";
export type { ConsumerMessage, ProduceResult, ProducerMessage } from "./messages.js";
export { type ImportMilvusOptions, importMilvusRocksMq } from "./import-milvus.js";
export { openRocksMq } from "./open.js";
export type { RocksMqOptions } from "./options.js";
export type { ResumePoint } from "./resume-points.js";
export { type FollowingReader, type StreamQueue, streamQueueOf } from "./stream-queue.js";
