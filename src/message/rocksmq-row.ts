/**
 * Rows of Milvus's RocksMQ, which have no place for properties beside the payload: two ways of putting them into one.
 *
 *     of the log       FF FE FD FC "STREAM" │ protobuf { payload 1, properties 2 }
 *     of the stream    the payload, with the properties in its base in the place of those that were there
 */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { compareUtf8 } from "../base/utf8-order.js";
import { checkBytes } from "../base/arguments.js";
import { MsgHeaderSchema } from "./gen/milvus/common_pb.js";
import { RMQMessageLayoutSchema } from "./gen/milvus/messages_pb.js";
import { decodeProto, encodeProto } from "./proto-codec.js";
import { checkTexts, type Properties, propertiesFrom } from "./properties.js";
import { originOf, readFromNewer } from "./read-from.js";
import { findFault } from "./wire-fault.js";
import { checkWire, type WireMessage } from "./wire-message.js";

const magic = Buffer.from("\xff\xfe\xfd\xfcSTREAM", "latin1");

/**
 * The row that holds a record of the streaming log. Properties are written in the order of their keys.
 *
 * @throws `invalid-argument` for what is no record
 */
export function streamEnvelope(wire: WireMessage): Uint8Array {
  checkWire(wire);
  checkTexts("wire.properties", wire.properties);
  const layout = { ...originOf(RMQMessageLayoutSchema, wire), payload: wire.payload, properties: sorted(wire.properties) };
  const bytes = encodeProto(RMQMessageLayoutSchema, layout, "wire");
  const row = new Uint8Array(magic.length + bytes.length);
  row.set(magic);
  row.set(bytes, magic.length);
  return row;
}

/**
 * The record in a row of the streaming log; undefined for a row that is none, because it does not begin as one.
 *
 * @throws `corrupt` with the field, and the offset behind the ten bytes that it begins with
 */
export function openStreamEnvelope(row: Uint8Array): WireMessage | undefined {
  checkBytes("row", row);
  if (Buffer.compare(row.subarray(0, magic.length), magic) !== 0) return undefined;
  const origin = decodeProto(RMQMessageLayoutSchema, row.subarray(magic.length), "row");
  return readFromNewer({ payload: origin.payload, properties: propertiesFrom(Object.entries(origin.properties)) }, origin);
}

/**
 * The row that holds a record of the message stream: what was in its base's properties gives way to the record's, and fields before the base move behind it,
 * as in Milvus. A payload without a base, or that is no protobuf, is stored as it is, and its properties are lost. Properties are written in the order of their
 * keys, where Milvus has them in any.
 *
 * @throws `invalid-argument` for what is no record
 */
export function legacyRow(wire: WireMessage): Uint8Array {
  checkWire(wire);
  checkTexts("wire.properties", wire.properties);
  if (findFault(MsgHeaderSchema, wire.payload) !== undefined) return wire.payload;
  const header = fromBinary(MsgHeaderSchema, wire.payload);
  if (header.base === undefined) return wire.payload;
  header.base.properties = sorted(wire.properties);
  return toBinary(MsgHeaderSchema, header);
}

function sorted(properties: Properties): Record<string, string> {
  return propertiesFrom(Object.entries(properties).sort(([one], [other]) => compareUtf8(one, other)));
}
