/**
 * `tidemark/msgstream`: many channels as one stream of packs.
 */
export { type AnyTidemarkError, type ErrorCode, type ErrorDetails, isTidemarkError, TidemarkError } from "../base/errors.js";
export type { Abortable, Closable } from "../base/closable.js";
export type { Brand } from "../base/brand.js";
export type { Clock } from "../base/clock.js";
export { jsonReplacer } from "../base/json.js";
export type { Logger } from "../base/logger.js";
export type { Metrics } from "../base/metrics.js";
export {
  addMs,
  type BackendName,
  logicalOf,
  maxTick,
  type MessageId,
  messageIdFromBytes,
  messageIdFromString,
  type MsgPack,
  physicalMs,
  type TimeTick,
  timeTick,
  timeTickFrom,
} from "../message/index.js";
export type { ConsumerPosition, MsgStream, MsgStreamFactory, SeekOptions } from "./door.js";
export { memoryMsgStreamFactory, rocksMqMsgStreamFactory } from "./factory.js";
export type { StreamOptions, TtOptions } from "./options.js";
export type { RepackFunc } from "./repack.js";
export type { MsgStreamEvent } from "./stream-events.js";
export { openTicker, type Ticker, type TickerOptions } from "./ticker.js";
