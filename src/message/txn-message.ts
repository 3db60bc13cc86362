/**
 * Puts a transaction together at its commit.
 *
 *     begin  body  body  …  commit      what the log has, each with its own tick
 *     └──────────── one message ─────▶  with the id, tick and last confirmed id of the commit, inside and out
 */
import { DecodedMessage } from "./decode-message.js";
import { encodeMessage } from "./encode-message.js";
import { checkPlainMessage, checkPlainMessages } from "./message-check.js";
import { corruptField } from "./proto-codec.js";
import { propertiesFrom } from "./properties.js";
import type { AnyPlainMessage, PlainMessage, TxnContext, TxnMessage } from "./stored-message.js";

/**
 * The transaction of a begin, its bodies in the order of the log, and its commit. Those given are left as they are.
 *
 * @throws `invalid-argument` for what is no message; `corrupt` with the field where they are not of one transaction or one vchannel, or the commit is before the begin
 */
export function assembleTxn(
  begin: PlainMessage<"beginTxn">,
  bodies: readonly AnyPlainMessage[],
  commit: PlainMessage<"commitTxn">,
): TxnMessage {
  checkPlainMessage("begin", begin);
  checkPlainMessages("bodies", bodies);
  checkPlainMessage("commit", commit);
  if (begin.type !== "beginTxn") throw corruptField("_t", 0, `a ${String(begin.type)} where a transaction begins`);
  if (commit.type !== "commitTxn") throw corruptField("_t", 0, `a ${String(commit.type)} where a transaction is committed`);
  const { txnId } = contextOf(begin);
  for (const part of [...bodies, commit]) checkPart(part, begin.vchannel, txnId);
  if (commit.timeTick < begin.timeTick)
    throw corruptField("_tt", 0, `a commit at ${commit.timeTick}, before its begin at ${begin.timeTick}`);
  const { id, timeTick, lastConfirmedMessageId, vchannel } = commit;
  const messages = bodies.map((body) => atCommit(body, commit));
  return {
    kind: "txn",
    type: "txn",
    vchannel,
    txnId,
    begin: atCommit(begin, commit),
    messages,
    commit,
    id,
    timeTick,
    lastConfirmedMessageId,
  };
}

function contextOf({ txn, type }: AnyPlainMessage): TxnContext {
  if (txn === undefined) throw corruptField("_tx", 0, `a ${type} of no transaction`);
  return txn;
}

function checkPart(part: AnyPlainMessage, vchannel: string, txnId: bigint): void {
  const { txnId: own } = contextOf(part);
  if (own !== txnId) throw corruptField("_tx", 0, `a ${part.type} of transaction ${own} in transaction ${txnId}`);
  if (part.vchannel !== vchannel) throw corruptField("_vc", 0, `a ${part.type} of ${part.vchannel} in a transaction of ${vchannel}`);
}

/** The message with the tick and last confirmed id of the commit. */
function atCommit<M extends AnyPlainMessage>(part: M, commit: PlainMessage<"commitTxn">): M {
  const { properties, payload } = encodeMessage(part);
  const kept = Object.entries(properties).filter(([key]) => key !== "_lcs");
  const moved = propertiesFrom([...kept, ["_tt", commit.timeTick.toString(36)], ["_lc", commit.lastConfirmedMessageId.toString()]]);
  // The type is in the properties, so that it is the same.
  return new DecodedMessage({ properties: moved, payload }, part.id) as AnyPlainMessage as M;
}
