import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hex, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { int64MessageId } from "./int64-message-id.js";
import { type BackendName, backendNames } from "./message-id.js";
import { type MsgPosition, positionFromBytes, positionToBytes } from "./msg-position.js";
import { timeTickFrom } from "../base/time-tick.js";

interface PositionCase extends VectorCase<{
  readonly channelName: string;
  readonly msgGroup: string;
  readonly msgIdHex: string;
  readonly timestamp: string;
}> {
  readonly bytes: string;
}

const positions = vectorCases<PositionCase>("msg-positions").filter(({ name }) => name.startsWith("position/"));
const backendIn = (name: string): BackendName => backendNames.find((backend) => name.startsWith(`position/${backend}/`)) ?? "rocksmq";

describe("a position", () => {
  it.each(positions)("has Milvus's bytes: $name", ({ name, bytes, meaning }) => {
    const position = positionFromBytes(unhex(bytes), backendIn(name));

    expect(position).toMatchObject({ channelName: meaning.channelName, msgGroup: meaning.msgGroup, timestamp: BigInt(meaning.timestamp) });
    // Of an id that is too long, the bytes that count are kept.
    if (name === "position/long-id") return;
    expect(hex(position.msgId?.toBytes() ?? new Uint8Array(0))).toBe(meaning.msgIdHex);
    expect(hex(positionToBytes(position))).toBe(bytes);
  });

  it("keeps what was read beyond it in a field that Milvus ignores", () => {
    const position: MsgPosition = {
      channelName: "c",
      msgGroup: "g",
      msgId: int64MessageId("kafka", 5n),
      readMsgId: int64MessageId("kafka", 9n),
      timestamp: timeTickFrom(7n),
    };

    expect(positionFromBytes(positionToBytes(position), "kafka")).toEqual(position);
  });

  it("takes the back-end that newer Milvus names, when none is given", () => {
    // channel "c", an id of 8 bytes, field 5 = 3 (Kafka)
    const bytes = unhex("0a0163120809000000000000002803");

    expect(positionFromBytes(bytes).msgId?.backend).toBe("kafka");
    expect(positionFromBytes(bytes, "memory").msgId?.backend).toBe("memory");
  });

  it("says which field of its bytes is no position", () => {
    expect(() => positionFromBytes(unhex("120108"))).toThrow("position.msgID, offset 0");
    expect(() => positionFromBytes(unhex("0a03c3"))).toThrow("position.channel_name, offset 1");
  });

  it("comes of any bytes, or a typed error does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          const position = positionFromBytes(bytes);
          expect(positionFromBytes(positionToBytes(position))).toEqual(position);
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid-argument" });
        }
      }),
    );
  });
});
