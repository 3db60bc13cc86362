/**
 * The streaming log's wire form: properties that begin with "_" say what the message is, the payload is its body.
 *
 * What a reader needs to route and order messages is read at once, so that damage there is found at once. Header and body are decoded when first asked
 * for: most readers look at few of them.
 */
import { TidemarkError } from "../base/errors.js";
import { BroadcastHeaderSchema, ReplicateHeaderSchema } from "./gen/milvus/messages_pb.js";
import { checkMessageId, type MessageId } from "./message-id.js";
import { headerSchema, type MessageShapes, type MessageType, messageTypeOf, payloadSchema } from "./message-type.js";
import { decodeProto, corruptField } from "./proto-codec.js";
import { checkTexts, type Properties, propertiesFrom } from "./properties.js";
import {
  barrierIn,
  bytesIn,
  lastConfirmedIn,
  parsedKeys,
  protoIn,
  termIn,
  timeTickIn,
  txnIn,
  typeNumberIn,
  versionIn,
} from "./reserved-properties.js";
import type { AnyPlainMessage, PlainMessage, TxnContext } from "./stored-message.js";
import type { TimeTick } from "../base/time-tick.js";
import { checkWire, type WireMessage } from "./wire-message.js";

/**
 * The message in a record of the streaming log.
 *
 * @param id where it was read
 * @throws `invalid-argument` for what is no record or no id; `corrupt` with the field: a reserved property that does not read, or a tick or last confirmed id that is missing. Header and body throw when
 *   they are asked for
 *
 * @example
 * ```ts
 * const read = decodeMessage(wire, messageIdFromString("kafka", "1z"));
 * if (read.type === "insert") console.log(read.header.collectionId, read.body.numRows);
 * ```
 */
export function decodeMessage(wire: WireMessage, id: MessageId): AnyPlainMessage {
  checkWire(wire);
  checkTexts("wire.properties", wire.properties);
  checkMessageId("id", id);
  checkHeaders(wire.properties);
  return new DecodedMessage(wire, id) as AnyPlainMessage;
}

/** A message that holds the record it was decoded from, so that what it does not know is written back as it was. */
export class DecodedMessage implements PlainMessage {
  readonly kind = "message";
  readonly type: MessageType;
  readonly typeNumber: number;
  readonly version: number;
  readonly vchannel: string;
  readonly id: MessageId;
  readonly timeTick: TimeTick;
  readonly lastConfirmedMessageId: MessageId;
  readonly payload: Uint8Array;
  // Absent where the record has none: they are not even undefined.
  declare readonly barrierTimeTick?: TimeTick;
  declare readonly term?: bigint;
  declare readonly txn?: TxnContext;
  readonly #wire: WireMessage;
  #properties: Properties | undefined;
  #header: { readonly value: MessageShapes[MessageType]["header"] } | undefined;
  #body: { readonly value: MessageShapes[MessageType]["body"] } | undefined;

  constructor(wire: WireMessage, id: MessageId) {
    const { properties } = wire;
    this.#wire = wire;
    this.typeNumber = typeNumberIn(properties);
    this.type = messageTypeOf(this.typeNumber);
    this.version = versionIn(properties);
    this.vchannel = properties["_vc"] ?? "";
    this.id = id;
    this.timeTick = timeTickIn(properties);
    this.lastConfirmedMessageId = lastConfirmedIn(properties, id);
    this.payload = wire.payload;
    const [barrier, term, txn] = [barrierIn(properties), termIn(properties), txnIn(properties)];
    if (barrier !== undefined) this.barrierTimeTick = barrier;
    if (term !== undefined) this.term = term;
    if (txn !== undefined) this.txn = txn;
  }

  /** The record as it was read. */
  get wire(): WireMessage {
    return this.#wire;
  }

  get properties(): Properties {
    this.#properties ??= propertiesFrom(Object.entries(this.#wire.properties).filter(([key]) => !parsedKeys.has(key)));
    return this.#properties;
  }

  get header(): MessageShapes[MessageType]["header"] {
    this.#header ??= { value: headerIn(this.type, this.#wire.properties) };
    return this.#header.value;
  }

  get body(): MessageShapes[MessageType]["body"] {
    this.#body ??= { value: bodyIn(this.type, this.#wire) };
    return this.#body.value;
  }
}

/** They are rare, and whoever broadcasts or replicates trusts them: damage in them is found at once. */
function checkHeaders({ _bh: broadcast, _rh: replicate }: Properties): void {
  if (broadcast !== undefined) protoIn(BroadcastHeaderSchema, "_bh", broadcast);
  if (replicate !== undefined) protoIn(ReplicateHeaderSchema, "_rh", replicate);
}

function headerIn(type: MessageType, { _h: text }: Properties): MessageShapes[MessageType]["header"] {
  if (type === "user") return undefined;
  if (type === "unknown") return bytesIn("_h", text ?? "");
  if (text === undefined) throw corruptField("_h", 0, "the header is missing");
  return protoIn(headerSchema(type), "_h", text);
}

function bodyIn(type: MessageType, { payload, properties }: WireMessage): MessageShapes[MessageType]["body"] {
  if (type === "user" || type === "unknown") return payload;
  if ("_ch" in properties)
    throw new TidemarkError("unsupported-format", "body: it is encrypted (property _ch), and Tidemark has no key for it", {});
  return decodeProto(payloadSchema(type), payload, "body");
}
