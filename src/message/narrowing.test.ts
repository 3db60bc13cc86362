/**
 * What the compiler knows of a message once its type was asked for. The compiler is the judge: `npm test` typechecks first.
 */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { InsertMessageHeader } from "./gen/milvus/messages_pb.js";
import type { DeleteRequest, InsertRequest } from "./gen/milvus/msg_pb.js";
import { decodeMessage } from "./decode-message.js";
import { draftMessage, message } from "./draft-message.js";
import { stampMessage } from "./encode-message.js";
import { int64MessageId } from "./int64-message-id.js";
import type { StoredMessage } from "./stored-message.js";
import { timeTick } from "../base/time-tick.js";
import { type TsMsg, tsMsg } from "./ts-msg.js";

function stored(): StoredMessage {
  const draft = message.insert({ vchannel: "v", header: { collectionId: 7n }, body: { numRows: 1n } });
  return decodeMessage(stampMessage(draft, { timeTick: timeTick(1), lastConfirmedMessageId: undefined }), int64MessageId("memory", 1n));
}

describe("the type of a message", () => {
  it("narrows header and body of a stored one", () => {
    const m = stored();

    if (m.type === "insert") {
      expectTypeOf(m.header).toEqualTypeOf<InsertMessageHeader>();
      expectTypeOf(m.body).toEqualTypeOf<InsertRequest>();
      expect([m.header.collectionId, m.body.numRows]).toEqual([7n, 1n]);
    } else if (m.type === "user") {
      expectTypeOf(m.body).toEqualTypeOf<Uint8Array>();
      expectTypeOf(m.header).toEqualTypeOf<undefined>();
    } else if (m.kind === "txn") {
      expectTypeOf(m.type).toEqualTypeOf<"txn">();
    }
    expect(m.type).toBe("insert");
  });

  it("narrows the body of one of the stream", () => {
    const msg = tsMsg({ type: "delete", timestamp: timeTick(1) }) as TsMsg;

    if (msg.type === "delete") expectTypeOf(msg.body).toEqualTypeOf<DeleteRequest>();
    expectTypeOf(tsMsg({ type: "insert", timestamp: timeTick(1) }).body).toEqualTypeOf<InsertRequest>();
    expect(msg.type).toBe("delete");
  });

  it("says which fields a draft may have", () => {
    // @ts-expect-error a number is no bigint
    expect(() => message.insert({ vchannel: "v", header: { collectionId: 7 } })).toThrow("header.collectionId must be a bigint");
    // @ts-expect-error system types have no builder
    expect(message.timeTick).toBeUndefined();
    expect(draftMessage("timeTick", { vchannel: "v" }).type).toBe("timeTick");
  });
});
