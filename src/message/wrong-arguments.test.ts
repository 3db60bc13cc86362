/**
 * What is no message, record or id at all is refused by name, as at every door: never a TypeError, and never `corrupt`, which would blame the data.
 */
import { describe, expect, it } from "vitest";
import { decodeMessage, encodeDraft, int64MessageId, isStreamingRecord, marshal, message, MilvusViewer } from "./index.js";
import { protoUnmarshal, stampMessage, timeTick, unmarshalRecord, wireSize } from "./index.js";

const id = int64MessageId("rocksmq", 9n);
const draft = message.user({ vchannel: "v", payload: new Uint8Array(1) });
const stamp = { timeTick: timeTick(1), lastConfirmedMessageId: id };
const wire = stampMessage(draft, stamp);
const wrong = [undefined, null, 5, "text", [], {}];
const noRecords = [
  ...wrong,
  { payload: "x", properties: {} },
  { payload: new Uint8Array(0) },
  { payload: new Uint8Array(0), properties: null },
];

/** Calls it as JavaScript may: with anything. */
function calling(f: (...args: never[]) => unknown, ...args: unknown[]): () => unknown {
  return (): unknown => {
    const result: unknown = Reflect.apply(f, undefined, args);
    return result;
  };
}

const refused: unknown = expect.objectContaining({ code: "invalid-argument", effect: "none" });

describe("refused by name", () => {
  it.each(noRecords)("what is no record: %j", (record) => {
    const viewer = new MilvusViewer();

    expect(calling(decodeMessage, record, id)).toThrow(refused);
    expect(calling(isStreamingRecord, record)).toThrow(refused);
    expect(calling(unmarshalRecord, record, protoUnmarshal.newUnmarshalDispatcher())).toThrow(refused);
    expect(calling(viewer.view.bind(viewer), record, id)).toThrow(refused);
    expect(calling(wireSize, record)).toThrow(refused);
  });

  it.each(wrong)("what is no id: %j", (bad) => {
    expect(calling(decodeMessage, wire, bad)).toThrow(refused);
    if (bad !== undefined) expect(calling(stampMessage, draft, { ...stamp, lastConfirmedMessageId: bad })).toThrow(refused);
  });

  it.each(wrong)("what is no draft, stamp, transaction or message: %j", (bad) => {
    expect(calling(encodeDraft, bad)).toThrow(refused);
    expect(calling(encodeDraft, { ...draft, type: bad })).toThrow(refused);
    expect(calling(stampMessage, draft, bad)).toThrow(refused);
    if (bad !== undefined) expect(calling(stampMessage, draft, { ...stamp, txn: bad })).toThrow(refused);
    expect(calling(marshal, bad)).toThrow(refused);
    expect(calling(marshal, { type: bad })).toThrow(refused);
    expect(calling(marshal, { type: "insert", body: bad })).toThrow(refused);
  });
});
