import { expect, it, onTestFinished } from "vitest";
import { int64MessageId, type MsgPosition, timeTick } from "../../message/index.js";
import { openRocksMq, streamQueueOf } from "../../rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import { LagWatch } from "./lag-watch.js";
import { TailBoard } from "./tail-board.js";

it("counts records and not ids: what a batch that failed left out is not behind", async () => {
  const [clock, vfs] = [new ManualClock(), new MemoryVfs()];
  const mq = await openRocksMq({ dir: "/queue", vfs, clock, prefill: "off" });
  onTestFinished(() => mq.close());
  const names = ["read", "behind", "silent", "latest", "unknown", "empty"];
  for (const name of names) await mq.createChannel(name);
  const produce = async (name: string, count: number): Promise<bigint> =>
    (
      await mq.produce(
        name,
        Array.from({ length: count }, () => ({ payload: new Uint8Array(1) })),
      )
    ).lastId;
  const [read, behind, latest] = [await produce("read", 2), await produce("behind", 2), await produce("latest", 3)];
  await produce("silent", 3);
  await produce("unknown", 3);
  const full = vfs.failNext({ op: "write", path: /\.seg$/, code: "ENOSPC" });
  await expect(produce("behind", 50)).rejects.toMatchObject({ code: "disk-full" });
  expect(full.fired()).toBe(true);
  await produce("behind", 2);
  const at = (channelName: string, msgId: bigint | undefined, readMsgId: bigint): MsgPosition => ({
    channelName,
    msgId: msgId === undefined ? undefined : int64MessageId("rocksmq", msgId),
    msgGroup: "tail",
    timestamp: timeTick(1),
    readMsgId: int64MessageId("rocksmq", readMsgId),
  });
  const board = new TailBoard(names);
  board.took({
    beginTs: timeTick(0),
    endTs: timeTick(1),
    msgs: [],
    startPositions: [],
    // Of the silent one nothing was read, and the latest began behind what it had.
    endPositions: [at("read", read - 1n, read), at("behind", behind, behind), at("silent", undefined, -1n), at("latest", latest, -1n)],
  });

  const watch = new LagWatch(streamQueueOf(mq), board, names, clock);
  await watch.close();

  expect(
    board
      .lines(1, 100)
      .slice(2)
      .map((line) => line.split(/\s+/).filter((_, place, words) => place === 0 || place === words.length - 1)),
  ).toEqual([
    ["read", "0"],
    ["behind", "2"],
    ["silent", "3"],
    ["latest", "0"],
    ["unknown", "-"],
    ["empty", "0"],
  ]);
});
