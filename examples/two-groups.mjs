/**
 * Two groups read the same channel, each on its own cursor, as fast as each likes.
 *
 * Prints
 *     dashboard read 5, lag 0
 *     billing read 2, lag 3
 */
import { openRocksMq } from "tidemark/rocksmq";

const mq = await openRocksMq({ dir: "./flights-data" });
try {
  await mq.createChannel("flights", { ifNotExists: true });
  await mq.createConsumerGroup("dashboard", { ifNotExists: true });
  await mq.createConsumerGroup("billing", { ifNotExists: true });
  const departures = ["ATL 06:10", "ORD 06:15", "DFW 06:20", "ATL 06:25", "ORD 06:30"];
  await mq.produce(
    "flights",
    departures.map((text) => ({ payload: Buffer.from(text), properties: { kind: "departure" } })),
  );

  for (const [group, appetite] of /** @type {const} */ ([
    ["dashboard", 100],
    ["billing", 2],
  ])) {
    const messages = await mq.consume(group, "flights", appetite);
    const { groups } = await mq.describeChannel("flights");
    console.log(`${group} read ${messages.length}, lag ${groups.find((cursor) => cursor.group === group)?.lag}`);
  }
} finally {
  await mq.close();
}
