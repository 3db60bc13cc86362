/**
 * Messages as a log gives them back: single ones, and whole transactions.
 */
import type { MessageId } from "./message-id.js";
import type { MessageShapes, MessageType } from "./message-type.js";
import type { Properties } from "./properties.js";
import type { TimeTick } from "../base/time-tick.js";

/** The transaction that a message is part of. */
export interface TxnContext {
  readonly txnId: bigint;
  /** It expires when nothing was appended to it for so long. -1000: never. */
  readonly keepaliveMs: number;
}

/** A message as read back, of one type. Immutable. */
export interface PlainMessage<T extends MessageType = MessageType> {
  readonly kind: "message";
  readonly type: T;
  /** The number on the wire; of "unknown" it says which. */
  readonly typeNumber: number;
  /** 0: the old message stream's; 1: its body in the log's envelope; 2: the log's own. */
  readonly version: number;
  /** "" for what is about the whole pchannel. */
  readonly vchannel: string;
  /** Decoded when first asked for; throws `corrupt` with the field. */
  readonly header: MessageShapes[T]["header"];
  /** Decoded when first asked for; throws `corrupt` with the field, `unsupported-format` where it is encrypted. */
  readonly body: MessageShapes[T]["body"];
  /** The encoded body. */
  readonly payload: Uint8Array;
  /** All that this object has no field for: the caller's own, and reserved ones of later versions. */
  readonly properties: Properties;
  readonly id: MessageId;
  readonly timeTick: TimeTick;
  /** Reading from here, inclusive, yields everything with a greater tick. */
  readonly lastConfirmedMessageId: MessageId;
  readonly barrierTimeTick?: TimeTick;
  readonly term?: bigint;
  readonly txn?: TxnContext;
}

/** A message as read back; `type` narrows `header` and `body`. */
export type AnyPlainMessage = { [T in MessageType]: PlainMessage<T> }[MessageType];

/** A whole transaction at its commit: id, tick and lastConfirmed are the commit's; so are the bodies' ticks. Bodies in the order they were appended. */
export interface TxnMessage {
  readonly kind: "txn";
  readonly type: "txn";
  readonly vchannel: string;
  readonly txnId: bigint;
  readonly begin: PlainMessage<"beginTxn">;
  readonly messages: readonly AnyPlainMessage[];
  readonly commit: PlainMessage<"commitTxn">;
  readonly id: MessageId;
  readonly timeTick: TimeTick;
  readonly lastConfirmedMessageId: MessageId;
}

/** What a reader is given. Narrows by `kind` and `type`. */
export type StoredMessage = AnyPlainMessage | TxnMessage;
