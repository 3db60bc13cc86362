import { describe, expect, it } from "vitest";
import { int64MessageId, type MsgPack, timeTick, timeTickFrom, tsMsg, withPosition } from "../../message/index.js";
import { encodePack } from "./pack-text.js";

function place(id: bigint, readId = id) {
  const timestamp = timeTick(2_000);
  return { channelName: "a", msgId: int64MessageId("rocksmq", id), readMsgId: int64MessageId("rocksmq", readId), msgGroup: "g", timestamp };
}

describe("a pack as a line", () => {
  it("has its bounds, its messages and where to go on, 64-bit numbers as strings", () => {
    const text = tsMsg({ type: "user", timestamp: timeTick(1_000), payload: Buffer.from("one"), properties: { k: "v" } });
    const bytes = { ...tsMsg({ type: "user", timestamp: timeTick(1_500, 7), payload: Uint8Array.of(255) }), late: true as const };
    const pack: MsgPack = {
      beginTs: timeTickFrom(0n),
      endTs: timeTick(2_000),
      msgs: [withPosition(text, place(5n)), withPosition(bytes, place(6n))],
      startPositions: [],
      endPositions: [place(7n), { ...place(8n, 9n), channelName: "b" }],
    };

    const fields: unknown = JSON.parse(encodePack(pack));

    expect(fields).toEqual({
      beginTs: "0",
      endTs: "524288000",
      watermark: "1970-01-01T00:00:02.000Z",
      msgs: [
        {
          channel: "a",
          id: "5",
          type: "user",
          timestamp: "262144000",
          time: "1970-01-01T00:00:01.000Z",
          payload: "one",
          properties: { k: "v" },
        },
        {
          channel: "a",
          id: "6",
          type: "user",
          timestamp: "393216007",
          time: "1970-01-01T00:00:01.500Z",
          late: true,
          payloadBase64: "/w==",
        },
      ],
      positions: [
        { channel: "a", id: "7", timestamp: "524288000" },
        { channel: "b", id: "8", readId: "9", timestamp: "524288000" },
      ],
    });
  });

  it("has the body of a message that is not the user's own", () => {
    const tick = tsMsg({ type: "timeTick", timestamp: timeTick(1) });
    const pack: MsgPack = { beginTs: timeTick(0), endTs: timeTick(1), msgs: [tick], startPositions: [], endPositions: [] };

    expect(JSON.parse(encodePack(pack))).toMatchObject({ msgs: [{ type: "timeTick", body: { base: { timestamp: "262144" } } }] });
  });
});
