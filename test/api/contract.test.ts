/**
 * What we export fits the contract of the doors, and back where anybody may implement it. The compiler is the judge: `npm test` typechecks
 * first. What is left to run is that values are values.
 *
 * Classes are compared one way only: nobody but us makes a `TidemarkError` or a `ManualClock`.
 */
import { describe, expect, it } from "vitest";
import * as messageDoor from "../../src/message/index.js";
import * as streamDoor from "../../src/stream/index.js";
import * as rocksmqDoor from "../../src/rocksmq/index.js";
import * as metaDoor from "../../src/meta/index.js";
import * as testingDoor from "../../src/testing/index.js";
import * as everyDoor from "../../src/index.js";
import type * as common from "./contract/common.js";
import type * as message from "./contract/message.js";
import type * as meta from "./contract/meta.js";
import type * as msgstream from "./contract/msgstream.js";
import type * as rocksmq from "./contract/rocksmq.js";
import type * as testing from "./contract/testing.js";

/** Does not compile unless what is given may stand where the other is wanted. */
type Fits<Given extends Wanted, Wanted> = Given;

/** A program written against the contract runs on ours. */
export type OursFitTheContract = [
  Fits<everyDoor.ErrorCode, common.ErrorCode>,
  Fits<everyDoor.ErrorDetails, common.ErrorDetails>,
  Fits<everyDoor.TidemarkError, common.TidemarkError>,
  Fits<everyDoor.TidemarkError<"locked">, common.TidemarkError<"locked">>,
  Fits<typeof everyDoor.isTidemarkError, (e: unknown, code?: common.ErrorCode) => boolean>,
  Fits<everyDoor.Closable, common.Closable>,
  Fits<everyDoor.Clock, common.Clock>,
  Fits<everyDoor.Metrics, common.Metrics>,
  Fits<everyDoor.Logger, common.Logger>,
  Fits<messageDoor.MessageId, common.MessageId>,
  Fits<ReturnType<typeof messageDoor.timeTick>, bigint>,
  Fits<typeof messageDoor.messageIdFromString, typeof common.messageIdFromString>,
  Fits<typeof messageDoor.messageIdFromBytes, typeof common.messageIdFromBytes>,
  Fits<keyof typeof messageDoor.messageTypeNumber, string>,
  Fits<Exclude<message.MessageType, "unknown">, keyof typeof messageDoor.messageTypeNumber>,
  Fits<typeof messageDoor.msgTypeNumber, typeof message.msgTypeNumber>,
  Fits<typeof messageDoor.MsgType, typeof message.MsgType>,
  Fits<keyof typeof message.message, keyof typeof messageDoor.message>,
  Fits<messageDoor.DraftMessage, Record<keyof message.DraftMessage, unknown>>,
  Fits<messageDoor.AnyPlainMessage, Record<Exclude<keyof message.AnyPlainMessage, "barrierTimeTick" | "term" | "txn">, unknown>>,
  Fits<messageDoor.TxnMessage, Record<keyof message.TxnMessage, unknown>>,
  Fits<messageDoor.WireMessage, message.WireMessage>,
  Fits<messageDoor.TsMsg, Record<Exclude<keyof message.TsMsg, "position" | "late">, unknown>>,
  Fits<messageDoor.MsgPosition, Record<Exclude<keyof message.MsgPosition, "readMsgId">, unknown>>,
  Fits<typeof messageDoor.hashInt64, typeof message.hashInt64>,
  Fits<typeof messageDoor.hashString, typeof message.hashString>,
  Fits<typeof messageDoor.hashToBuckets, typeof message.hashToBuckets>,
  Fits<typeof rocksmqDoor.openRocksMq, typeof rocksmq.openRocksMq>,
  Fits<rocksmqDoor.RocksMq, rocksmq.RocksMq>,
  Fits<rocksmqDoor.Reader, rocksmq.Reader>,
  Fits<rocksmqDoor.Subscription, rocksmq.Subscription>,
  Fits<rocksmqDoor.ConsumerMessage, rocksmq.ConsumerMessage>,
  Fits<rocksmqDoor.ProduceResult, rocksmq.ProduceResult>,
  Fits<rocksmqDoor.ChannelDescription, rocksmq.ChannelDescription>,
  Fits<rocksmqDoor.RocksMqEvent, rocksmq.RocksMqEvent>,
  Fits<typeof metaDoor.openEmbeddedMeta, typeof meta.openEmbeddedMeta>,
  Fits<typeof metaDoor.openIdAllocator, typeof meta.openIdAllocator>,
  Fits<typeof metaDoor.openTimestampOracle, typeof meta.openTimestampOracle>,
  Fits<typeof metaDoor.openChannelService, typeof meta.openChannelService>,
  Fits<metaDoor.MetaStore, meta.MetaStore>,
  Fits<rocksmqDoor.RocksMq, meta.ChannelStore>,
  Fits<streamDoor.MsgStream, Record<keyof msgstream.MsgStream, unknown>>,
  Fits<streamDoor.MsgStreamFactory, Record<keyof msgstream.MsgStreamFactory, unknown>>,
  Fits<streamDoor.MsgPack, Record<keyof msgstream.MsgPack, unknown>>,
  Fits<streamDoor.Ticker, Record<keyof msgstream.Ticker, unknown>>,
  Fits<streamDoor.MsgStreamEvent["type"], msgstream.MsgStreamEvent["type"]>,
  Fits<msgstream.MsgStreamEvent["type"], streamDoor.MsgStreamEvent["type"]>,
  Fits<Parameters<streamDoor.MsgStream["asConsumer"]>, Parameters<msgstream.MsgStream["asConsumer"]>>,
  Fits<Parameters<msgstream.MsgStream["asConsumer"]>, Parameters<streamDoor.MsgStream["asConsumer"]>>,
  Fits<typeof testingDoor.ManualClock, typeof testing.ManualClock>,
  Fits<typeof testingDoor.MemoryVfs, typeof testing.MemoryVfs>,
  Fits<testingDoor.Vfs, testing.Vfs>,
];

