/**
 * Two channels joined in time order: what the door let in, beside what the sensor measured. It stops in the middle and goes on from its checkpoint.
 *
 * Prints
 *     up to 10: door opens, 19.5 degrees
 *     up to 20: 18.9 degrees
 *     (a restart)
 *     up to 30: 18.2 degrees, door shuts
 */
import { positionFromBytes, positionToBytes, timeTickFrom, tsMsg } from "tidemark/message";
import { rocksMqMsgStreamFactory } from "tidemark/msgstream";
import { openRocksMq } from "tidemark/rocksmq";

const channels = ["door", "sensor"];

/** @param {number} at @param {string} text */
const said = (at, text) => tsMsg({ type: "user", timestamp: timeTickFrom(BigInt(at)), payload: Buffer.from(text) });
/** "Nothing at or before this comes any more." @param {number} at */
const tick = (at) => tsMsg({ type: "timeTick", timestamp: timeTickFrom(BigInt(at)) });
/** A pack's messages come channel by channel: whoever wants them in time order sorts each pack. @param {import("tidemark/message").MsgPack} pack */
const inOrder = ({ msgs }) => [...msgs].sort((one, other) => Number(one.endTs - other.endTs));
/** @param {import("tidemark/message").MsgPack} pack */
const show = (pack) =>
  console.log(
    `up to ${pack.endTs}: ${inOrder(pack)
      .flatMap((msg) => (msg.type === "user" ? [Buffer.from(msg.body.payload).toString()] : []))
      .join(", ")}`,
  );

const mq = await openRocksMq({ dir: "./house-data" });
const factory = rocksMqMsgStreamFactory(mq);
try {
  for (const [channel, msgs] of /** @type {const} */ ([
    ["door", [said(3, "door opens"), tick(10), tick(20), said(28, "door shuts"), tick(30)]],
    ["sensor", [said(7, "19.5 degrees"), tick(10), said(15, "18.9 degrees"), tick(20), said(22, "18.2 degrees"), tick(30)]],
  ])) {
    const producer = await factory.newMsgStream();
    await producer.asProducer([channel]);
    await producer.broadcast({ msgs });
  }

  /** What a program keeps beside its own results, in one write with them. @type {Uint8Array[]} */
  let checkpoint = [];
  const first = await factory.newTtMsgStream();
  await first.asConsumer(channels, "house");
  for await (const pack of first) {
    show(pack);
    checkpoint = pack.endPositions.map(positionToBytes);
    if (pack.endTs >= 20n) break;
  }
  await first.close();

  console.log("(a restart)");
  const second = await factory.newTtMsgStream();
  await second.asConsumer(channels, "house", "unknown");
  await second.seek(checkpoint.map((bytes) => positionFromBytes(bytes)));
  const pack = await second.consume();
  if (pack !== undefined) show(pack);
} finally {
  await factory.close();
  await mq.close();
}
