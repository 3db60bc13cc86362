/**
 * What a stopped Milvus left in its message queue, as packs in time order: copies the queue, then reads channels of it as one stream.
 *
 *     npm install tidemark @nxtedition/rocksdb
 *     node tail-of-milvus.mjs ./rdb_data by-dev-rootcoord-dml_0 by-dev-rootcoord-dml_1
 *
 * Prints a line for each pack that holds more than ticks, and ends when all is read
 *     up to 2025-03-01T12:00:00.000Z: insert, insert, delete
 */
import { importMilvusRocksMq, openRocksMq } from "tidemark/rocksmq";
import { physicalMs } from "tidemark/message";
import { rocksMqMsgStreamFactory } from "tidemark/msgstream";

const [from = "./rdb_data", ...channels] = process.argv.slice(2);
const mq = await openRocksMq({ dir: "./milvus-copy" });
const factory = rocksMqMsgStreamFactory(mq);
try {
  await importMilvusRocksMq({ from, into: mq, topics: channels });

  const stream = await factory.newTtMsgStream();
  await stream.asConsumer(channels, "tail");
  for (let pack = await nextOf(stream); pack !== undefined; pack = await nextOf(stream)) {
    const types = pack.msgs.map(({ type }) => type).filter((type) => type !== "timeTick");
    if (types.length > 0) console.log(`up to ${new Date(physicalMs(pack.endTs)).toISOString()}: ${types.join(", ")}`);
  }
} finally {
  await factory.close();
  await mq.close();
}

/** Undefined when none has come for a second: nobody writes to a copy. @param {import("tidemark/msgstream").MsgStream} stream */
async function nextOf(stream) {
  const signal = AbortSignal.timeout(1000);
  try {
    return await stream.consume({ signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
