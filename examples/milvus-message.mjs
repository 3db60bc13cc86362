/**
 * One of Milvus's messages, made, stamped as a log does it, and read again.
 *
 * Prints
 *     an insert of 1 row into collection 1
 */
import { decodeMessage, int64MessageId, message, stampMessage, timeTick } from "tidemark/message";

const draft = message.insert({
  vchannel: "by-dev-dml_0_1v0",
  header: { collectionId: 1n },
  body: { rowIDs: [7n], timestamps: [0n], numRows: 1n },
});
const record = stampMessage(draft, { timeTick: timeTick(Date.now()), lastConfirmedMessageId: undefined });

const read = decodeMessage(record, int64MessageId("rocksmq", 9n));
if (read.type === "insert") console.log(`an insert of ${read.body.numRows} row into collection ${read.header.collectionId}`);
