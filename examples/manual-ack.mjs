/**
 * A worker that acknowledges only what it has done. What it had in hand when it failed is delivered again, to whoever is next.
 *
 * Prints
 *     done: resize cat.png
 *     failed: resize dog.png
 *     done: resize dog.png
 *     done: resize owl.png
 */
import { openRocksMq } from "tidemark/rocksmq";

const mq = await openRocksMq({ dir: "./jobs-data" });
try {
  await mq.createChannel("jobs", { ifNotExists: true });
  await mq.createConsumerGroup("workers", { ifNotExists: true });
  const jobs = ["resize cat.png", "resize dog.png", "resize owl.png"].map((job) => ({ payload: Buffer.from(job) }));
  const { lastId } = await mq.produce("jobs", jobs);

  try {
    await work(lastId, "resize dog.png");
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
  }
  await work(lastId);
} finally {
  await mq.close();
}

/**
 * Does one job after the other up to `lastId`, or until it meets the one that it can't do.
 * @param {bigint} lastId
 * @param {string} [tooHard]
 */
async function work(lastId, tooHard) {
  const inbox = mq.subscribe("workers", "jobs", { ack: "manual", batch: 10 });
  for await (const batch of inbox) {
    for (const { id, payload } of batch) {
      const job = Buffer.from(payload).toString();
      if (job === tooHard) throw new Error(`failed: ${job}`);
      console.log(`done: ${job}`);
      await inbox.ack(id);
      if (id === lastId) return;
    }
  }
}