/** What a user makes by the contract is taken by ours. */
export type TheContractFitsOurs = [
  Fits<common.ErrorCode, everyDoor.ErrorCode>,
  Fits<common.ErrorDetails, everyDoor.ErrorDetails>,
  Fits<common.Closable, everyDoor.Closable>,
  Fits<common.Abortable, everyDoor.Abortable>,
  Fits<common.Clock, everyDoor.Clock>,
  Fits<common.Metrics, everyDoor.Metrics>,
  Fits<common.Logger, everyDoor.Logger>,
  Fits<msgstream.TtOptions, streamDoor.TtOptions>,
  Fits<streamDoor.TtOptions, msgstream.TtOptions>,
  Fits<keyof msgstream.StreamOptions, keyof streamDoor.StreamOptions>,
  Fits<rocksmq.RocksMqOptions, rocksmqDoor.RocksMqOptions>,
  Fits<rocksmq.Retention, rocksmqDoor.Retention>,
  Fits<rocksmq.ProducerMessage, rocksmqDoor.ProducerMessage>,
  Fits<rocksmq.RocksMq, rocksmqDoor.RocksMq>,
  Fits<meta.IdAllocator, rocksmqDoor.IdAllocator>,
  Fits<meta.IdAllocator, metaDoor.IdAllocator>,
  Fits<meta.MetaStore, metaDoor.MetaStore>,
  Fits<meta.MetaCompare, metaDoor.MetaCompare>,
  Fits<meta.MetaOp, metaDoor.MetaOp>,
  Fits<meta.OwnerDescription, metaDoor.OwnerDescription>,
  Fits<meta.ChannelStore, metaDoor.ChannelStore>,
];

