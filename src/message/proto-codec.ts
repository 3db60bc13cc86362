/**
 * Protobuf at our edges: the runtime does the work, and what it throws becomes an error that says which field, and where.
 */
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { TidemarkError } from "../base/errors.js";
import { checkFields } from "./proto-check.js";
import { findFault, findMisfit, type WireFault } from "./wire-fault.js";

/**
 * The message in these bytes; fields that the schema does not know are kept and written again.
 *
 * The runtime alone would let pass a field that ends behind its message, and would read one of a wrong wire type as if it were right.
 *
 * @param what names the bytes in an error: "body", "_h"
 * @throws `corrupt` with the path of the field and the offset in the bytes
 */
export function decodeProto<D extends DescMessage>(schema: D, bytes: Uint8Array, what: string): MessageShape<D> {
  const misfit = findMisfit(schema, bytes);
  if (misfit !== undefined) throw corruptAt(misfit, what);
  return decodeLeniently(schema, bytes, what);
}

/** The same, with the runtime's own leniency. @throws `corrupt` */
export function decodeLeniently<D extends DescMessage>(schema: D, bytes: Uint8Array, what: string): MessageShape<D> {
  try {
    return fromBinary(schema, bytes);
  } catch (error) {
    throw corruptAt(findFault(schema, bytes) ?? { path: [], offset: 0, what: "it does not read" }, what, error);
  }
}

function corruptAt({ path, offset, what: reason }: WireFault, what: string, cause?: unknown): TidemarkError<"corrupt"> {
  return corruptField([what, ...path].join("."), offset, reason, cause);
}

/**
 * The bytes of a message: fields in the order of their numbers, then what is unknown.
 *
 * @param what names the message in an error: "body"
 * @throws `invalid-argument` with the path of a field that can't be written
 */
export function encodeProto<D extends DescMessage>(schema: D, message: MessageShape<D>, what: string): Uint8Array {
  try {
    return toBinary(schema, message);
  } catch (error) {
    checkFields(schema, message, what);
    throw new TidemarkError("invalid-argument", `${what} can't be written as a ${schema.typeName}`, { argument: what }, { cause: error });
  }
}

/** A message that does not read: its field, the offset in the bytes of that field's message, and what is wrong there. */
export function corruptField(field: string, offset: number, what: string, cause?: unknown): TidemarkError<"corrupt"> {
  return new TidemarkError("corrupt", `message, ${field}, offset ${offset}: ${what}`, { file: "message", offset, field }, { cause });
}
