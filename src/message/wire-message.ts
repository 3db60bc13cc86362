/** What every back-end stores of a message: bytes, and string properties. */

/** Bytes and string properties: what every back-end stores. */
export interface WireMessage {
  readonly properties: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}