/** The types that all share. */
export type EveryDoorNamesThem = [
  rocksmqDoor.Abortable | rocksmqDoor.BackendName | rocksmqDoor.Brand<string, "b"> | rocksmqDoor.Clock | rocksmqDoor.Closable,
  (
    | rocksmqDoor.ErrorCode
    | rocksmqDoor.ErrorDetails
    | rocksmqDoor.Logger
    | rocksmqDoor.MessageId
    | rocksmqDoor.Metrics
    | rocksmqDoor.TimeTick
  ),
  metaDoor.Abortable | metaDoor.BackendName | metaDoor.Brand<string, "b"> | metaDoor.Clock | metaDoor.Closable,
  metaDoor.ErrorCode | metaDoor.ErrorDetails | metaDoor.Logger | metaDoor.MessageId | metaDoor.Metrics | metaDoor.TimeTick,
  messageDoor.Abortable | messageDoor.BackendName | messageDoor.Brand<string, "b"> | messageDoor.Clock | messageDoor.Closable,
  (
    | messageDoor.ErrorCode
    | messageDoor.ErrorDetails
    | messageDoor.Logger
    | messageDoor.MessageId
    | messageDoor.Metrics
    | messageDoor.TimeTick
  ),
  streamDoor.Abortable | streamDoor.BackendName | streamDoor.Brand<string, "b"> | streamDoor.Clock | streamDoor.Closable,
  streamDoor.ErrorCode | streamDoor.ErrorDetails | streamDoor.Logger | streamDoor.MessageId | streamDoor.Metrics | streamDoor.TimeTick,
  testingDoor.Abortable | testingDoor.Brand<string, "b"> | testingDoor.Clock | testingDoor.Closable,
  testingDoor.ErrorCode | testingDoor.ErrorDetails | testingDoor.Logger | testingDoor.Metrics | testingDoor.TimeTick,
];

describe("the doors of the contract", () => {
  it("hold their values", () => {
    expect(rocksmqDoor.openRocksMq).toBeTypeOf("function");
    expect(messageDoor.message.insert).toBeTypeOf("function");
    for (const name of [
      "decodeMessage",
      "encodeMessage",
      "tsMsg",
      "withPosition",
      "marshal",
      "positionToBytes",
      "positionFromBytes",
      "jsonReplacer",
    ] as const)
      expect(Reflect.get(messageDoor, name)).toBeTypeOf("function");
    for (const factory of [messageDoor.protoUnmarshal, messageDoor.memUnmarshal])
      expect(factory.newUnmarshalDispatcher).toBeTypeOf("function");
    expect(metaDoor.openEmbeddedMeta).toBeTypeOf("function");
    expect(metaDoor.openIdAllocator).toBeTypeOf("function");
    expect(metaDoor.openTimestampOracle).toBeTypeOf("function");
    expect(metaDoor.openChannelService).toBeTypeOf("function");
    expect(testingDoor.ManualClock).toBeTypeOf("function");
    expect(testingDoor.MemoryVfs).toBeTypeOf("function");
    expect(everyDoor.TidemarkError).toBeTypeOf("function");
    expect(everyDoor.isTidemarkError).toBeTypeOf("function");
  });

  it.each(Object.entries({ rocksmqDoor, metaDoor, messageDoor, streamDoor, testingDoor }))("each have what all share: %s", (_, door) => {
    expect(door).toMatchObject({
      TidemarkError: everyDoor.TidemarkError,
      isTidemarkError: everyDoor.isTidemarkError,
      jsonReplacer: everyDoor.jsonReplacer,
    });
    const { addMs, logicalOf, maxTick, physicalMs, timeTick, timeTickFrom } = everyDoor;
    expect(door).toMatchObject({ addMs, logicalOf, maxTick, physicalMs, timeTick, timeTickFrom });
  });

  it.each(Object.entries({ metaDoor, messageDoor, streamDoor }))("that speak in ids can make and read them: %s", (_, door) => {
    const { messageIdFromBytes, messageIdFromString } = everyDoor;
    expect(door).toMatchObject({ messageIdFromBytes, messageIdFromString });
  });

  it("are all in one", () => {
    expect(streamDoor.memoryMsgStreamFactory).toBeTypeOf("function");
    expect(streamDoor.rocksMqMsgStreamFactory).toBeTypeOf("function");
    expect(streamDoor.openTicker).toBeTypeOf("function");
    expect(everyDoor).toMatchObject({ ...messageDoor, ...streamDoor, ...rocksmqDoor, ...metaDoor, ...testingDoor });
  });
});
