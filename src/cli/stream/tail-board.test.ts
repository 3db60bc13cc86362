import { describe, expect, it } from "vitest";
import { int64MessageId, type MsgPack, type MsgPosition, timeTick, tsMsg, withPosition } from "../../message/index.js";
import { TailBoard } from "./tail-board.js";

function position(channelName: string, id: bigint): MsgPosition {
  return { channelName, msgId: int64MessageId("rocksmq", id), msgGroup: "tail", timestamp: timeTick(0) };
}

function pack(endMs: number, msgs: readonly (readonly [channel: string, ms: number, late?: true])[]): MsgPack {
  return {
    beginTs: timeTick(0),
    endTs: timeTick(endMs),
    startPositions: [],
    endPositions: [position("a", 10n), position("b", 20n)],
    msgs: msgs.map(([channel, ms, late]) => {
      const msg = withPosition(tsMsg({ type: "user", timestamp: timeTick(ms) }), position(channel, 1n));
      return late === undefined ? msg : { ...msg, late };
    }),
  };
}

describe("the board of a tail", () => {
  it("says that there is no watermark before the first pack", () => {
    expect(new TailBoard(["a", "bc"]).lines(5_000, 100)).toEqual([
      "no watermark yet: not every channel has shown a tick · 0 packs · 0 messages",
      "CHANNEL  MESSAGES  LATE  LAST MESSAGE  LAG",
      "a               0     0  -               -",
      "bc              0     0  -               -",
    ]);
  });

  it("shows how far the stream is complete, and how each channel stands", () => {
    const board = new TailBoard(["a", "b"]);

    board.took(
      pack(2_000, [
        ["a", 1_000],
        ["b", 1_500],
        ["a", 500],
      ]),
    );
    board.took(pack(3_000, [["a", 900, true]]));
    board.lags("a", 0n);
    board.lags("b", 1_234n);

    expect(board.lines(5_500, 100)).toEqual([
      "watermark 1970-01-01T00:00:03.000Z, 2.5 s behind · 2 packs · 4 messages",
      "CHANNEL  MESSAGES  LATE  LAST MESSAGE                LAG",
      "a               3     1  1970-01-01T00:00:01.000Z      0",
      "b               1     0  1970-01-01T00:00:01.500Z  1,234",
    ]);
    expect(board.positionOf("b")?.msgId?.toBytes()).toEqual(int64MessageId("rocksmq", 20n).toBytes());
  });
});
