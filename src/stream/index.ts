/**
 * `tidemark/msgstream`: many channels as one stream of packs.
 */
export * from "../base/every-door.js";
export { type BackendName, type MessageId, messageIdFromBytes, messageIdFromString, type MsgPack } from "../message/index.js";
export type { ConsumerPosition, MsgStream, MsgStreamFactory, SeekOptions } from "./door.js";
export { memoryMsgStreamFactory, rocksMqMsgStreamFactory } from "./factory.js";
export type { StreamOptions, TtOptions } from "./options.js";
export type { RepackFunc } from "./repack.js";
export type { MsgStreamEvent } from "./stream-events.js";
export { openTicker, type Ticker, type TickerOptions } from "./ticker.js";
