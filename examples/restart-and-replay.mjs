/**
 * After a restart a group goes on where it was; and anybody may read the past again, from a time, an id or the beginning.
 *
 * Prints
 *     before the restart: mon, tue
 *     after the restart: wed
 *     replayed from tuesday: tue, wed
 */
import { openRocksMq } from "tidemark/rocksmq";

/** @param {readonly { payload: Uint8Array }[]} messages */
const texts = (messages) => messages.map(({ payload }) => Buffer.from(payload).toString()).join(", ");

let tuesday = 0n;
let mq = await openRocksMq({ dir: "./days-data" });
try {
  await mq.createChannel("days", { ifNotExists: true });
  await mq.createConsumerGroup("diary", { ifNotExists: true });
  const { firstId } = await mq.produce(
    "days",
    ["mon", "tue", "wed"].map((day) => ({ payload: Buffer.from(day) })),
  );
  tuesday = firstId + 1n;
  console.log(`before the restart: ${texts(await mq.consume("diary", "days", 2))}`);
} finally {
  await mq.close();
}

mq = await openRocksMq({ dir: "./days-data" });
try {
  console.log(`after the restart: ${texts(await mq.consume("diary", "days", 100))}`);
  // A reader needs no group and moves no cursor.
  for await (const batch of mq.read("days", { from: tuesday })) console.log(`replayed from tuesday: ${texts(batch)}`);
} finally {
  await mq.close();
}
