/** What every back-end stores of a message: bytes, and string properties. */
import { checkBytes, invalid } from "../base/arguments.js";

/** Bytes and string properties: what every back-end stores. */
export interface WireMessage {
  readonly properties: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}

/** What is in the properties is looked at by whoever reads them. @throws `invalid-argument` for what is no record at all */
export function checkWire(wire: unknown): asserts wire is WireMessage {
  if (typeof wire !== "object" || wire === null) throw invalid("wire", "a record with payload and properties", wire);
  const { payload, properties }: { payload?: unknown; properties?: unknown } = wire;
  checkBytes("wire.payload", payload);
  if (typeof properties !== "object" || properties === null) throw invalid("wire.properties", "an object of strings", properties);
}
