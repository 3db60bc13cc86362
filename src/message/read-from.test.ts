import { assert, describe, expect, it } from "vitest";
import { hex, unhex } from "../../test/message/vectors.js";
import { decodeMessage } from "./decode-message.js";
import { deliverFilterFromBytes, deliverFilterToBytes, deliverPolicyFromBytes, deliverPolicyToBytes } from "./deliver-bytes.js";
import { encodeMessage } from "./encode-message.js";
import { int64MessageId } from "./int64-message-id.js";
import { marshal } from "./marshal.js";
import { positionFromBytes, positionToBytes } from "./msg-position.js";
import { pchannelInfoFromBytes, pchannelInfoToBytes } from "./pchannel-info.js";
import { openStreamEnvelope, streamEnvelope } from "./rocksmq-row.js";
import { protoUnmarshal } from "./unmarshal.js";

/** A field of a newer Milvus: number 100, "new". */
const news = "a206036e6577";

const again: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  position: (bytes) => positionToBytes(positionFromBytes(bytes)),
  policy: (bytes) => deliverPolicyToBytes(deliverPolicyFromBytes(bytes)),
  filter: (bytes) => deliverFilterToBytes(deliverFilterFromBytes(bytes)),
  channel: (bytes) => pchannelInfoToBytes(pchannelInfoFromBytes(bytes)),
  envelope: (bytes) => streamEnvelope(openStreamEnvelope(bytes) ?? { payload: new Uint8Array(0), properties: {} }),
};

describe("what was read and is written again", () => {
  it.each([
    // Channel "c", an id of 8 bytes, then field 5: the log that it is of.
    ["position", "its back-end", "0a0163120809000000000000002803"],
    ["position", "a back-end that nobody knows", "0a01632863"],
    ["position", "further fields", `0a01632803${news}`],
    ["policy", "further fields", `0a00${news}`],
    ["policy", "further fields of its id", `1a0b0a01311001${news}`],
    ["filter", "further fields", `0a020805${news}`],
    ["filter", "further fields of what it asks for", `0a080805${news}`],
    ["filter", "further fields of what it asks for at least", `12080805${news}`],
    // Types 2, 4095 and 5.
    ["filter", "types that nobody knows", "1a060a0402ff1f05"],
    ["channel", "further fields", `0a01701001${news}`],
    ["envelope", "further fields", `fffefdfc53545245414d0a0107${news}`],
  ])("has of a %s %s", (kind, _what, bytes) => {
    expect(hex(again[kind]?.(unhex(bytes)) ?? new Uint8Array(0))).toBe(bytes);
  });

  it.each([
    ["import", "idempotency_key of an import", "0a0308980352036b6579"],
    ["delete", "keys of another kind", "0a0308910362041a020801"],
    ["insert", "further fields", `0a03089003${news}`],
    ["insert", "further fields of its base", `0a09089003${news}`],
  ] as const)("has of a body (%s) %s", (type, _what, bytes) => {
    const read = protoUnmarshal.newUnmarshalDispatcher().unmarshal(unhex(bytes), type);

    expect(hex(marshal(read).payload)).toBe(bytes);
  });

  it("has what a newer Milvus says of a transaction, also in a message that somebody makes of one that was read", () => {
    const context = Buffer.from(unhex(`08011005${news}`)).toString("base64");
    const properties = { _v: "2", _t: "10001", _tt: "ya", _lcs: "", _tx: context };
    const read = decodeMessage({ payload: new Uint8Array([7]), properties }, int64MessageId("rocksmq", 1n));
    assert(read.type === "user" && read.txn !== undefined);

    const { kind, type, typeNumber, version, vchannel, body, payload, id, timeTick, lastConfirmedMessageId, txn } = read;
    const fields = { kind, type, typeNumber, version, vchannel, body, payload, id, timeTick, lastConfirmedMessageId, txn };
    const made = encodeMessage({ ...fields, header: undefined, properties: { also: "this" } });

    expect(made.properties).toEqual({ ...properties, also: "this" });
  });

  it("shows no more than its fields, and a copy of it says what the copy has", () => {
    const read = positionFromBytes(unhex(`0a01632803${news}`));

    expect(Reflect.ownKeys(read)).toEqual(["channelName", "msgId", "msgGroup", "timestamp"]);
    expect(hex(positionToBytes({ ...read, channelName: "d" }))).toBe("0a0164");
  });
});
