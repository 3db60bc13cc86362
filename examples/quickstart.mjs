/**
 * The least that is useful: open a directory, produce, consume.
 *
 * Prints
 *     one espresso
 *     two croissants
 */
import { openRocksMq } from "tidemark/rocksmq";

const mq = await openRocksMq({ dir: "./orders-data" });
try {
  await mq.createChannel("orders", { ifNotExists: true });
  await mq.createConsumerGroup("billing", { ifNotExists: true });
  // Resolves once both are on the disk, synced: they are stored together or not at all.
  await mq.produce("orders", [{ payload: Buffer.from("one espresso") }, { payload: Buffer.from("two croissants") }]);
  for (const { payload } of await mq.consume("billing", "orders", 100)) console.log(Buffer.from(payload).toString());
} finally {
  await mq.close();
}
