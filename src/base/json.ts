/**
 * For `JSON.stringify`: what JSON has no form for, as text.
 *
 *     bigint → decimal digits      bytes → base64      ids and others with `toJSON` → what that gives
 *
 * @example
 * ```ts
 * JSON.stringify({ id: 5n, payload: new Uint8Array([1, 2]) }, jsonReplacer); // {"id":"5","payload":"AQI="}
 * ```
 */
export function jsonReplacer(this: unknown, key: string, value: unknown): unknown {
  // A Buffer has a toJSON of its own, which has run by now; what it was called on is still in its place.
  const original = typeof this === "object" && this !== null ? (this as Record<string, unknown>)[key] : value;
  if (original instanceof Uint8Array) return Buffer.from(original.buffer, original.byteOffset, original.byteLength).toString("base64");
  return typeof value === "bigint" ? value.toString() : value;
}
